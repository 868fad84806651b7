"""Cosines of the query's and the text's vectors: of words, of topics, and of matrix factors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.text_factors import factor_cosines, text_factors
from kaiwa.rank.models.word_vectors import text_vectors, vector_cosines
from kaiwa.rank.texts.token_lists import TokenLists
from kaiwa.rank.texts.word_products import LENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.texts.local_words import LocalWords

    Arrays = Mapping[str, Any]  # Any: arrays
    Encoder = Callable[[TokenLists, Arrays], FloatArray]
    Cosines = Callable[[LocalWords, FloatArray, Arrays, NDArray[Any] | None], FloatArray]  # of one vector


def vector_cosine(
    batch: Batch, *, side: str, model: str, encoder: Encoder, cosines: Cosines, stored: str
) -> FloatArray:
    """The cosine of the vectors of the query and of the comment, or the mean over its posts.

    ``stored`` is the array of what the model has of each text of that side.
    """
    arrays = batch.models.opened(model)
    query = encoder(TokenLists(np.array([0, len(batch.words)]), batch.words), arrays)[0]
    texts = batch.local_comments if side == "comments" else batch.local_posts
    found = cosines(texts, query, arrays, batch.stored(side, arrays[stored]))
    return found if side == "comments" else batch.mean_of_posts(found)


_WHOLE = {side: side for side in LENGTHS}
_KINDS = (
    ("vectors", "vectors", text_vectors, vector_cosines, LENGTHS, "word vectors"),
    ("lda", "topics", text_vectors, vector_cosines, LENGTHS, "topics, by idf,"),
    ("wtmf", "factors", text_factors, factor_cosines, _WHOLE, "matrix factors"),
)

VECTOR_FEATURES = {
    f"{name}-{short}": Feature(
        partial(vector_cosine, side=side, model=model, encoder=encoder, cosines=cosines, stored=stored[side]),
        f"cosine of the {what} of the query and the {noun}",
        (model,),
    )
    for name, model, encoder, cosines, stored, what in _KINDS
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
