"""The number of topics, for one cell or for a whole table at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, isnan
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import DesignError
from kaiwa.stats.anova import critical_f, noncentrality_needed
from kaiwa.stats.solvers import LARGEST_N, crossing, largest_enough, merit_of, smallest_enough
from kaiwa.topicset.power_functions import expected_width
from kaiwa.topicset.requirement import INTERVAL, MOST_SYSTEMS, Requirement, completed
from kaiwa.topicset.tests import ONE_WAY, TESTS, expected, power_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.topicset.tests import PowerOf


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
    df: float | None = None,
) -> IntArray:
    """The smallest n whose power reaches the target, per cell of the broadcast arrays; ``LARGEST_N + 1``: none.

    ``variance`` is the test's own: V_E, V_E2 for shared topics, that of the differences for a paired t. With ``df``
    it is an estimate, and the power is averaged over its true values.

    >>> topics_needed(systems=np.array([2, 10]), min_diff=np.array(0.15), variance=np.array(0.0643)).tolist()
    [46, 91]
    """
    parts = np.broadcast_arrays(systems, min_diff, variance)
    m, minD, sigma2 = (part.astype(float).ravel() for part in parts)
    power_at = power_of(test, method, range_ratio=range_ratio, df=df)
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
    df: float | None = None,
) -> FloatArray:
    """The smallest difference that n topics find with the required power, per cell; nan if none is found.

    >>> difference_found(n=np.array([91]), systems=np.array(10), variance=np.array(0.0643)).round(4).tolist()
    [0.1494]
    """
    parts = np.broadcast_arrays(n, systems, variance)
    size, m, sigma2 = (part.astype(float).ravel() for part in parts)
    power_at, target = power_of(test, method, range_ratio=range_ratio, df=df), np.array(power)

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


# The table of the papers: the number of topics for every number of systems and every difference.


GRID_SYSTEMS = (2, 5, 10, 50, 100)
GRID_DIFFERENCES = (0.05, 0.1, 0.15, 0.2)


@dataclass(frozen=True)
class SizeTable:
    """``sizes`` is differences x systems; None if a size is too large. ``asked`` is what all cells have in common."""

    asked: Requirement
    systems: tuple[int, ...]
    min_diffs: tuple[float, ...]
    sizes: tuple[tuple[int | None, ...], ...]


def size_table(
    asked: Requirement,
    *,
    systems: Sequence[int] = GRID_SYSTEMS,
    min_diffs: Sequence[float] = GRID_DIFFERENCES,
    ratio_of: Callable[[int], float] = lambda _systems: 1.0,
) -> SizeTable:
    """The sizes for every number of systems and every difference, one row per difference as in the papers.

    ``ratio_of`` is the range ratio of so many runs of a pilot, for the robust test.

    >>> size_table(Requirement(0.0643), systems=(2, 10), min_diffs=(0.15,)).sizes
    ((46, 91),)
    """
    cells = [completed(replace(asked, systems=m, min_diff=d)) for m in systems for d in min_diffs]
    one = cells[0]
    columns = [_column(one, m, min_diffs, ratio_of(m)) for m in systems]
    sizes = tuple(tuple(n if n <= LARGEST_N else None for n in row) for row in zip(*columns, strict=True))
    return SizeTable(one, tuple(systems), tuple(min_diffs), sizes)


def _column(one: Requirement, systems: int, min_diffs: Sequence[float], range_ratio: float) -> list[int]:
    """The sizes for one number of systems."""
    sizes: list[int] = topics_needed(
        systems=np.array(systems),
        min_diff=np.array(min_diffs),
        variance=np.array(one.error_variance),
        alpha=one.alpha or 0.05,
        power=one.power or 0.8,
        test=one.test,
        method=one.method,
        range_ratio=range_ratio,
        df=one.df,
    ).tolist()
    return sizes


# The one quantity that is missing in a requirement.


LEAST_LOGIT = 34.0
"""The smallest alpha tried is exp(-34), about 2e-15."""
FEW_SYSTEMS = 30
"""With few topics, power first grows with the number of systems, which add degrees of freedom for the error."""


def found(asked: Requirement) -> Requirement:
    """The requirement with its missing quantity filled in."""
    value = _FINDERS[asked.unknown](asked)
    return replace(asked, **{asked.unknown: value})  # type: ignore[arg-type]  # each finder returns its quantity's type


def power_at(known: Requirement) -> float:
    """The power (for an interval: 0.5 times required over expected width) of a complete requirement."""
    if known.test == INTERVAL:
        return 0.5 * (known.min_diff or 0.0) / width_of(known)
    return _power_by(power_of(known.test, known.method, range_ratio=known.range_ratio, df=known.df), known)


def midway_power_at(known: Requirement) -> float | None:
    """The power if the other systems' means lie midway; None if it does not depend on them, or that is assumed."""
    midway = known.kind.midway
    return None if midway is None else _power_by(expected(midway, known.df), known)


