"""Language model: how fluent a comment is, alone and as the text that follows the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.bigram_language_model import first_logs, following_logs, mean_log_probabilities
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.models.bigram_language_model import BigramLanguageModel


def comment_fluency(batch: Batch) -> FloatArray:
    """The mean log-probability of a word of the comment."""
    model: BigramLanguageModel = batch.models.opened("language")
    texts = batch.comments
    means: FloatArray = (first_logs(*texts, model, model.edge) + batch.once(_following)) / (np.diff(texts.starts) + 1)
    return means


def pair_fluency(batch: Batch) -> FloatArray:
    """The mean log-probability of a word of the query and the comment as one text."""
    model: BigramLanguageModel = batch.models.opened("language")
    texts, words = batch.comments, batch.words
    query, nothing = (TokenLists(np.array([0, len(one)]), one) for one in (words, words[:0]))
    last = int(words[-1]) if len(words) else model.edge
    with_end = (len(words) + 1) * mean_log_probabilities(query, model)
    asked = with_end - first_logs(*nothing, model, last)
    logs = asked + first_logs(*texts, model, last) + batch.once(_following)
    means: FloatArray = logs / (np.diff(texts.starts) + len(words) + 1)
    return means


def _following(batch: Batch) -> FloatArray:
    """The log-probability of the comment without its first word, which is the same in both features."""
    model: BigramLanguageModel = batch.models.opened("language")
    stored = batch.stored("comments", model.following)
    return following_logs(*batch.comments, model) if stored is None else stored.astype(np.float64)


LANGUAGE_FEATURES = {
    "language-comment": Feature(
        comment_fluency, "mean log-probability of the comment's words, by a language model", ("language",)
    ),
    "language-pair": Feature(
        pair_fluency, "mean log-probability of the words of query and comment as one text", ("language",)
    ),
}
