"""A design whose variance comes from pilots, raw and std-AB side by side, with the uncertainty of the variance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.compare.standardisation import standardisation_factors, standardised, variance_bound
from kaiwa.compare.variance_components import pooled_variance
from kaiwa.errors import DesignError, InputError, option
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.answer import Design, answered
from kaiwa.topicset.designed_tests import TESTS
from kaiwa.topicset.missing_quantity import n_or_too_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from kaiwa.model.scores import Scores
    from kaiwa.topicset.requirement import Requirement


@dataclass(frozen=True)
class PilotSide:
    """The design from one kind of score; ``low`` and ``high`` are the answer at the variance's bootstrap limits."""

    scores: str
    variance: float
    variance_limits: tuple[float, float] | None
    design: Design | None
    low: float | None
    high: float | None
    refusal: str | None = None


@dataclass(frozen=True)
class PilotDesign:
    """Raw and std-AB side by side, and the design from std-AB's bound, which needs no pilot.

    ``pilot`` is the first of the pilots.
    """

    pilot: Scores
    topics: int
    runs: int
    sides: tuple[PilotSide, ...]
    worst_case: Design | None

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


def pilot_design(
    tables: Sequence[Scores], asked: Requirement, *, draws: int = 2_000, rng: np.random.Generator
) -> PilotDesign:
    """The design from pilots; their variance replaces that of ``asked``."""
    scaled = [standardised(table, standardisation_factors(table)) for table in tables]
    return PilotDesign(
        pilot=tables[0],
        topics=sum(len(table.topics) for table in tables),
        runs=max(len(table.runs) for table in tables),
        sides=(_side("raw", tables, asked, draws, rng), _side("std-AB", scaled, asked, draws, rng)),
        worst_case=worst_case(asked),
    )


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


def _side(name: str, tables: Sequence[Scores], asked: Requirement, draws: int, rng: np.random.Generator) -> PilotSide:
    found = pooled_variance([table.values for table in tables], trials=draws, rng=rng)
    shared = asked.kind.shares_topics
    variance = found.v_e2 if shared and found.v_e2 is not None else found.v_e
    limits = found.v_e2_limits if shared else found.v_e_limits
    try:
        answer = answered(replace(asked, variance=variance))
        ends = [_solved(replace(asked, variance=limit)) for limit in limits] if limits else [None, None]
    except DesignError as refusal:
        if name == "raw":
            raise
        return PilotSide(name, variance, limits, None, None, None, str(refusal))
    present = sorted(end for end in ends if end is not None)
    return PilotSide(name, variance, limits, answer, *(present if len(present) == 2 else (None, None)))  # noqa: PLR2004


def _solved(asked: Requirement) -> float | None:
    try:
        return float(getattr(answered(asked), asked.unknown))
    except DesignError:
        return None


def pilot_variance(tables: Sequence[Scores], test: str, *, rng: np.random.Generator) -> float:
    """The pooled variance that a test is designed from."""
    found = pooled_variance([table.values for table in tables], trials=100, rng=rng)
    shared = test in TESTS and TESTS[test].shares_topics
    return found.v_e2 if shared and found.v_e2 is not None else found.v_e
