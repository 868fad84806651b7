"""Run means after whole topics are resampled: the null distribution that keeps variances and correlations of runs.

The mean of each run is removed, so what is left of a topic is one vector of residuals, one per run. A trial gives every
topic a weight and adds the weighted vectors. The runs keep together: two runs that fail on the same topics
stay correlated, and a run with a large variance keeps it. Shuffling among runs keeps neither.

Trial t of a key always has the same weights: they come from random words at fixed positions of a stream that starts
at a hash of (key, t). The residuals are rounded to multiples of a power of two, so every sum is exact. So the
bits depend neither on blocks nor on workers, and not on the order in which the matrix product adds.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import numpy as np

from kaiwa.errors import InputError, MissingExtra, counted
from kaiwa.stats.random_words import (
    FRACTION_BITS,
    GOLDEN,
    MASK,
    MAX_RUNS,
    Draws,
    WordArray,
    fractions,
    trial_states,
    trial_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray


# Trials in blocks that fit in memory, computed by several workers and returned in trial order.


Result = TypeVar("Result")


class Workers(Protocol):
    """Where blocks of trials are computed: by threads here, by other processes, or on a cluster."""

    def results(self, block: Callable[[int, int], Result], spans: Sequence[tuple[int, int]]) -> Iterable[Result]:
        """``block(start, count)`` of each span, in order, computed not far ahead of their use.

        The block is a function of a module, or a ``partial`` of one: it may have to travel.
        """


@dataclass(frozen=True)
class Threads:
    """Threads of this process."""

    number: int = 1

    def results(self, block: Callable[[int, int], Result], spans: Sequence[tuple[int, int]]) -> Iterator[Result]:
        """``block(start, count)`` of each span, in order; no more of them are held than there are threads."""
        with ThreadPoolExecutor(self.number) as pool:
            for window in range(0, len(spans), self.number):
                yield from pool.map(lambda span: block(*span), spans[window : window + self.number])


ONE_THREAD = Threads()


def trial_blocks(
    block: Callable[[int, int], Result],
    *,
    trials: int,
    size: int,
    first: int = 0,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Result]:
    """``block(start, count)`` for spans of at most ``size`` trials from ``first`` on, in order.

    >>> list(trial_blocks(lambda start, count: list(range(start, start + count)), trials=5, size=2))
    [[0, 1], [2, 3], [4]]
    """
    end = first + trials
    spans = [(start, min(size, end - start)) for start in range(first, end, size)]
    for (start, count), found in zip(spans, workers.results(block, spans), strict=True):
        if progress:
            progress(start + count - first, trials)
        yield found


# Topics drawn with replacement and random signs of topics, by key and trial.


WORD_BITS = 64
HALF_BITS = 32


def trial_key(rng: np.random.Generator) -> int:
    """The key of the trials of one test, bootstrap or simulation, drawn from the caller's generator."""
    return int(rng.integers(1 << 63))


def block_generator(key: int, first: int) -> np.random.Generator:
    """The generator of the block of trials that starts at ``first``: for draws that need one.

    The blocks must have the same sizes whoever computes them.

    >>> bool(block_generator(7, 500).random() == block_generator(7, 500).random())
    True
    """
    return np.random.default_rng([key, first])