def _power_by(power: PowerOf, known: Requirement) -> float:
    value = power(
        n=np.array(known.n),
        systems=np.array(known.systems),
        min_diff=np.array(known.min_diff),
        variance=np.array(known.error_variance),
        alpha=np.array(known.alpha),
    )
    return float(value)


def smallest_n(asked: Requirement) -> int:
    """The smallest number of topics that meets the requirement; an error if it exceeds ``LARGEST_N``."""
    n = n_or_too_many(asked)
    if n > LARGEST_N:
        nearest = smallest_difference(replace(asked, n=LARGEST_N, min_diff=None))
        what = "the narrowest interval they give" if asked.test == INTERVAL else "the smallest difference they find"
        raise DesignError(f"no topic set of up to {LARGEST_N:,} topics is enough; {what} is {nearest:.3g}")
    return n


def n_or_too_many(asked: Requirement) -> int:
    """The smallest number of topics, or one more than the largest allowed."""
    alpha, minD = asked.alpha or 0.05, asked.min_diff or 0.0
    if asked.test == INTERVAL:
        return topics_for_width(minD, variance=asked.error_variance, alpha=alpha)
    cell = topics_needed(
        systems=np.array([asked.systems]),
        min_diff=np.array([minD]),
        variance=np.array([asked.error_variance]),
        alpha=alpha,
        power=asked.power or 0.8,
        test=asked.test,
        method=asked.method,
        range_ratio=asked.range_ratio,
        df=asked.df,
    )
    return int(cell[0])


def smallest_difference(asked: Requirement) -> float:
    """The smallest difference that n topics find with the required power (for an interval: its expected width)."""
    if asked.test == INTERVAL:
        return width_of(replace(asked, min_diff=asked.scale))
    return float(differences_at(asked, [int(asked.n or 2)])[0])


def differences_at(asked: Requirement, sizes: list[int]) -> FloatArray:
    """The smallest difference found at each number of topics; nan if none is."""
    return difference_found(
        n=np.array(sizes),
        systems=np.array(asked.systems),
        variance=np.array(asked.error_variance),
        alpha=asked.alpha or 0.05,
        power=asked.power or 0.8,
        test=asked.test,
        method=asked.method,
        range_ratio=asked.range_ratio,
        df=asked.df,
    )


def _min_diff(asked: Requirement) -> float:
    found = smallest_difference(asked)
    if isnan(found) or found > asked.scale:
        enough = n_or_too_many(replace(asked, n=None, min_diff=asked.scale))
        raise DesignError(
            f"{asked.n} topics cannot find any difference on a scale of {asked.scale:g} with that power; "
            f"the fewest that find the largest one are {enough:,}"
        )
    return found


def _power(asked: Requirement) -> float:
    return power_at(asked)


