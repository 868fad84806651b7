"""TransLM and its parts: how likely the query is given a pair, and a comment given the query, by word translation.

Xue, Jeon and Croft 2008, "Retrieval models for question and answer archives"; Ji, Lu and Li 2014, section 4.1.2. The
translation rows of the query's words are scattered once for each query, so that a candidate costs one lookup per token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.features.feature import WordPairs
    from kaiwa.rank.models.token_lists import TokenLists, Tokens
    from kaiwa.rank.models.translation import Translation


class Weights(NamedTuple):
    """The weights of the mixture: post and comment, each by its words and by translation; and of the collection.

    ``own`` is the share of a word's translation probability that is kept for the word itself.
    """

    post: float = 0.2
    post_translated: float = 0.3
    comment: float = 0.2
    comment_translated: float = 0.3
    collection: float = 0.2
    own: float = 0.3


WEIGHTS = Weights()


def translm(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log-probability of a query word given the pair: the best pair of the comment and one of its posts."""
    words, counts = np.unique(batch.words, return_counts=True)
    model = batch.models.opened("translation")
    posts, starts = batch.every_post
    places, shares = np.unique(posts, return_inverse=True)[1], (weights.post, weights.post_translated)
    by_post = _mixed(batch.distinct_posts, words, model.to_comments_by_target, weights, shares)
    by_comment = _mixed(
        batch.comments, words, model.to_posts_by_target, weights, (weights.comment, weights.comment_translated)
    )
    mixed = by_post[places] + np.repeat(by_comment, np.diff(np.append(starts, len(posts))), axis=0)
    logs = _mean_log(mixed, batch.models.corpus.shares[words], counts, weights.collection)
    best: FloatArray = np.maximum.reduceat(logs, starts) if len(starts) else logs
    return best


