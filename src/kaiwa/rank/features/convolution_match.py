"""CNN matching: the score of the query and the comment by a small convolutional network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.convolution import match_scores
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def convolution_match(batch: Batch) -> FloatArray:
    """The network's score of the query, as a post, and each comment."""
    query = TokenLists(np.array([0, len(batch.words)]), batch.words)
    return match_scores(query, batch.comments, batch.models.opened("convolution"))


CONVOLUTION_FEATURES = {
    "cnn-q2c": Feature(
        convolution_match, "match of the query and the comment by a small convolutional network", ("convolution",)
    )
}