def drawn_places(key: int, first: int, trials: int, topics: int) -> IntArray:
    """Which topics each trial draws with replacement, as many as there are, "trials x topics".

    Two draws come from each random word. A topic's chance is 1 in n up to n in 2^32.

    >>> bool((drawn_places(7, 2, 1, 3)[0] == drawn_places(7, 0, 5, 3)[2]).all())
    True
    """
    words = trial_words(key, first, trials, -(-topics // 2))
    halves = np.stack((words >> np.uint64(HALF_BITS), words & np.uint64((1 << HALF_BITS) - 1)), axis=2)
    picks = (halves.reshape(trials, -1)[:, :topics] * np.uint64(topics)) >> np.uint64(HALF_BITS)
    return picks.astype(np.int64)


def drawn_counts(key: int, first: int, trials: int, topics: int) -> FloatArray:
    """How often each trial draws each topic, "trials x topics".

    >>> drawn_counts(7, 0, 2, 4).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    places = drawn_places(key, first, trials, topics) + topics * np.arange(trials)[:, None]
    counts = np.bincount(places.ravel(), minlength=trials * topics).reshape(trials, topics)
    return counts.astype(np.float64)


def drawn_pluses(key: int, first: int, trials: int, topics: int) -> FloatArray:
    """1 for a topic with a plus and 0 for one with a minus, with equal chances, "trials x topics".

    >>> set(drawn_pluses(7, 0, 2, 4).ravel().tolist())
    {0.0, 1.0}
    """
    words = trial_words(key, first, trials, -(-topics // WORD_BITS))
    octets = words.astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=topics, bitorder="little").astype(np.float64)


Scheme = Literal["wild", "bootstrap"]
BLOCK_CELLS = 1_000_000
"""Weights or means held at once by each thread: 8 MB."""
EXACT_BITS = 52


def resampled_means(
    by_topic: FloatArray,
    *,
    trials: int,
    key: int,
    scheme: Scheme = "wild",
    clusters: NDArray[np.generic] | None = None,
    first: int = 0,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[FloatArray]:
    """The centred run means of each trial, in blocks "trials x runs", in trial order; their expectation is 0.

    ``by_topic`` is topics x runs. The matrices of several measures, side by side, share the weights of the topics.
    ``wild`` gives each topic the weight 1 or -1 with equal chances (Liu 1988); ``bootstrap`` gives it the number of
    times it is drawn with replacement. Topics with the same label in ``clusters`` have the same weight.

    >>> block = next(resampled_means(np.array([[3.0, 1.0], [1.0, 1.0]]), trials=4, key=7))
    >>> np.abs(block).round(6).tolist()
    [[1.414214, 0.0], [0.0, 0.0], [1.414214, 0.0], [0.0, 0.0]]
    """
    vectors = exact_multiples(residual_vectors(by_topic, clusters))
    block = partial(_topic_resampling_mean_block, scheme=scheme, vectors=vectors, topics=len(by_topic), key=key)
    size = max(1, BLOCK_CELLS // max(vectors.shape))
    return trial_blocks(block, trials=trials, size=size, first=first, workers=workers, progress=progress)


def _topic_resampling_mean_block(
    first: int, trials: int, *, scheme: Scheme, vectors: FloatArray, topics: int, key: int
) -> FloatArray:
    return _SUMS[scheme](vectors, key, first, trials) / topics


def residual_vectors(by_topic: FloatArray, clusters: NDArray[np.generic] | None = None) -> FloatArray:
    """What is resampled, topics x runs (or clusters x runs): scores minus run means, times sqrt(n / (n - 1)).

    The factor makes the variance of the resampled means the unbiased one, s^2 / n. Vectors of a cluster are added,
    and n is then the number of clusters.

    >>> residual_vectors(np.array([[3.0, 1.0], [1.0, 1.0]])).round(6).tolist()
    [[1.414214, 0.0], [-1.414214, 0.0]]
    """
    centred = by_topic - by_topic.mean(axis=0)
    if clusters is not None:
        names, place = np.unique(clusters, return_inverse=True)
        added = np.zeros((len(names), centred.shape[1]))
        np.add.at(added, place, centred)
        centred = added
    vectors: FloatArray = centred * np.sqrt(len(centred) / max(len(centred) - 1, 1))
    return vectors


def exact_multiples(vectors: FloatArray) -> FloatArray:
    """The vectors rounded, column by column, to multiples of the power of two at which no weighted sum is rounded.

    >>> exact_multiples(np.array([[1 / 3], [2 / 3]])).sum().item() == 1.0
    True
    """
    largest = 4 * len(vectors) * np.abs(vectors).max(axis=0)
    exponent = EXACT_BITS - np.frexp(largest)[1]
    exact: FloatArray = np.ldexp(np.rint(np.ldexp(vectors, exponent)), -exponent)
    return exact


def _sign_sums(vectors: FloatArray, key: int, first: int, trials: int) -> FloatArray:
    """Sums with signs, "trials x runs": twice the sum of the vectors with a plus, minus the sum of all."""
    sums: FloatArray = 2 * (drawn_pluses(key, first, trials, len(vectors)) @ vectors) - vectors.sum(axis=0)
    return sums


def _count_sums(vectors: FloatArray, key: int, first: int, trials: int) -> FloatArray:
    """Sums of topics drawn with replacement, "trials x runs"."""
    sums: FloatArray = drawn_counts(key, first, trials, len(vectors)) @ vectors
    return sums


_SUMS: dict[Scheme, Callable[[FloatArray, int, int, int], FloatArray]] = {"wild": _sign_sums, "bootstrap": _count_sums}


# The topic bootstrap: how often each topic is drawn, in blocks that fit in memory, and percentile limits.


DRAW_CELLS = 2_000_000
"""Topic weights held at once: 16 MB."""


def topic_weights(rng: np.random.Generator, draws: int, topics: int) -> Iterator[FloatArray]:
    """How often each topic is drawn with replacement, as many times as there are topics, in blocks "draws x topics".

    >>> [block.sum(axis=1).tolist() for block in topic_weights(np.random.default_rng(1), 2, 4)]
    [[4.0, 4.0]]
    """
    key, first = trial_key(rng), 0
    for size in blocks(draws, topics):
        yield drawn_counts(key, first, size, topics)
        first += size


def topic_counts(rng: np.random.Generator, draws: int, topics: int, *, size: int) -> IntArray:
    """How often each topic is drawn when ``size`` are drawn with replacement, "draws x topics", all at once.

    >>> topic_counts(np.random.default_rng(1), 2, 4, size=9).sum(axis=1).tolist()
    [9, 9]
    """
    return rng.multinomial(size, np.full(topics, 1.0 / topics), size=draws)


def percentile_limits(resampled: FloatArray, confidence: float) -> tuple[float, float]:
    """The percentiles between which the middle ``confidence`` of the resampled values lie.

    >>> percentile_limits(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def blocks(trials: int, topics: int) -> Iterator[int]:
    """Block sizes that sum to the trials; each block of trials x topics fits in memory.

    >>> list(blocks(2_500, 2_000))
    [1000, 1000, 500]
    """
    size = block_size(topics)
    for start in range(0, trials, size):
        yield min(size, trials - start)


def block_size(topics: int) -> int:
    """How many trials of so many topics fit in memory as one block.

    >>> block_size(2_000)
    1000
    """
    return max(1, DRAW_CELLS // topics)


# Run means after every topic's scores are shuffled among the runs: the null distribution of the randomised tests.


COMPILED_FROM = 60_000_000
"""Cells (topics x runs x trials) from which the compiled path is faster, loading included; docs/decisions/tests.md."""
SHUFFLE_CELLS = 250_000
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
    block = partial(_shuffles_mean_block, by_topic=rows, key=key, draws=Draws.of(runs), cells=topics * runs * trials)
    size = max(1, SHUFFLE_CELLS // runs)
    return trial_blocks(block, trials=trials, size=size, first=first, workers=workers, progress=progress)


def _shuffles_mean_block(
    first: int, trials: int, *, by_topic: FloatArray, key: int, draws: Draws, cells: int
) -> FloatArray:
    means: FloatArray = _path(cells)(by_topic, key, first, trials, draws) / len(by_topic)
    return means


def _path(cells: int) -> Callable[[FloatArray, int, int, int, Draws], FloatArray]:
    is_loaded = _compiled_path.cache_info().currsize > 0
    if cells < COMPILED_FROM and not is_loaded:
        return sums_by_numpy
    try:
        with _LOADING:
            return _compiled_path()
    except MissingExtra:  # the same bits without the compiler, more slowly
        return sums_by_numpy


@cache
def _compiled_path() -> Callable[[FloatArray, int, int, int, Draws], FloatArray]:
    from kaiwa.stats.shuffle_kernel import sums_compiled  # loads numba

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
