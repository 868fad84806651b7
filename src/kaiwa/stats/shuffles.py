"""Run means after every topic's scores are shuffled among the runs: the null distribution of the randomised tests.

Trial t of a key is always the same shuffle: its random words are a SplitMix64 stream (Steele et al. 2014)
that starts at a hash of (key, t), and each word has a fixed position in that stream. So the bits do not depend
on the block size, on the workers, or on which of the two paths ran: numpy for small work, compiled
(``kaiwa.stats.shuffle_kernel``) if this saves more time than loading the compiler takes, or if it is loaded already.
Without numba, which comes with the extra ``search``, numpy does all the work.
"""

from __future__ import annotations

import sys
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, MissingExtra, counted
from kaiwa.stats.random_words import FRACTION_BITS, GOLDEN, MASK, MAX_RUNS, Draws, fractions, trial_states
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers, trial_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kaiwa.model.ids import FloatArray
    from kaiwa.stats.random_words import WordArray

COMPILED_FROM = 60_000_000
"""Cells (topics x runs x trials) from which the compiled path is faster, loading included; docs/decisions/020."""
COMPILED = "kaiwa.stats.shuffle_kernel"
BLOCK_CELLS = 250_000
_LOADING = Lock()
"""Without it, a thread may find the half-loaded module of another one whose import is about to fail."""


def shuffled_means(
    by_topic: FloatArray,
    *,
    trials: int,
    key: int,
    first: int = 0,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[FloatArray]:
    """The run means of each trial, in blocks "trials x runs", in trial order.

    >>> next(shuffled_means(np.array([[1.0, 0.0], [1.0, 0.0]]), trials=3, key=7)).tolist()
    [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """
    topics, runs = by_topic.shape
    if not 1 < runs < MAX_RUNS:
        raise InputError(f"{counted(runs, 'run')}; a comparison takes 2 to {MAX_RUNS - 1} runs")
    rows = np.ascontiguousarray(by_topic, dtype=np.float64)
    block = partial(_mean_block, by_topic=rows, key=key, draws=Draws.of(runs), cells=topics * runs * trials)
    size = max(1, BLOCK_CELLS // runs)
    return trial_blocks(block, trials=trials, size=size, first=first, workers=workers, progress=progress)


def _mean_block(first: int, trials: int, *, by_topic: FloatArray, key: int, draws: Draws, cells: int) -> FloatArray:
    means: FloatArray = _path(cells)(by_topic, key, first, trials, draws) / len(by_topic)
    return means


def _path(cells: int) -> Callable[[FloatArray, int, int, int, Draws], FloatArray]:
    if cells < COMPILED_FROM and COMPILED not in sys.modules:
        return sums_by_numpy
    try:
        with _LOADING:
            from kaiwa.stats.shuffle_kernel import sums_compiled
    except MissingExtra:  # the same bits without the compiler, more slowly
        return sums_by_numpy
    return sums_compiled


def sums_by_numpy(by_topic: FloatArray, key: int, first: int, trials: int, draws: Draws) -> FloatArray:
    """Shuffled column sums "trials x runs", one numpy step per place of a row, all trials at once."""
    topics, runs = by_topic.shape
    trial = np.arange(trials, dtype=np.uint64)
    state = trial_states(key, first, trials)
    total = np.zeros((runs, trials))
    row = np.empty((runs, trials))
    for topic in range(topics):
        row[:] = by_topic[topic][:, None]
        for word, top in enumerate(range(runs - 1, 0, -draws.per_word)):
            state += GOLDEN
            fraction = fractions(state, draws.products[word], draws.limits[word])
            _draw_places(row, total, fraction, trial, range(top, max(top - draws.per_word, 0), -1))
        total[0] += row[0]
    return np.ascontiguousarray(total.T)


def _draw_places(row: FloatArray, total: FloatArray, fraction: WordArray, trial: WordArray, places: range) -> None:
    """Add to each place's total the score drawn for it from the places not above it, and close the gap in the row.

    The arrays are changed in place, and every step writes to the same arrays: new ones would cost as much time
    as the arithmetic.
    """
    scores, trials = row.reshape(-1), np.uint64(len(trial))
    spot, drawn = np.empty_like(trial), np.empty(len(trial))
    for place in places:
        np.multiply(fraction, np.uint64(place + 1), out=fraction)
        np.right_shift(fraction, np.uint64(FRACTION_BITS), out=spot)
        np.bitwise_and(fraction, MASK, out=fraction)
        np.multiply(spot, trials, out=spot)
        np.add(spot, trial, out=spot)
        index = spot.view(np.int64)
        np.take(scores, index, out=drawn, mode="clip")  # never out of range; "raise" would copy its answer
        total[place] += drawn
        scores[index] = row[place]
