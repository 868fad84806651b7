"""What people reply in such a case: a comment beside the comments of the pairs that are nearest to the query (run2).

The words of these comments, weighted by the scores of their pairs, are a relevance model of replies (Lavrenko and
Croft 2001, "Relevance-based language models"). A comment that is among them itself is left out of its own model: that
its pair is near is what ``first-score`` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ranking.features.feature import Feature
from kaiwa.ranking.models.convolution import match_scores
from kaiwa.ranking.models.pair_forest import pair_chances
from kaiwa.ranking.models.pattern_pairs import pair_odds
from kaiwa.ranking.models.word_vectors import text_vectors, vector_cosines
from kaiwa.ranking.texts import TokenLists
from kaiwa.ranking.words import LENGTHS
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.features.batch import Batch
    from kaiwa.ranking.texts import Tokens


_RELEVANT = 0.2  # how much the relevance model counts beside the usual share of a word
_SMALLEST = 1e-7  # of a usual share: a rarer word is no stronger


def neighbour_words(batch: Batch) -> FloatArray:
    """The mean log of how much likelier a word of the comment is in the nearest pairs' comments than in all texts."""
    near, usual, local = batch.neighbours, batch.models.corpus.shares, batch.local_comments
    shares = word_shares(*near.replies, near.weights, len(usual))[local.words]
    own_weights = near.weights_of(batch.candidates.comments)
    return mean_lifts(*local.texts, shares, usual[local.words], own_weights, _RELEVANT)


def neighbour_vectors(batch: Batch) -> FloatArray:
    """The cosine of the comment's word vector and the weighted mean of those of the nearest pairs' comments."""
    near, model = batch.neighbours, batch.models.opened("vectors")
    vectors = text_vectors(near.replies, model)
    mean = np.einsum("t,td->d", near.weights, vectors)
    stored = batch.stored("comments", model[LENGTHS["comments"]])
    found = vector_cosines(batch.local_comments, mean, model, stored) / max(float(np.sqrt(mean @ mean)), _SMALLEST)
    others = mean - near.weights[:, None] * vectors
    lengths = np.sqrt((others**2).sum(axis=1))
    own = (others * vectors).sum(axis=1) / np.where(lengths > _SMALLEST, lengths, np.inf)
    places = near.places_of(batch.candidates.comments)
    return np.where(places >= 0, np.append(own, 0.0)[places], found)


@kernel
def word_shares(starts: IntArray, tokens: Tokens, weights: FloatArray, words: int) -> FloatArray:
    """The weighted mean over texts of each word's share of a text's tokens."""
    shares = np.zeros(words)
    for text in range(len(starts) - 1):
        for at in range(starts[text], starts[text + 1]):
            shares[tokens[at]] += weights[text] / (starts[text + 1] - starts[text])
    return shares


@kernel
def mean_lifts(
    starts: IntArray, tokens: Tokens, shares: FloatArray, usual: FloatArray, own_weights: FloatArray, factor: float
) -> FloatArray:
    """The mean over each text's tokens of log(1 + factor x share / usual share); 0 for an empty text.

    ``own_weights`` is what each text itself has added to the shares, and is taken out again.
    """
    lifts = np.log1p(factor * shares / np.maximum(usual, _SMALLEST))
    means = np.zeros(len(starts) - 1)
    for text in range(len(means)):
        own, weight = tokens[starts[text] : starts[text + 1]], own_weights[text]
        for word in own:
            if weight > 0.0:
                others = max(shares[word] - weight * (own == word).sum() / len(own), 0.0)
                share = others / (1.0 - weight) if weight < 1.0 - 1e-9 else 0.0
                means[text] += np.log1p(factor * share / max(usual[word], _SMALLEST))
            else:
                means[text] += lifts[word]
        means[text] /= max(len(own), 1)
    return means


NEIGHBOUR_FEATURES = {
    "neighbours-words": Feature(
        neighbour_words,
        "log of how much likelier the comment's words are in the comments of the pairs nearest to the query",
        ("tokens",),
        family="neighbours",
    ),
    "neighbours-vectors": Feature(
        neighbour_vectors,
        "cosine of the word vectors of the comment and of the comments of the pairs nearest to the query",
        ("vectors",),
        family="neighbours",
    ),
}


# CNN matching: the score of the query and the comment by a small convolutional network.


def convolution_match(batch: Batch) -> FloatArray:
    """The network's score of the query, as a post, and each comment."""
    query = TokenLists(np.array([0, len(batch.words)]), batch.words)
    return match_scores(query, batch.comments, batch.models.opened("convolution"))


CONVOLUTION_FEATURES = {
    "cnn-q2c": Feature(
        convolution_match, "match of the query and the comment by a small convolutional network", ("convolution",)
    )
}


# Random forest: how likely the query and the comment are a true pair, by tf-idf features of both.


def forest_chance(batch: Batch) -> FloatArray:
    """The share of true pairs in the leaves of the query, as a post, and each comment."""
    query = TokenLists(np.array([0, len(batch.words)]), batch.words)
    return pair_chances(query, batch.comments, batch.models.opened("forest"))


FOREST_FEATURES = {
    "forest-q2c": Feature(
        forest_chance, "share of true pairs among such tf-idf features, by a random forest", ("forest",)
    )
}


# Pattern pairs: the log-odds that a comment with its patterns answers a query with its own.


def pattern_odds(batch: Batch) -> FloatArray:
    """The log-odds by the patterns of the query, as a post, and of each comment."""
    query = TokenLists(np.array([0, len(batch.words)]), batch.words)
    return pair_odds(len(batch.models.corpus.words), query, batch.comments, batch.models.opened("patterns"))


PATTERN_FEATURES = {
    "patterns-q2c": Feature(
        pattern_odds, "log-odds that the comment answers the query, by pairs of patterns", ("patterns",)
    )
}
