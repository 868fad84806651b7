"""Encoder-decoder: the log-probability of the comment given the query, and of the query given the comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.decoder_scores import mean_log_scores
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def decoded_comment(batch: Batch) -> FloatArray:
    """The mean log-probability of a word of the comment given the query."""
    return mean_log_scores(_query(batch), batch.comments, batch.models.opened("decoder")[0])


def decoded_query(batch: Batch) -> FloatArray:
    """The mean log-probability of a word of the query given the comment."""
    return mean_log_scores(batch.comments, _query(batch), batch.models.opened("decoder")[1])


def _query(batch: Batch) -> TokenLists:
    return TokenLists(np.array([0, len(batch.words)]), batch.words)


DECODER_FEATURES = {
    "decoder-comment": Feature(
        decoded_comment, "log-probability of the comment given the query, by a small encoder-decoder", ("decoder",)
    ),
    "decoder-query": Feature(
        decoded_query, "log-probability of the query given the comment, by a small encoder-decoder", ("decoder",)
    ),
}
