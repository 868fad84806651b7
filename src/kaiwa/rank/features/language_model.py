"""Language model: how fluent a comment is, alone and as the text that follows the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.bigram_language_model import joined, mean_log_probabilities
from kaiwa.rank.models.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def comment_fluency(batch: Batch) -> FloatArray:
    """The mean log-probability of a word of the comment."""
    return mean_log_probabilities(batch.comments, batch.models.opened("language"))


def pair_fluency(batch: Batch) -> FloatArray:
    """The mean log-probability of a word of the query and the comment as one text."""
    texts = len(batch.comments)
    query = TokenLists(np.arange(texts + 1) * len(batch.words), np.tile(batch.words, texts))
    return mean_log_probabilities(joined(query, batch.comments), batch.models.opened("language"))


LANGUAGE_FEATURES = {
    "language-comment": Feature(
        comment_fluency, "mean log-probability of the comment's words, by a language model", ("language",)
    ),
    "language-pair": Feature(
        pair_fluency, "mean log-probability of the words of query and comment as one text", ("language",)
    ),
}
