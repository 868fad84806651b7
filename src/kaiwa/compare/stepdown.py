"""The step-down version of a range test: a smaller correction for all but the largest difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import RangeTest, require_trials, shuffles
from kaiwa.compare.robust import least_p, topic_resamples
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import PRule, p_from_counts
from kaiwa.stats.ties import tie_tolerance
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kaiwa.compare.hsd import NullMeans
    from kaiwa.model.ids import FloatArray


@dataclass(frozen=True, eq=False)
class StepDown:
    """Step-down p-values, runs x runs, and the single-step test from the same trials."""

    p: FloatArray
    single_step: RangeTest


def step_down_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> StepDown:
    """Westfall & Young's step-down maxT over all pairs, on the trials of the randomised HSD (1993, algorithm 4.1).

    The kth largest difference is compared with the largest shuffled difference among the pairs from the
    kth on, and its p is never below that of a larger difference. The largest difference keeps its p.

    >>> result = step_down_hsd(np.array([[0.9, 0.5, 0.1]] * 8), trials=999, rng=np.random.default_rng(1))
    >>> result.p[0].round(3).tolist(), result.single_step.p_values()[0].round(3).tolist()
    ([1.0, 0.109, 0.001], [1.0, 0.151, 0.001])
    """
    return _stepped(by_topic, shuffles(by_topic, rng, workers, progress), trials, p_rule, 0.0)


def robust_step_down(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    clusters: NDArray[np.generic] | None = None,
) -> StepDown:
    """The same on the trials of the robust test, with topics, or clusters, resampled whole (Romano & Wolf 2005)."""
    null = topic_resamples(by_topic, rng, workers, progress, clusters)
    return _stepped(by_topic, null, trials, p_rule, least_p(by_topic, clusters))


def _stepped(by_topic: FloatArray, null: NullMeans, trials: int, p_rule: PRule, least: float) -> StepDown:
    runs = require_matrix(by_topic)[1]
    require_trials(trials)
    means = by_topic.mean(axis=0)
    first, second = np.triu_indices(runs, 1)
    order = np.argsort(np.abs(means[first] - means[second]), kind="stable")
    first, second = first[order], second[order]  # smallest difference first
    cuts = np.abs(means[first] - means[second]) - tie_tolerance(by_topic)
    counts = np.zeros(len(cuts))
    found = []
    for block in null(trials, 0):
        by_run = np.ascontiguousarray(block.T)
        largest = np.zeros(len(block))
        for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            np.maximum(largest, np.abs(by_run[a] - by_run[b]), out=largest)
            counts[pair] += np.count_nonzero(largest >= cuts[pair])
        found.append(largest)
    p_pairs = np.maximum.accumulate(np.maximum(p_from_counts(counts, trials, p_rule), least)[::-1])[::-1]
    p = np.ones((runs, runs))
    p[first, second] = p[second, first] = p_pairs
    return StepDown(p, RangeTest(means, np.sort(np.concatenate(found)), tie_tolerance(by_topic), p_rule, least))
