"""The answer to a requirement: the quantity that was missing, its power, and alternatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.requirement import INTERVAL, Requirement, completed
from kaiwa.topicset.sizes import differences_at, found, midway_power_at, n_or_too_many, power_at, width_of
from kaiwa.topicset.tests import ONE_WAY

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
