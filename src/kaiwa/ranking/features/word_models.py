"""Language model: how fluent a comment is, alone and as the text that follows the query."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ranking.features.feature import Feature
from kaiwa.ranking.models.bigram_language_model import first_logs, following_logs, mean_log_probabilities
from kaiwa.ranking.models.character_ngrams import ngram_scores
from kaiwa.ranking.models.decoder import mean_log_scores
from kaiwa.ranking.texts import TokenLists

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.features.batch import Batch
    from kaiwa.ranking.models.bigram_language_model import BigramLanguageModel


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


# Encoder-decoder: the log-probability of the comment given the query, and of the query given the comment.


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


# Character n-grams: the probabilistic score (BM25) of the query and the post or comment of each pair.


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
