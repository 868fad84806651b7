"""The step-down version of the randomised HSD: a smaller correction for all but the largest difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import RandomisedHSD, require_trials, scale_tolerance
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import PRule, p_from_counts
from kaiwa.stats.shuffles import shuffle_key, shuffled_means

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray


@dataclass(frozen=True, eq=False)
class StepDown:
    """Step-down p-values, runs x runs, and the single-step test from the same trials."""

    p: FloatArray
    single_step: RandomisedHSD


def step_down_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> StepDown:
    """Westfall & Young's step-down maxT over all pairs, on the trials of the randomised HSD (1993, algorithm 4.1).

    The kth largest difference is compared with the largest shuffled difference among the pairs from the
    kth on, and its p is never below that of a larger difference. The largest difference keeps its p.

    >>> result = step_down_hsd(np.array([[0.9, 0.5, 0.1]] * 8), trials=999, rng=np.random.default_rng(1))
    >>> result.p[0].round(3).tolist(), result.single_step.p_values()[0].round(3).tolist()
    ([1.0, 0.109, 0.001], [1.0, 0.151, 0.001])
    """
    runs = require_matrix(by_topic)[1]
    require_trials(trials)
    means = by_topic.mean(axis=0)
    first, second = np.triu_indices(runs, 1)
    order = np.argsort(np.abs(means[first] - means[second]), kind="stable")
    first, second = first[order], second[order]  # smallest difference first
    cuts = np.abs(means[first] - means[second]) - scale_tolerance(by_topic)
    counts = np.zeros(len(cuts))
    ranges = []
    for block in shuffled_means(by_topic, trials=trials, key=shuffle_key(rng), threads=threads, progress=progress):
        by_run = np.ascontiguousarray(block.T)
        largest = np.zeros(len(block))
        for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            np.maximum(largest, np.abs(by_run[a] - by_run[b]), out=largest)
            counts[pair] += np.count_nonzero(largest >= cuts[pair])
        ranges.append(largest)
    p_pairs = np.maximum.accumulate(p_from_counts(counts, trials, p_rule)[::-1])[::-1]
    p = np.ones((runs, runs))
    p[first, second] = p[second, first] = p_pairs
    single = RandomisedHSD(means, np.sort(np.concatenate(ranges)), scale_tolerance(by_topic), p_rule)
    return StepDown(p, single)
