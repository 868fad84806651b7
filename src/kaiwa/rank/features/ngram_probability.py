"""Character n-grams: the probabilistic score (BM25) of the query and the post or comment of each pair."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.character_ngrams import ngram_scores

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def ngram_probability(batch: Batch, *, side: str) -> FloatArray:
    """The BM25 of the character n-grams of the query and of the comment, or the mean over its posts."""
    model = batch.models.opened("ngrams")
    if side == "posts":
        return batch.mean_of_posts(ngram_scores(batch.words, batch.distinct_posts, model))
    return ngram_scores(batch.words, batch.comments, model)


NGRAM_FEATURES = {
    f"ngrams-{short}": Feature(
        partial(ngram_probability, side=side), f"BM25 of the character n-grams of the query and the {noun}", ("ngrams",)
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
