"""The compiled path of ``kaiwa.compare.shuffle``: the same bits, five to eight times faster than numpy's shuffles.

numba is loaded with this module, and this module only for large work. The machine code is kept on disk;
where no folder may be written it is compiled anew in each process, which costs about a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from kaiwa.compare.draws import FRACTION_BITS, GOLDEN, MASK, RETRY, Draws

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.compare.draws import WordArray
    from kaiwa.model import FloatArray

_SPARE = np.uint64(64 - FRACTION_BITS)
_BITS = np.uint64(FRACTION_BITS)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


def _kept_on_disk(function: Callable[..., Any]) -> Any:  # Any: numba's dispatcher has no types
    """The function compiled without the interpreter's lock, its machine code kept where that is possible."""
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no folder it may write to
        return njit(nogil=True)(function)


@njit(inline="always")
def _mixed(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@_kept_on_disk
def _fill(  # noqa: PLR0917  compiled functions take no keywords
    by_topic: FloatArray,
    key: np.uint64,
    first: np.uint64,
    per_word: int,
    products: WordArray,
    limits: WordArray,
    out: FloatArray,
) -> None:
    topics, runs = by_topic.shape
    row = np.empty(runs)
    last, step = np.uint64(runs - 1), np.uint64(per_word)  # unsigned places spare numba's check for negative ones
    for trial in range(out.shape[0]):
        state = _mixed(key + (first + np.uint64(trial) + _ONE) * GOLDEN)
        total = out[trial]
        for topic in range(topics):
            for run in range(runs):
                row[run] = by_topic[topic, run]
            top, word = last, _ZERO
            while top > _ZERO:
                bottom = top - step if top > step else _ZERO
                state += GOLDEN
                source = state
                fraction = _mixed(source) >> _SPARE
                while (fraction * products[word]) & MASK < limits[word]:
                    source += RETRY
                    fraction = _mixed(source) >> _SPARE
                while top > bottom:
                    scaled = fraction * (top + _ONE)
                    fraction = scaled & MASK
                    pick = scaled >> _BITS
                    score = row[pick]
                    row[pick] = row[top]
                    total[top] += score
                    top -= _ONE
                word += _ONE
            total[_ZERO] += row[_ZERO]


def sums_compiled(by_topic: FloatArray, key: int, first: int, trials: int, draws: Draws) -> FloatArray:
    """Shuffled column sums "trials x runs", as ``shuffle.sums_by_numpy`` gives them, bit for bit."""
    out = np.zeros((trials, by_topic.shape[1]))
    _fill(by_topic, np.uint64(key), np.uint64(first), draws.per_word, draws.products, draws.limits, out)
    return out
