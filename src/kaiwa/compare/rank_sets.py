"""Rank confidence sets: between which ranks each run lies, and which runs may be best (Mogstad et al. 2024).

The rank of a run is one plus the number of runs whose mean over all topics, not only those drawn, is better. The claim
that a run is better than another is made if their means differ by more than a critical difference. This is the
1 - alpha quantile of the largest resampled difference over the claims that may still be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.groups import best_first
from kaiwa.compare.hsd import RangeTest
from kaiwa.compare.robust import least_p, topic_resamples
from kaiwa.stats.ties import tie_tolerance
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

    Largest = Callable[[FloatArray], FloatArray]
    """The largest of some differences in each trial: "trials x runs" in, "trials" out."""

DEFAULT_TRIALS = 5_000


@dataclass(frozen=True, eq=False)
class RankSets:
    """Per run: the best and the worst rank that it may have, and whether it may be best."""

    low: IntArray
    high: IntArray
    may_be_best: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Ordered:
    """Run means, best first, and how they vary over topics: the trials are the same at every reading."""

    means: FloatArray
    resampled: Callable[[], Iterable[FloatArray]]
    alpha: float
    tolerance: float
    least_p: float

    def critical_difference(self, largest: Largest) -> float:
        """The difference above which a claim is made, from the null distribution of the largest difference."""
        drawn = np.sort(np.concatenate([largest(block) for block in self.resampled()]))
        test = RangeTest(self.means, drawn, self.tolerance, least_p=self.least_p)
        return test.critical_difference(self.alpha) + self.tolerance

    def below(self, limits: FloatArray) -> IntArray:
        """How many runs reach each limit: the place from which on every run is below it."""
        return np.searchsorted(-self.means, -limits, side="right")


def rank_sets(
    goodness: FloatArray,
    *,
    alpha: float = 0.05,
    trials: int = DEFAULT_TRIALS,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    clusters: NDArray[np.generic] | None = None,
) -> RankSets:
    """The rank confidence sets of the runs of a topics x runs matrix, whose higher scores are better.

    With probability 1 - alpha the sets of all runs contain their ranks. With probability 1 - alpha ``may_be_best``
    holds for every run than which no other is better. Topics with the same label in ``clusters`` may be dependent.

    >>> goodness = np.random.default_rng(1).normal([0.1, 0.9, 0.8], 0.2, (20, 3))
    >>> found = rank_sets(goodness, rng=np.random.default_rng(1))
    >>> found.low.tolist(), found.high.tolist(), found.may_be_best.tolist()
    ([3, 1, 1], [3, 2, 2], [False, True, True])
    """
    means = goodness.mean(axis=0)
    order = best_first(means)
    null = topic_resamples(goodness[:, order], rng, workers, clusters=clusters)
    tolerance, least = tie_tolerance(goodness), least_p(goodness, clusters)
    ordered = _Ordered(means[order], lambda: null(trials, 0), alpha, tolerance, least)
    best = np.empty(len(order), dtype=bool)
    best[order] = _may_be_best(ordered)
    return replace(sets_at(means, _all_claims(ordered)), may_be_best=best)


def sets_at(means: FloatArray, critical: float) -> RankSets:
    """The sets that follow from one critical difference of all pairs of means; of two the higher is the better one.

    >>> found = sets_at(np.array([0.1, 0.9, 0.8]), 0.3)
    >>> found.low.tolist(), found.high.tolist(), found.may_be_best.tolist()
    ([3, 1, 1], [3, 2, 2], [False, True, True])
    """
    ordered = -np.sort(-means)
    low = 1 + np.searchsorted(-ordered, -(means + critical), side="left")
    high = np.searchsorted(-ordered, -(means - critical), side="right")
    return RankSets(low, high, low == 1)


def _all_claims(ordered: _Ordered) -> float:
    """The critical difference of the claims "k is better than j" of all ordered pairs, after the last step.

    A step leaves out the claims that the step before made, for if they are right, they cannot be wrong. The claim that
    k is better stays open against the runs from the best to the last that k does not surely beat, so the largest open
    difference of k is its mean minus the least mean of these (Mogstad et al. 2024, section 3.2; Romano & Wolf 2005).
    """
    runs = len(ordered.means)
    last = np.full(runs, runs - 1)
    while True:
        critical = ordered.critical_difference(_largest_open(last))
        narrowed = ordered.below(ordered.means - critical) - 1
        if (narrowed >= last).all():
            return critical
        last = np.minimum(narrowed, last)


def _largest_open(last: IntArray) -> Largest:
    def largest(block: FloatArray) -> FloatArray:
        least = np.minimum.accumulate(block, axis=1)
        found: FloatArray = (block - least[:, last]).max(axis=1)
        return found

    return largest


def _may_be_best(ordered: _Ordered) -> NDArray[np.bool_]:
    """Which runs no other surely beats; a step leaves out the claims about runs that are surely not best.

    These are fewer claims than those of all pairs, so the critical difference is smaller.
    """
    left = len(ordered.means)
    while True:
        critical = ordered.critical_difference(_largest_lead(left))
        narrowed = int(ordered.below(ordered.means[:1] - critical)[0])
        if narrowed >= left:
            return np.arange(len(ordered.means)) < left
        left = narrowed


def _largest_lead(left: int) -> Largest:
    def largest(block: FloatArray) -> FloatArray:
        found: FloatArray = block.max(axis=1) - block[:, :left].min(axis=1)
        return found

    return largest
