"""TopicWord: the cosine of the query and the post or comment, their words weighted by what the text is about."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.topic_words import pi_cosines, topic_weights
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def topic_word_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the pi-weighted words of query and comment, or the mean over its posts; 0 without a shared word."""
    model = batch.models.opened("topicword")
    query, own = topic_weights(TokenLists(np.array([0, len(batch.words)]), batch.words), model)
    weights = np.zeros(len(model.word_odds))
    weights[query.tokens] = own / max(float(np.sqrt(own @ own)), np.finfo(np.float64).tiny)
    if side == "comments":
        return pi_cosines(batch.comments, model, weights)
    return batch.mean_of_posts(pi_cosines(batch.distinct_posts, model, weights))


TOPIC_WORD_FEATURES = {
    f"topicword-{short}": Feature(
        partial(topic_word_cosine, side=side), f"cosine of the topic words of the query and the {noun}", ("topicword",)
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
