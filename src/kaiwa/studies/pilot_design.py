"""A design whose variance comes from pilots, for the test that compares the runs, with the pilots' uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.compare.standardisation import standardisation_factors, standardised, variance_bound
from kaiwa.errors import DesignError, InputError, option
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.answer import Design, answered
from kaiwa.topicset.assurance import ENOUGH_RUNS, ENOUGH_TOPICS, VarianceEstimate, assured, estimated_variance
from kaiwa.topicset.designed_tests import ONE_WAY, ROBUST, TESTS
from kaiwa.topicset.missing_quantity import n_or_too_many
from kaiwa.topicset.requirement import INTERVAL
from kaiwa.topicset.unequal_runs import range_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.scores import Scores
    from kaiwa.topicset.assurance import Assurance
    from kaiwa.topicset.requirement import Requirement


@dataclass(frozen=True)
class PilotSide:
    """The design from one kind of score; ``low`` and ``high`` are the answer at the limits of the variance."""

    scores: str
    found: VarianceEstimate
    design: Design | None
    low: float | None
    high: float | None
    refusal: str | None = None

    @property
    def variance(self) -> float:
        """The pooled variance."""
        return self.found.variance

    @property
    def variance_limits(self) -> tuple[float, float]:
        """Its 95% limits."""
        return self.found.limits()


@dataclass(frozen=True)
class PilotDesign:
    """Raw and std-AB side by side, and the design from std-AB's bound, which needs no pilot.

    ``pilot`` is the first of the pilots; ``one_way`` is the design of the published tables, by one-way ANOVA, if
    another test is designed for; ``assurance`` averages the power over what the pilots leave uncertain.
    """

    pilot: Scores
    topics: int
    runs: int
    sides: tuple[PilotSide, ...]
    worst_case: Design | None
    one_way: Design | None = None
    assurance: Assurance | None = None

    @property
    def small(self) -> bool:
        """Whether the variance of so few topics or runs is hardly known."""
        return self.topics < ENOUGH_TOPICS or self.runs < ENOUGH_RUNS

    @property
    def answer(self) -> Design:
        """The design from the scores as they are, which always exists."""
        if self.raw.design is None:
            raise InputError(f"the pilot gives no design; give {option('variance')}")
        return self.raw.design

    @property
    def raw(self) -> PilotSide:
        """The design from the scores as they are."""
        return self.sides[0]


def pilot_design(tables: Sequence[Scores], asked: Requirement) -> PilotDesign:
    """The design from pilots; their variance replaces that of ``asked``."""
    scaled = [standardised(table, standardisation_factors(table)) for table in tables]
    sides = (_side("raw", tables, asked), _side("std-AB", scaled, asked))
    return PilotDesign(
        pilot=tables[0],
        topics=sum(len(table.topics) for table in tables),
        runs=max(len(table.runs) for table in tables),
        sides=sides,
        worst_case=worst_case(asked),
        one_way=None if asked.test == ONE_WAY else one_way_design(asked, pilot_variance(tables, ONE_WAY).variance),
        assurance=assured(asked, sides[0].design.known, sides[0].found.df) if sides[0].design else None,
    )


def one_way_design(asked: Requirement, variance: float) -> Design | None:
    """The same requirement by one-way ANOVA, as in the published tables; None where it cannot be met."""
    if asked.test == INTERVAL:
        return None
    try:
        return answered(replace(asked, variance=variance, test=ONE_WAY, correlation=0.0))
    except DesignError:
        return None


def worst_case(asked: Requirement) -> Design | None:
    """The design without a pilot: std-AB scores never vary more than A^2 n(m-1) / (m(n-1)), whatever the measure."""
    if asked.unknown != "n":
        return None
    systems, n = asked.systems or 2, 10
    for _ in range(50):
        needed = n_or_too_many(replace(asked, variance=_bound(asked, n, systems)))
        if needed > LARGEST_N:
            return None
        if needed == n:
            break
        n = max(needed, 2)
    return answered(replace(asked, variance=_bound(asked, n, systems)))


def _bound(asked: Requirement, n: int, systems: int) -> float:
    """V_E's bound; the residual V_E2 has (m-1)(n-1) degrees of freedom for the same squares, so A^2 n / (n-1)."""
    bound = variance_bound(n, systems)
    return bound * systems / (systems - 1) if asked.kind.shares_topics else bound


def _side(name: str, tables: Sequence[Scores], asked: Requirement) -> PilotSide:
    found = pilot_variance(tables, asked.test)
    asked = replace(asked, range_ratio=pilot_ratio(tables, asked))
    try:
        answer = _answered(replace(asked, variance=found.variance), tables[0])
        ends = [_solved(replace(asked, variance=limit)) for limit in found.limits()]
    except (DesignError, InputError) as refusal:
        if name == "raw":
            raise
        return PilotSide(name, found, None, None, None, str(refusal))
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (None, None)
    return PilotSide(name, found, answer, low, high)


def _answered(asked: Requirement, table: Scores) -> Design:
    if not asked.variance:
        topic, run = table.axes
        raise InputError(f"the pilot's {run}s differ equally on every {topic}; give a pilot that varies")
    return answered(asked)


def _solved(asked: Requirement) -> float | None:
    try:
        return float(getattr(answered(asked), asked.unknown))
    except DesignError:
        return None


def pilot_variance(tables: Sequence[Scores], test: str) -> VarianceEstimate:
    """The pooled variance that a test is designed from."""
    shared = test == INTERVAL or TESTS[test].shares_topics
    return estimated_variance([table.values for table in tables], shared_topics=shared)


def pilot_ratio(tables: Sequence[Scores], asked: Requirement) -> float:
    """The critical range of the robust test on runs like the pilots' over Tukey's; 1 for another test."""
    if asked.test != ROBUST or not tables:
        return 1.0
    most = max(len(table.runs) for table in tables)
    return range_ratio([table.values for table in tables], systems=asked.systems or most, alpha=asked.alpha or 0.05)
