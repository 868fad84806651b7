"""TopicWord: the cosine of the query and the post or comment, their words weighted by what the text is about."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.token_lists import TokenLists
from kaiwa.rank.models.topic_words import topic_weights
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.models.token_lists import Tokens


def topic_word_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the pi-weighted words of query and comment, or the best of its posts; 0 without a shared word."""
    model = batch.models.opened("topicword")
    query, own = topic_weights(TokenLists(np.array([0, len(batch.words)]), batch.words), model)
    weights = np.zeros(len(model.rarity))
    weights[query.tokens] = own / max(float(np.sqrt(own @ own)), np.finfo(np.float64).tiny)
    words, pi = topic_weights(batch.comments if side == "comments" else batch.distinct_posts, model)
    found = cosines(*words, pi, weights)
    return found if side == "comments" else batch.best_of_posts(found)


@kernel
def cosines(starts: IntArray, words: Tokens, values: FloatArray, weights: FloatArray) -> FloatArray:
    """The cosine of each list's values with a vector of weights by word, which has length 1."""
    found = np.zeros(len(starts) - 1)
    for one in range(len(found)):
        product, square = 0.0, 0.0
        for at in range(starts[one], starts[one + 1]):
            product += values[at] * weights[words[at]]
            square += values[at] * values[at]
        if square > 0.0:
            found[one] = product / np.sqrt(square)
    return found


TOPIC_WORD_FEATURES = {
    f"topicword-{short}": Feature(
        partial(topic_word_cosine, side=side), f"cosine of the topic words of the query and the {noun}", ("topicword",)
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
