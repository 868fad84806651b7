"""Cosines of the query's and the text's vectors: of words, of topics, and of matrix factors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.text_factors import text_factors
from kaiwa.rank.models.token_lists import TokenLists
from kaiwa.rank.models.word_vectors import text_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch

    Encoder = Callable[[TokenLists, Mapping[str, Any]], FloatArray]  # Any: arrays


def vector_cosine(batch: Batch, *, side: str, model: str, encoder: Encoder) -> FloatArray:
    """The cosine of the vectors of the query and of the comment, or of the nearest of its posts."""
    arrays = batch.models.opened(model)
    query = encoder(TokenLists(np.array([0, len(batch.words)]), batch.words), arrays)
    if side == "posts":
        return batch.best_of_posts(encoder(batch.distinct_posts, arrays) @ query[0])
    cosines: FloatArray = encoder(batch.comments, arrays) @ query[0]
    return cosines


_KINDS = (
    ("vectors", "vectors", text_vectors, "word vectors"),
    ("lda", "topics", text_vectors, "topics, by idf,"),
    ("wtmf", "factors", text_factors, "matrix factors"),
)

VECTOR_FEATURES = {
    f"{name}-{short}": Feature(
        partial(vector_cosine, side=side, model=model, encoder=encoder),
        f"cosine of the {what} of the query and the {noun}",
        (model,),
    )
    for name, model, encoder, what in _KINDS
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
