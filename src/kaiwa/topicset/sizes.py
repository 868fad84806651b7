"""The number of topics, for one cell or for a whole table at once."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.f_distribution import critical_f, noncentrality_needed
from kaiwa.stats.solvers import crossing, merit_of, smallest_enough
from kaiwa.topicset.designed_tests import TESTS, power_of
from kaiwa.topicset.power.interval_width import expected_width

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray, IntArray

FEW_TOPICS = 400
"""The number of topics at which the effect of limited degrees of freedom is computed."""


def topics_needed(
    *,
    systems: FloatArray,
    min_diff: FloatArray,
    variance: FloatArray,
    alpha: float = 0.05,
    power: float = 0.8,
    test: str = "anova",
    method: str = "exact",
    range_ratio: float = 1.0,
) -> IntArray:
    """The smallest n whose power reaches the target, per cell of the broadcast arrays; ``LARGEST_N + 1``: none.

    ``variance`` is the test's own: V_E, V_E2 for shared topics, that of the differences for a paired t.

    >>> topics_needed(systems=np.array([2, 10]), min_diff=np.array(0.15), variance=np.array(0.0643)).tolist()
    [46, 91]
    """
    parts = np.broadcast_arrays(systems, min_diff, variance)
    m, minD, sigma2 = (part.astype(float).ravel() for part in parts)
    power_at = power_of(test, method, range_ratio=range_ratio)
    target = np.array(power)

    def merit(n: FloatArray, cells: IntArray) -> FloatArray:
        reached = power_at(n=n, systems=m[cells], min_diff=minD[cells], variance=sigma2[cells], alpha=np.array(alpha))
        return merit_of(reached, target)

    found = smallest_enough(merit, _guess(m, minD**2 / sigma2, alpha=alpha, power=power, test=test))
    if method == "sakai":
        found = _first_of_all(merit, found, alpha)
    return found.reshape(parts[0].shape)


def difference_found(
    *,
    n: FloatArray,
    systems: FloatArray,
    variance: FloatArray,
    alpha: float = 0.05,
    power: float = 0.8,
    test: str = "anova",
    method: str = "exact",
    range_ratio: float = 1.0,
) -> FloatArray:
    """The smallest difference that n topics find with the required power, per cell; nan if none is found.

    >>> difference_found(n=np.array([91]), systems=np.array(10), variance=np.array(0.0643)).round(4).tolist()
    [0.1494]
    """
    parts = np.broadcast_arrays(n, systems, variance)
    size, m, sigma2 = (part.astype(float).ravel() for part in parts)
    power_at, target = power_of(test, method, range_ratio=range_ratio), np.array(power)

    def merit(min_diff: FloatArray) -> FloatArray:
        reached = power_at(n=size, systems=m, min_diff=min_diff, variance=sigma2, alpha=np.array(alpha))
        return merit_of(reached, target)

    at_one = _guess(m, 1 / sigma2, alpha=alpha, power=power, test=test)
    return crossing(merit, np.sqrt(at_one / size)).reshape(parts[0].shape)


def topics_for_width(width: float, *, variance: float, alpha: float = 0.05) -> int:
    """The smallest n whose interval on a mean difference is expected to be no wider; ``variance`` of differences.

    >>> topics_for_width(0.1, variance=0.1)
    156
    """

    def merit(n: FloatArray, _cells: IntArray) -> FloatArray:
        return width / expected_width(n=n, variance=np.array(variance), alpha=np.array(alpha)) - 1.0

    z = NormalDist().inv_cdf(1 - alpha / 2)
    return int(smallest_enough(merit, np.array([(2 * z / width) ** 2 * variance + z]))[0])


def _first_of_all(merit: Callable[[FloatArray, IntArray], FloatArray], found: IntArray, alpha: float) -> IntArray:
    """The smallest n itself, if the published approximation is enough, then not, then enough again.

    It is not monotone until its radicand is positive, which it is at the latest for n - 1 > w.
    """
    latest = int(4 * critical_f(np.array([alpha]), np.ones(1), np.full(1, 8.0))[0]) + 2
    n = np.arange(2.0, latest + 1)
    enough = merit(np.tile(n, len(found)), np.repeat(np.arange(len(found)), len(n))).reshape(len(found), len(n)) >= 0
    early = np.where(enough.any(axis=1), n[np.argmax(enough, axis=1)], np.inf)
    return np.minimum(found, early).astype(np.int64)


def _guess(m: FloatArray, effect: FloatArray, *, alpha: float, power: float, test: str) -> FloatArray:
    """N with unlimited degrees of freedom for the error, plus the topics that the limited ones add.

    The noncentrality needed grows as 1 + k / phiE, and phiE as r n, so n grows by k / r: one k for each m.
    """
    kind = TESTS[test]
    df1 = np.ones_like(m) if kind.by_range else m - 1
    level = 2 * alpha / (m * (m - 1)) if kind.by_range else np.full_like(m, alpha)
    _, first, back = np.unique(m, return_index=True, return_inverse=True)
    rate = kind.error_df(m[first])
    few, plenty = FEW_TOPICS * rate, np.full(len(first), 1e12)
    needed = noncentrality_needed(
        np.tile(df1[first], 2), np.concatenate([plenty, few]), np.tile(level[first], 2), power
    ).reshape(2, -1)
    per_topic = effect / (1.0 if kind.error == "differences" else 2.0)
    more = FEW_TOPICS * (needed[1] / needed[0] - 1)
    guess: FloatArray = np.nan_to_num(needed[0][back] / per_topic + more[back], nan=2.0)
    return guess