def _systems(asked: Requirement) -> int:
    def enough(m: int) -> bool:
        return power_at(replace(asked, systems=m)) >= (asked.power or 0.8)

    most = next((m for m in range(2, FEW_SYSTEMS) if enough(m)), None)
    if most is None:
        least = n_or_too_many(replace(asked, n=None, systems=2))
        raise DesignError(f"{asked.n} topics are too few even for 2 systems; the fewest for 2 are {least:,}")
    while most < MOST_SYSTEMS and enough(min(most * 4, MOST_SYSTEMS)):
        most = min(most * 4, MOST_SYSTEMS)
    return most if most == MOST_SYSTEMS else largest_enough(enough, most, min(most * 4, MOST_SYSTEMS))


def _alpha(asked: Requirement) -> float:
    def level(place: float) -> float:
        return 1 / (1 + exp(LEAST_LOGIT - min(place, 2 * LEAST_LOGIT)))

    def merit(place: FloatArray) -> FloatArray:
        power = power_at(replace(asked, alpha=level(float(place[0]))))
        return merit_of(np.array([power]), np.array(asked.power or 0.8))

    if merit(np.zeros(1))[0] >= 0:
        return level(0.0)
    return level(float(crossing(merit, np.full(1, LEAST_LOGIT - 3.0))[0]))


_FINDERS = {"n": smallest_n, "min_diff": _min_diff, "power": _power, "systems": _systems, "alpha": _alpha}


def width_of(known: Requirement) -> float:
    """The expected width of the interval on a difference."""
    width = expected_width(
        n=np.array(float(known.n or 2)), variance=np.array(known.error_variance), alpha=np.array(known.alpha)
    )
    return float(width)


# The answer to a requirement: the quantity that was missing, its power, and alternatives.


NEARBY = (0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0)


@dataclass(frozen=True)
class Alternative:
    """Another number of topics: its power at the same difference, its difference at the same power."""

    n: int
    power: float | None
    min_diff: float | None


