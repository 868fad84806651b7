"""Run means after whole topics are resampled: the null distribution that keeps variances and correlations of runs.

The mean of each run is removed, so what is left of a topic is one vector of residuals, one per run. A trial gives every
topic a weight and adds the weighted vectors. The runs keep together: two runs that fail on the same topics
stay correlated, and a run with a large variance keeps it. Shuffling among runs keeps neither.

Trial t of a key always has the same weights: they come from random words at fixed positions of a stream that starts
at a hash of (key, t). The residuals are rounded to multiples of a power of two, so every sum is exact. So the
bits depend neither on blocks nor on workers, and not on the order in which the matrix product adds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.stats.topic_draws import drawn_counts, drawn_pluses
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers, trial_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray

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
    block = partial(_mean_block, scheme=scheme, vectors=vectors, topics=len(by_topic), key=key)
    size = max(1, BLOCK_CELLS // max(vectors.shape))
    return trial_blocks(block, trials=trials, size=size, first=first, workers=workers, progress=progress)


def _mean_block(first: int, trials: int, *, scheme: Scheme, vectors: FloatArray, topics: int, key: int) -> FloatArray:
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
