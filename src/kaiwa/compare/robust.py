"""The all-pairs test that keeps variances and correlations of the runs, and the error of other tests on such runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import RangeTest, range_test, ranges
from kaiwa.stats.ties import tie_tolerance
from kaiwa.stats.topic_draws import trial_key
from kaiwa.stats.topic_resampling import resampled_means, residual_vectors
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from kaiwa.compare.hsd import NullMeans
    from kaiwa.model.ids import FloatArray
    from kaiwa.stats.p_values import PRule

ESTIMATE_TRIALS = 5_000
_LEAST_SHARE = 1e-24


def robust_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    clusters: NDArray[np.generic] | None = None,
) -> RangeTest:
    """The studentised range test of all pairs of runs of a topics x runs matrix, with topics resampled whole.

    The mean of each run is removed. Each trial flips the signs of whole topics at random, and records the range of
    the run means over their residual standard deviation. Runs need not have equal variances, and runs of one team may
    be alike. Topics with the same label in ``clusters`` may depend on each other: they change their signs together.

    >>> rng = np.random.default_rng(1)
    >>> scores = rng.random((40, 1)) + [0.0, 0.1, 0.5] + rng.normal(0, [0.1, 0.1, 0.4], (40, 3))
    >>> robust_hsd(scores, trials=999, rng=rng).p_values()[0].round(3).tolist()
    [1.0, 0.223, 0.001]
    """
    null = topic_resamples(by_topic, rng, workers, progress, clusters)
    return range_test(by_topic, null, trials=trials, p_rule=p_rule, least_p=least_p(by_topic, clusters))


def topic_resamples(
    by_topic: FloatArray,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    clusters: NDArray[np.generic] | None = None,
) -> NullMeans:
    """The studentised run means of given trials, in blocks; the signs of whole topics, or clusters, are flipped."""
    flipped = partial(
        resampled_means, by_topic, key=trial_key(rng), clusters=clusters, workers=workers, progress=progress
    )
    vectors = residual_vectors(by_topic, clusters)
    squares, sums = interaction_squares(vectors), len(by_topic) / len(vectors)

    def null(trials: int, first: int) -> Iterable[FloatArray]:
        for means in flipped(trials=trials, first=first):
            yield studentised(means * sums, squares, len(vectors)) / sums

    return null


def studentised(means: FloatArray, squares: float, topics: int) -> FloatArray:
    """The flipped run means, "trials x runs", times the residual standard deviation of the data over that of the trial.

    Flipping the signs of topics keeps their sum of squares, so the trial's residual sum is ``squares`` less that of
    its means.

    >>> studentised(np.array([[0.1, -0.1], [0.0, 0.0]]), 0.5, 10).round(4).tolist()
    [[0.1225, -0.1225], [0.0, 0.0]]
    """
    if not squares:
        return means
    share = 1 - topics * ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1, keepdims=True) / squares
    factors: FloatArray = np.sqrt((1 - 1 / topics) / np.maximum(share, _LEAST_SHARE))
    return means * factors


def interaction_squares(vectors: FloatArray) -> float:
    """The sum of squares of vectors, topics x runs, without the mean of each topic."""
    return float(((vectors - vectors.mean(axis=1, keepdims=True)) ** 2).sum())


def least_p(by_topic: FloatArray, clusters: NDArray[np.generic] | None = None) -> float:
    """2^(1 - n): a test of n topics (or clusters) has no smaller p if each could as well have favoured the other run.

    Without this limit two or three topics with the same difference would be significant: nothing varies in them.

    >>> [least_p(np.zeros((topics, 2))) for topics in (2, 5, 6)]
    [0.5, 0.0625, 0.03125]
    """
    return float(2.0 ** (1 - (len(by_topic) if clusters is None else len(np.unique(clusters)))))


def familywise_error(
    by_topic: FloatArray, critical_difference: float, *, rng: np.random.Generator, workers: Workers = ONE_THREAD
) -> float:
    """The probability that any pair exceeds the critical difference if runs with these residuals do not differ.

    The share of sign flips of whole topics; on exchangeable runs it is the error itself on average (decision 074).

    >>> scores = np.random.default_rng(1).random((40, 3))
    >>> round(familywise_error(scores, 0.2, rng=np.random.default_rng(1)), 3)
    0.009
    """
    flips = resampled_means(by_topic, trials=ESTIMATE_TRIALS, key=trial_key(rng), workers=workers)
    return float((ranges(flips) > critical_difference + tie_tolerance(by_topic)).mean())