@dataclass(frozen=True)
class Answer:
    """A solved requirement: ``n`` topics give ``power`` to find ``min_diff`` among ``systems`` at ``alpha``.

    ``asked`` is the requirement as given, ``known`` the same with the missing quantity. If the variance was estimated
    from a pilot, ``power`` is averaged over what the pilot leaves uncertain about it, and ``n`` is the assured number
    of topics; ``plug_in_n`` takes the estimate for the truth. Costly properties are computed on first access.

    >>> answer_to(variance=0.0643, systems=10, min_diff=0.15)
    Answer(n=91, min_diff=0.15, systems=10, alpha=0.05, test='anova', method='exact')
    """

    asked: Requirement
    known: Requirement

    def __repr__(self) -> str:
        found = f"n={self.n}, min_diff={self.min_diff:.4g}, systems={self.systems}, alpha={self.alpha:.4g}"
        return f"{type(self).__name__}({found}, test={self.test!r}, method={self.method!r})"

    @property
    def n(self) -> int:
        """The number of topics."""
        return int(self.known.n or 0)

    @property
    def min_diff(self) -> float:
        """The difference between best and worst; for an interval its required width."""
        return float(self.known.min_diff or 0.0)

    @property
    def systems(self) -> int:
        """The number of systems."""
        return int(self.known.systems or 2)

    @property
    def alpha(self) -> float:
        """The level of the test."""
        return float(self.known.alpha or 0.05)

    @property
    def test(self) -> str:
        """The test designed for."""
        return self.asked.test

    @property
    def method(self) -> str:
        """How the power was computed."""
        return self.asked.method

    @property
    def variance(self) -> float:
        """The score variance designed from."""
        return self.asked.variance

    @property
    def df(self) -> float | None:
        """The degrees of freedom of an estimated variance; None if it is taken as known."""
        return self.asked.df

    @property
    def error_variance(self) -> float:
        """The variance that the test divides by."""
        return self.asked.error_variance

    @property
    def range_ratio(self) -> float:
        """The critical range of the robust test over that of runs that vary alike."""
        return self.asked.range_ratio

    @property
    def solved(self) -> str:
        """The quantity that was missing."""
        return self.asked.unknown

    @property
    def assured_n(self) -> int | None:
        """The number of topics whose power reaches the target on average over the true variances behind a pilot.

        It is ``n``; None if the variance is taken as known, or if the number of topics was given.
        """
        return self.n if self.asked.df is not None and self.solved == "n" else None

    @cached_property
    def plug_in_n(self) -> int | None:
        """The number of topics if the variance were known to be as estimated; None if the number was given."""
        if self.solved != "n":
            return None
        return self.n if self.asked.df is None else int(found(replace(self.asked, df=None)).n or 0)

    @cached_property
    def plug_in_power(self) -> float | None:
        """The power of ``plug_in_n``, averaged over what the pilot leaves uncertain; None if nothing is uncertain."""
        if self.asked.df is None or self.plug_in_n is None:
            return None
        return power_at(replace(self.known, n=self.plug_in_n))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer takes for granted, a line each: a test that was not named."""
        return self.asked.notes

    @cached_property
    def power(self) -> float | None:
        """The power by the method of the design; an interval has none."""
        return None if self.test == INTERVAL else power_at(self.known)

    @cached_property
    def exact_power(self) -> float | None:
        """The power by exact theory."""
        return None if self.test == INTERVAL else power_at(replace(self.known, method="exact"))

    @cached_property
    def midway_power(self) -> float | None:
        """The power if the other systems' means lie midway, for a test that then finds the difference more often."""
        return None if self.test == INTERVAL else midway_power_at(self.known)

    @cached_property
    def exact_n(self) -> int | None:
        """The number of topics that exact theory requires, if the variance is as given or estimated."""
        return _n_for(self._promised, "exact")

    @cached_property
    def published_n(self) -> int | None:
        """The number of topics that the published approximation requires, if there is one."""
        return _n_for(self._promised, "sakai") if self.test == "anova" else None

    @cached_property
    def width(self) -> float | None:
        """The expected width of the interval; a test has none."""
        return width_of(self.known) if self.test == INTERVAL else None

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Other numbers of topics around the answer, fewest first."""
        return tuple(_alternatives(self._promised))

    @property
    def _promised(self) -> Requirement:
        return replace(self.known, power=self.asked.power or 0.8)


def answer_to(
    *,
    variance: float,
    systems: int | None = None,
    min_diff: float | None = None,
    n: int | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str | None = None,
    method: str = "exact",
    correlation: float = 0.0,
    scale: float = 1.0,
    solve: str | None = None,
    df: float | None = None,
) -> Answer:
    """The topic set that meets a requirement: the one of n, min_diff, power, systems, alpha that is left out is found.

    Without ``test`` it is the papers': one-way ANOVA. ``df`` are the degrees of freedom of an estimated variance.

    >>> answer_to(variance=0.0643, systems=10, min_diff=0.15).n
    91
    >>> answer_to(variance=0.0643, systems=10, min_diff=0.15, method="sakai").n
    90
    """
    asked = Requirement(
        float(variance),
        n,
        power,
        min_diff,
        systems,
        alpha,
        test or ONE_WAY,
        method,
        float(correlation),
        float(scale),
        df=df,
        test_named=test is not None or method != "exact",
    )
    return answered(completed(asked, solve=solve))


def answered(asked: Requirement) -> Answer:
    """The design that meets a completed requirement."""
    return Answer(asked, found(asked))


def _n_for(known: Requirement, method: str) -> int | None:
    n = n_or_too_many(replace(known, method=method, n=None, df=None))
    return n if n <= LARGEST_N else None


def _alternatives(known: Requirement) -> list[Alternative]:
    n = int(known.n or 2)
    sizes = sorted({max(2, min(LARGEST_N, round(n * share))) for share in NEARBY} - {n})
    if known.test == INTERVAL:
        return [Alternative(size, None, width_of(replace(known, n=size))) for size in sizes]
    differences = differences_at(known, sizes).tolist()
    return [
        Alternative(size, power_at(replace(known, n=size)), None if isnan(difference) else difference)
        for size, difference in zip(sizes, differences, strict=True)
    ]