def query_given_comment(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log-probability of a query word as a translation of the comment."""
    words, counts = np.unique(batch.words, return_counts=True)
    model = batch.models.opened("translation")
    mixed = _mixed(batch.comments, words, model.to_posts_by_target, weights._replace(own=0.0), (0.0, 1.0))
    return _mean_log(mixed, batch.models.corpus.shares[words], counts, weights.collection)


def comment_given_query(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log-probability of a comment word as a translation of the query (IBM Model 1)."""
    return list_means(*batch.comments, np.log(np.maximum(_answer_shares(batch, weights), _TINY)))


def comment_lift(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log of how much more probable a comment word is as a translation of the query than in all comments.

    Popular words are probable after any query. This is the mutual information of query and word, not their probability.
    """
    usual = batch.models.corpus.comment_shares
    shares = _answer_shares(batch, weights, usual)
    return list_means(*batch.comments, np.log(np.maximum(shares, _TINY) / np.maximum(usual, _TINY)))


def _answer_shares(batch: Batch, weights: Weights, usual: FloatArray | None = None) -> FloatArray:
    """P(word | query) of every word, by translation and, for a small part, by the word's usual share of all tokens."""
    model: Translation = batch.models.opened("translation").to_comments
    usual = batch.models.corpus.shares if usual is None else usual
    translated = np.zeros(len(usual))
    add_rows(model.starts, model.targets, model.probabilities, batch.words, translated)
    translated[: len(model.empty)] += model.empty
    return translated * (1 - weights.collection) / (len(batch.words) + 1) + weights.collection * usual


def strongest_translations(batch: Batch, *, weights: Weights = WEIGHTS) -> list[WordPairs]:
    """Query words that a pair lacks, with the words of the pair that explain them: at most three, the strongest first.

    The strength is the probability that comes from the translation, over that of the word in the collection.
    """
    model, corpus = batch.models.opened("translation"), batch.models.corpus
    words = np.unique(batch.words)
    sides = [
        (texts, _columns(rows, words) * share / np.maximum(corpus.shares[words], _TINY))
        for texts, rows, share in (
            (batch.posts, model.to_comments_by_target, weights.post_translated),
            (batch.comments, model.to_posts_by_target, weights.comment_translated),
        )
    ]
    found = []
    for place in range(len(batch.candidates)):
        texts = [(one.tokens[one.starts[place] : one.starts[place + 1]], table) for one, table in sides]
        best = _strongest(words, texts)[:_SHOWN]
        found.append(tuple((corpus.words.text_of(own), corpus.words.text_of(other)) for own, other in best))
    return found


def _strongest(words: Tokens, texts: list[tuple[Tokens, FloatArray]]) -> list[tuple[int, int]]:
    """The query words that no text has, with the words of the texts, by the mean over a text's tokens of a table."""
    lacking = ~np.isin(words, np.concatenate([tokens for tokens, _ in texts]))
    strengths: dict[tuple[int, int], float] = {}
    for tokens, table in texts:
        known = tokens[tokens < len(table)]
        for at, column in zip(*np.nonzero(table[known] * lacking), strict=True):
            key = int(words[column]), int(known[at])
            strengths[key] = strengths.get(key, 0.0) + float(table[known[at], column]) / len(tokens)
    return sorted(strengths, key=lambda key: (-strengths[key], key))


def _columns(model: Translation, words: Tokens) -> FloatArray:
    """T(word | source) for some target words ("sources x words")."""
    table = np.zeros((len(model.starts) - 1, len(words)), dtype=np.float32)
    scatter_rows(model.starts, model.targets, model.probabilities, words, table)
    return table.astype(np.float64)


_TINY = 1e-12
_SHOWN = 3


def _mixed(
    texts: TokenLists, words: Tokens, model: Translation, weights: Weights, shares: tuple[float, float]
) -> FloatArray:
    """P(w | text) for the query's words ("candidates x words"): by the text's own words, and by their translations."""
    table = np.zeros((max(len(model.starts) - 1, int(texts.tokens.max(initial=0)) + 1), len(words)), dtype=np.float32)
    scatter_rows(model.starts, model.targets, model.probabilities, words, table)
    table *= shares[1] * (1 - weights.own)
    known = words[words < len(table)]
    table[known, np.arange(len(known))] += shares[0] + shares[1] * weights.own
    summed = np.zeros((len(texts), len(words)))
    sum_rows(*texts, table, summed)
    return summed / np.maximum(np.diff(texts.starts), 1)[:, None]


def _mean_log(mixed: FloatArray, shares: FloatArray, counts: IntArray, collection: float) -> FloatArray:
    """The mean over the query's tokens of log((1 - l) P(w | pair) + l P(w | collection)); 0 for a query without any."""
    logs = np.log(np.maximum((1 - collection) * mixed + collection * shares, _TINY))
    return logs @ counts / max(int(counts.sum()), 1)


@kernel
def scatter_rows(
    starts: IntArray, sources: Tokens, probabilities: NDArray[np.float32], words: Tokens, table: NDArray[np.float32]
) -> None:
    """Write the rows of some target words into the columns of a table of sources x words."""
    for column in range(len(words)):
        if words[column] + 1 < len(starts):
            for at in range(starts[words[column]], starts[words[column] + 1]):
                table[sources[at], column] = probabilities[at]


@kernel
def add_rows(
    starts: IntArray, targets: Tokens, probabilities: NDArray[np.float32], words: Tokens, total: FloatArray
) -> None:
    """Add up the rows of some source words."""
    for word in words:
        if word + 1 < len(starts):
            for at in range(starts[word], starts[word + 1]):
                total[targets[at]] += probabilities[at]


@kernel
def sum_rows(starts: IntArray, tokens: Tokens, table: NDArray[np.float32], summed: FloatArray) -> None:
    """Add up, for each list, the table's rows of its tokens."""
    for one in range(len(starts) - 1):
        for at in range(starts[one], starts[one + 1]):
            for column in range(table.shape[1]):
                summed[one, column] += table[tokens[at], column]


@kernel
def list_means(starts: IntArray, tokens: Tokens, values: FloatArray) -> FloatArray:
    """The mean value of the tokens of each list; 0 for an empty list."""
    means = np.zeros(len(starts) - 1)
    for one in range(len(means)):
        for at in range(starts[one], starts[one + 1]):
            means[one] += values[tokens[at]]
        means[one] /= max(starts[one + 1] - starts[one], 1)
    return means


TRANSLATION_FEATURES = {
    "translm": Feature(
        translm,
        "log-probability of the query given the pair, by word translation",
        ("translation",),
        word_pairs=strongest_translations,
    ),
    "query-given-comment": Feature(
        query_given_comment, "log-probability of the query as a translation of the comment", ("translation",)
    ),
    "comment-given-query": Feature(
        comment_given_query, "log-probability of the comment as a translation of the query", ("translation",)
    ),
    "comment-lift": Feature(
        comment_lift, "log of how much likelier the query makes the comment's words, by translation", ("translation",)
    ),
}
