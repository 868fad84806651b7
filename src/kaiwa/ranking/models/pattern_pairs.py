"""Pattern pairs: which pattern of a comment answers which pattern of a post, by logistic regression.

In the family of ITNLP at NTCIR-12 STC. A pattern is one of the most frequent pairs of neighbouring words of posts or of
comments, the edges of a text included; one more pattern is that of every text. The regression has a weight for each
pair of a post's and a comment's pattern. It separates true pairs from posts with the comment of another pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ambient import no_progress
from kaiwa.ranking.models.bigram_language_model import bigram_keys
from kaiwa.ranking.texts import TokenLists
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, Tokens


PATTERNS = 2000
MOST_PAIRS = 200_000
EPOCHS = 3
RATE = 0.1
PENALTY = 1e-4
_SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)  # odd; its products spread neighbouring keys (Knuth 1973)


class PatternPairs(NamedTuple):
    """The keys of the patterns of posts and of comments, ascending, and the weights ("post x comment patterns").

    Pattern 0 is that of every text; pattern n has the key n - 1.
    """

    posts: IntArray
    comments: IntArray
    weights: NDArray[np.float32]


def trained_pattern_pairs(
    corpus: Corpus, *, seed: int, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, trained on pairs of a corpus."""
    rng = np.random.default_rng(seed)
    words, pairs = len(corpus.words), corpus.bitext
    chosen = rng.permutation(len(pairs.source_of))[:MOST_PAIRS]
    texts = (
        corpus.posts.of(pairs.source_of[chosen].astype(np.int64)),
        corpus.comments.of(pairs.target_of[chosen].astype(np.int64)),
    )
    keys = [frequent_keys(bigram_keys(*side, words + 1)) for side in texts]
    posts, comments = (patterns_of(side, own, words) for side, own in zip(texts, keys, strict=True))
    weights = np.zeros([len(own) + 1 for own in keys], dtype=np.float32)
    squares = np.full(weights.shape, 1e-2, dtype=np.float32)
    for epoch in range(EPOCHS):
        order, others = rng.permutation(len(chosen)), rng.permutation(len(chosen))
        learn_pairs(*posts, *comments, order, others, weights, squares, RATE, PENALTY)
        progress(epoch + 1, EPOCHS)
    return PatternPairs(keys[0], keys[1], weights)._asdict()


def opened_pattern_pairs(arrays: Mapping[str, Any]) -> PatternPairs:  # Any: arrays
    """The model, from its arrays."""
    return PatternPairs(*(arrays[part] for part in PatternPairs._fields))


def frequent_keys(keys: IntArray, *, most: int = PATTERNS) -> IntArray:
    """The most frequent keys, ascending; of equally frequent ones the lowest.

    >>> frequent_keys(np.array([7, 5, 7, 9, 5, 3]), most=3).tolist()
    [3, 5, 7]
    """
    found, counts = np.unique(keys, return_counts=True)
    return np.sort(found[np.argsort(-counts, kind="stable")[:most]])


def patterns_of(texts: TokenLists, keys: IntArray, words: int) -> TokenLists:
    """The patterns of each text, that of every text first."""
    found = bigram_keys(*texts, words + 1)
    places = np.minimum(np.searchsorted(keys, found), max(len(keys) - 1, 0))
    known = keys[places] == found if len(keys) else np.zeros(len(found), dtype=bool)
    text_of = np.repeat(np.arange(len(texts)), np.diff(texts.starts) + 1)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(text_of[known], minlength=len(texts)))))
    starts += np.arange(len(texts) + 1)
    patterns = np.zeros(starts[-1], dtype=np.int32)
    patterns[np.arange(known.sum()) + text_of[known] + 1] = places[known] + 1
    return TokenLists(starts, patterns)


def pair_odds(words: int, query: TokenLists, comments: TokenLists, model: PatternPairs) -> FloatArray:
    """The log-odds of one query and each comment.

    The weights of the query's patterns are added up first, so that a pattern of a comment costs one lookup.
    """
    asked = patterns_of(query, model.posts, words).tokens
    by_pattern = model.weights[asked].sum(axis=0, dtype=np.float64)
    return pattern_sums(*comments, words + 1, model.comments, by_pattern)


@kernel
def slot_of(key: int, keys: IntArray, slots: Tokens) -> int:
    """The slot of a key, or the free slot where it belongs; a slot has the place of its key, or -1."""
    last = len(slots) - 1
    slot = ((key * _SPREAD) >> 20) & last
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & last
    return slot


@kernel
def pattern_sums(starts: IntArray, tokens: Tokens, words: int, keys: IntArray, by_pattern: FloatArray) -> FloatArray:
    """The sum of the values of each text's patterns."""
    size = 16
    while size < 4 * len(keys):
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    for place in range(len(keys)):
        slots[slot_of(keys[place], keys, slots)] = place
    sums = np.full(len(starts) - 1, by_pattern[0])
    for text in range(len(sums)):
        before = np.int64(words - 1)
        for at in range(starts[text], starts[text + 1] + 1):
            word = np.int64(tokens[at]) if at < starts[text + 1] else np.int64(words - 1)
            place = slots[slot_of(int(before * words + word), keys, slots)]
            if place >= 0:
                sums[text] += by_pattern[place + 1]
            before = word
    return sums


@kernel
def pair_sum(posts: Tokens, comments: Tokens, weights: NDArray[np.float32]) -> float:
    """The sum of the weights of all pairs of two texts' patterns."""
    total = 0.0
    for one in posts:
        for other in comments:
            total += weights[one, other]
    return total


@kernel
def learn_pairs(
    post_starts: IntArray, posts: Tokens, comment_starts: IntArray, comments: Tokens, order: IntArray,
    others: IntArray, weights: NDArray[np.float32], squares: NDArray[np.float32], rate: float, penalty: float,
) -> None:  # fmt: skip
    """Change the weights by the slope of each pair, and of its post with the comment of another pair (Adagrad)."""
    for place in range(len(order)):
        own = posts[post_starts[order[place]] : post_starts[order[place] + 1]]
        for truth in range(1, -1, -1):
            number = order[place] if truth else others[place]
            texts = comments[comment_starts[number] : comment_starts[number + 1]]
            error = 1 / (1 + np.exp(-pair_sum(own, texts, weights))) - truth
            for one in own:
                for other in texts:
                    slope = error + penalty * weights[one, other]
                    squares[one, other] += slope * slope
                    weights[one, other] -= rate * slope / np.sqrt(squares[one, other])
