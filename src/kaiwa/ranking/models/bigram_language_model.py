"""A bigram language model of comments and of pairs, by interpolated Kneser-Ney smoothing.

Kneser and Ney 1995, interpolated as in Chen and Goodman 1999. It is counted on every comment, and on every pair
as one text, the comment after its post. One symbol stands before and after each text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.ambient import no_progress
from kaiwa.ranking.texts import joined
from kaiwa.ranking.words import added_counts, place_in_row
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens


Singles = NDArray[np.float32]

_BLOCK = 1 << 17  # texts counted at a time
_TINY = 1e-30
_SMALL = 1e-250  # a product that one more probability does not bring to 0


class BigramLanguageModel(NamedTuple):
    """P(word | word before) = its discounted share of the row, if it is there, + ``backoff`` x ``continuation``.

    Rows are ``starts[v]:starts[v + 1]``, of words ascending. The last number stands for the beginning and the end.
    ``following`` is the log-probability of each comment of the index without its first word: no query changes it.
    """

    starts: IntArray
    words: Tokens
    shares: Singles
    backoff: Singles
    continuation: Singles
    following: Singles

    @property
    def edge(self) -> int:
        """The number that stands for the beginning and the end."""
        return len(self.continuation) - 1


def trained_language_model(corpus: Corpus, *, progress: Progress = no_progress) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, counted on the comments and the pairs of a corpus."""
    words = len(corpus.words) + 1
    pairs, comments = len(corpus.bitext.source_of), len(corpus.comments)
    counted = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for low in range(0, comments, _BLOCK):
        chosen = np.arange(low, min(low + _BLOCK, comments))
        counted = added_counts(*counted, bigram_keys(*corpus.comments.of(chosen), words))
        progress(low, comments + pairs)
    for low in range(0, pairs, _BLOCK):
        counted = added_counts(*counted, bigram_keys(*_pair_texts(corpus, low, min(low + _BLOCK, pairs)), words))
        progress(comments + low, comments + pairs)
    model = smoothed(*counted, words)
    return model._replace(following=_following(corpus.comments, model))._asdict()


def _following(comments: TokenLists, model: BigramLanguageModel) -> Singles:
    """The log-probability of each comment without its first word, made in blocks."""
    logs = np.zeros(len(comments), dtype=np.float32)
    for low in range(0, len(comments), _BLOCK):
        chosen = np.arange(low, min(low + _BLOCK, len(comments)))
        logs[chosen] = following_logs(*comments.of(chosen), model)
    return logs


def opened_language_model(arrays: Mapping[str, Any]) -> BigramLanguageModel:  # Any: arrays
    """The model, from its arrays."""
    return BigramLanguageModel(*(arrays[part] for part in BigramLanguageModel._fields))


def smoothed(keys: IntArray, counts: IntArray, words: int) -> BigramLanguageModel:
    """The model of bigrams with these keys (word before x words + word), ascending, and counts.

    The discount is n1 / (n1 + 2 n2), of the numbers of bigrams that occur once and twice.

    >>> model = smoothed(np.array([1, 2, 3, 6]), np.array([2, 1, 1, 2]), 3)
    >>> [round(float(value), 3) for value in model.backoff]
    [0.222, 0.333, 0.167]
    """
    before, after = keys // words, keys % words
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())  # noqa: PLR2004  two occurrences
    discount = once / (once + 2 * twice) if once else 0.5
    totals = np.maximum(np.bincount(before, weights=counts, minlength=words), 1)
    kinds, preceding = np.bincount(before, minlength=words), np.bincount(after, minlength=words)
    whole = max(len(keys), 1)
    uniform = discount * (preceding > 0).sum() / whole / words
    return BigramLanguageModel(
        np.searchsorted(before, np.arange(words + 1)).astype(np.int64),
        after.astype(np.int32),
        ((counts - discount) / totals[before]).astype(np.float32),
        np.where(kinds > 0, discount * kinds / totals, 1.0).astype(np.float32),
        (np.maximum(preceding - discount, 0) / whole + uniform).astype(np.float32),
        np.zeros(0, dtype=np.float32),
    )


def mean_log_probabilities(texts: TokenLists, model: BigramLanguageModel) -> FloatArray:
    """The mean log-probability of each text's words and its end."""
    return mean_logs(*texts, model)


def _pair_texts(corpus: Corpus, low: int, high: int) -> TokenLists:
    pairs = corpus.bitext
    posts, comments = pairs.source_of[low:high].astype(np.int64), pairs.target_of[low:high].astype(np.int64)
    return joined(pairs.sources.of(posts), pairs.targets.of(comments))


@kernel
def bigram_keys(starts: IntArray, tokens: Tokens, words: int) -> IntArray:
    """The key of each word and the one before, with the symbol before and after each text."""
    edge = np.int64(words - 1)
    keys = np.empty(len(tokens) + len(starts) - 1, dtype=np.int64)
    made = 0
    for text in range(len(starts) - 1):
        before = edge
        for at in range(starts[text], starts[text + 1]):
            keys[made] = before * words + tokens[at]
            before = np.int64(tokens[at])
            made += 1
        keys[made] = before * words + edge
        made += 1
    return keys


@kernel
def probability(model: BigramLanguageModel, before: int, word: int) -> float:
    """P(word | word before)."""
    place = place_in_row(model.starts, model.words, before, word)
    share = float(model.shares[place]) if place >= 0 else 0.0
    return share + float(model.backoff[before]) * float(model.continuation[word])


@kernel
def following_logs(starts: IntArray, tokens: Tokens, model: BigramLanguageModel) -> FloatArray:
    """The log-probability of each list's tokens after its first one, and of its end; 0 for an empty list.

    Probabilities are multiplied before the logarithm is taken, as long as their product is a number.
    """
    edge = len(model.continuation) - 1
    logs = np.zeros(len(starts) - 1)
    for text in range(len(logs)):
        product = 1.0
        for at in range(starts[text], starts[text + 1]):
            after = int(tokens[at + 1]) if at + 1 < starts[text + 1] else edge
            product *= probability(model, int(tokens[at]), after) + _TINY
            if product < _SMALL:
                logs[text] += np.log(product)
                product = 1.0
        logs[text] += np.log(product)
    return logs


@kernel
def first_logs(starts: IntArray, tokens: Tokens, model: BigramLanguageModel, before: int) -> FloatArray:
    """The log-probability of each list's first token, or of the end of an empty list, after a word."""
    edge = len(model.continuation) - 1
    logs = np.zeros(len(starts) - 1)
    for text in range(len(logs)):
        first = int(tokens[starts[text]]) if starts[text] < starts[text + 1] else edge
        logs[text] = np.log(probability(model, before, first) + _TINY)
    return logs


@kernel
def mean_logs(starts: IntArray, tokens: Tokens, model: BigramLanguageModel) -> FloatArray:
    """The mean log-probability of each list's tokens and its end."""
    edge = len(model.continuation) - 1
    means = np.zeros(len(starts) - 1)
    for text in range(len(means)):
        before = edge
        for at in range(starts[text], starts[text + 1]):
            means[text] += np.log(probability(model, before, int(tokens[at])) + _TINY)
            before = int(tokens[at])
        means[text] += np.log(probability(model, before, edge) + _TINY)
        means[text] /= starts[text + 1] - starts[text] + 1
    return means
