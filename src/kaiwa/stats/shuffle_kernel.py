"""The compiled path of ``kaiwa.stats.resampling``: the same bits, five to eight times faster than numpy's shuffles.

numba is loaded with this module, and this module only for large work. The machine code is cached on disk;
if no folder is writable, it is compiled in each process, which takes about a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.compiled import kernel
from kaiwa.stats.random_words import FRACTION_BITS, GOLDEN, MASK, RETRY, Draws, mixed

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.stats.random_words import WordArray


_SPARE = np.uint64(64 - FRACTION_BITS)
_BITS = np.uint64(FRACTION_BITS)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


_mixed = kernel(mixed)


@kernel
def _fraction(source: np.uint64, product: np.uint64, limit: np.uint64) -> np.uint64:
    """The 48-bit fraction of a word, drawn again if the draws from it would not be equally likely."""
    fraction = _mixed(source) >> _SPARE
    while (fraction * product) & MASK < limit:
        source += RETRY
        fraction = _mixed(source) >> _SPARE
    return fraction


@kernel
def _fill(  # noqa: PLR0917  compiled functions take no keywords
    by_topic: FloatArray,
    key: np.uint64,
    first: np.uint64,
    per_word: int,
    products: WordArray,
    limits: WordArray,
    out: FloatArray,
) -> None:
    """Two topics at a time: each draw waits for the one before it, so two chains of draws take the time of one."""
    topics, runs = by_topic.shape
    one, two = np.empty(runs), np.zeros(runs)
    last, step = np.uint64(runs - 1), np.uint64(per_word)  # unsigned: numba does not check for negative indices
    words = np.uint64(len(products)) * GOLDEN
    for trial in range(out.shape[0]):
        state = _mixed(key + (first + np.uint64(trial) + _ONE) * GOLDEN)
        total = out[trial]
        for topic in range(0, topics, 2):
            for run in range(runs):
                one[run] = by_topic[topic, run]
                two[run] = by_topic[topic + 1, run] if topic + 1 < topics else 0.0
            later = state + words
            top, word = last, _ZERO
            while top > _ZERO:
                bottom = top - step if top > step else _ZERO
                state += GOLDEN
                later += GOLDEN
                left = _fraction(state, products[word], limits[word])
                right = _fraction(later, products[word], limits[word])
                while top > bottom:
                    scaled, scaled_too = left * (top + _ONE), right * (top + _ONE)
                    left, right = scaled & MASK, scaled_too & MASK
                    pick, pick_too = scaled >> _BITS, scaled_too >> _BITS
                    score, score_too = one[pick], two[pick_too]
                    one[pick], two[pick_too] = one[top], two[top]
                    total[top] = total[top] + score + score_too  # in the order of the topics, for the same bits
                    top -= _ONE
                word += _ONE
            total[_ZERO] = total[_ZERO] + one[_ZERO] + two[_ZERO]
            state = later


def sums_compiled(by_topic: FloatArray, key: int, first: int, trials: int, draws: Draws) -> FloatArray:
    """Shuffled column sums "trials x runs", as ``shuffles.sums_by_numpy`` gives them, bit for bit."""
    out = np.zeros((trials, by_topic.shape[1]))
    _fill(by_topic, np.uint64(key), np.uint64(first), draws.per_word, draws.products, draws.limits, out)
    return out
