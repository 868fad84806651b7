"""Cosines of the query's and the text's vectors: of words, of topics, and of matrix factors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.text_factors import factor_cosines, stored_cosines, text_factors
from kaiwa.rank.models.token_lists import TokenLists
from kaiwa.rank.models.word_vectors import text_vectors, vector_cosines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch

    Encoder = Callable[[TokenLists, Mapping[str, Any]], FloatArray]  # Any: arrays
    Cosines = Callable[[TokenLists, FloatArray, Mapping[str, Any]], FloatArray]  # of one vector; Any: arrays


def vector_cosine(batch: Batch, *, side: str, model: str, encoder: Encoder, cosines: Cosines) -> FloatArray:
    """The cosine of the vectors of the query and of the comment, or of the nearest of its posts."""
    arrays = batch.models.opened(model)
    query = encoder(TokenLists(np.array([0, len(batch.words)]), batch.words), arrays)[0]
    if side in arrays and batch.is_stored(side, arrays[side]):
        numbers = batch.candidates.comments if side == "comments" else batch.numbered_posts[0]
        found = stored_cosines(arrays[side], numbers, query)
    else:
        found = cosines(batch.comments if side == "comments" else batch.distinct_posts, query, arrays)
    return found if side == "comments" else batch.best_of_posts(found)


_KINDS = (
    ("vectors", "vectors", text_vectors, vector_cosines, "word vectors"),
    ("lda", "topics", text_vectors, vector_cosines, "topics, by idf,"),
    ("wtmf", "factors", text_factors, factor_cosines, "matrix factors"),
)

VECTOR_FEATURES = {
    f"{name}-{short}": Feature(
        partial(vector_cosine, side=side, model=model, encoder=encoder, cosines=cosines),
        f"cosine of the {what} of the query and the {noun}",
        (model,),
    )
    for name, model, encoder, cosines, what in _KINDS
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
