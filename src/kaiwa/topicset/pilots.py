"""A design whose variance comes from pilots, for the test that compares the runs, with the pilots' uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from kaiwa.comparison.allpairs import randomised_hsd, robust_hsd
from kaiwa.comparison.standardise import standardisation_factors, standardised, variance_bound
from kaiwa.errors import DesignError, InputError, Names, option
from kaiwa.stats.resampling import ONE_THREAD, Workers, block_generator, trial_key
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.power_functions import ENOUGH_RUNS, ENOUGH_TOPICS, VarianceEstimate, estimated_variance
from kaiwa.topicset.requirement import INTERVAL, completed
from kaiwa.topicset.simulation import (
    VERDICTS,
    Rejects,
    Simulated,
    drawn_sets,
    is_discrete,
    kept_sets,
    simulated_power,
    simulated_size,
)
from kaiwa.topicset.sizes import Answer, answered, n_or_too_many
from kaiwa.topicset.tests import ONE_WAY, ROBUST, TESTS, range_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.comparison.allpairs import RangeTest
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.topicset.requirement import Requirement


@dataclass(frozen=True)
class PilotSide:
    """The design from one kind of score; ``low`` and ``high`` are the answer if a limit of the variance were true."""

    scores: str
    found: VarianceEstimate
    design: Answer | None
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

    ``pilot`` is the first of the pilots; ``one_way`` is the design of the published tables, by one-way ANOVA and with
    the variance taken as known, if another test is designed for.
    """

    pilot: Matrix
    topics: int
    runs: int
    sides: tuple[PilotSide, ...]
    worst_case: Answer | None
    one_way: Answer | None = None

    @property
    def small(self) -> bool:
        """Whether the variance of so few topics or runs is hardly known."""
        return self.topics < ENOUGH_TOPICS or self.runs < ENOUGH_RUNS

    @property
    def answer(self) -> Answer:
        """The design from the scores as they are, which always exists."""
        if self.raw.design is None:
            raise InputError(f"the pilot gives no design; give {option('variance')}")
        return self.raw.design

    @property
    def raw(self) -> PilotSide:
        """The design from the scores as they are."""
        return self.sides[0]


def pilot_design(tables: Sequence[Matrix], asked: Requirement) -> PilotDesign:
    """The design from pilots; their variance replaces that of ``asked``."""
    scaled = [standardised(table, standardisation_factors(table)) for table in tables]
    sides = (_side("raw", tables, asked), _side("std-AB", scaled, asked))
    return PilotDesign(
        pilot=tables[0],
        topics=sum(len(table.topics) for table in tables),
        runs=max(len(table.runs) for table in tables),
        sides=sides,
        worst_case=worst_case(asked),
        one_way=None if asked.test == ONE_WAY else one_way_design(asked, matrices_of(tables)),
    )


def one_way_design(asked: Requirement, matrices: Sequence[FloatArray]) -> Answer | None:
    """The same requirement by one-way ANOVA, as in the published tables; None where it cannot be met."""
    if asked.test == INTERVAL:
        return None
    variance = pilot_variance(matrices, ONE_WAY).variance
    try:
        return answered(replace(asked, variance=variance, test=ONE_WAY, correlation=0.0, df=None))
    except DesignError:
        return None


def worst_case(asked: Requirement) -> Answer | None:
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


def _side(name: str, tables: Sequence[Matrix], asked: Requirement) -> PilotSide:
    pilots = matrices_of(tables)
    found = pilot_variance(pilots, asked.test)
    try:
        measured = from_pilots(asked, pilots)
        answer = _answered(measured, tables[0])
        ends = [_solved(replace(measured, variance=limit, df=None)) for limit in found.limits()]
    except (DesignError, InputError) as refusal:
        if name == "raw":
            raise
        return PilotSide(name, found, None, None, None, str(refusal))
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (None, None)
    return PilotSide(name, found, answer, low, high)


def _answered(asked: Requirement, table: Matrix) -> Answer:
    if not asked.variance:
        topic, run = table.axes
        raise InputError(f"the pilot's {run}s differ equally on every {topic}; give a pilot that varies")
    return answered(asked)


def _solved(asked: Requirement) -> float | None:
    try:
        return float(getattr(answered(asked), asked.unknown))
    except DesignError:
        return None


def from_pilots(asked: Requirement, matrices: Sequence[FloatArray]) -> Requirement:
    """The requirement with what pilots say of its test: the variance, how well it is known, and the range ratio.

    The published approximation and the interval take the variance as known.
    """
    found = pilot_variance(matrices, asked.test)
    known = asked.test == INTERVAL or asked.method != "exact"
    return replace(
        asked,
        variance=found.variance,
        df=None if known else found.df,
        range_ratio=pilot_ratio(matrices, asked),
        test_named=True,
    )


def pilot_variance(matrices: Sequence[FloatArray], test: str) -> VarianceEstimate:
    """The pooled variance that a test is designed from: V_E2 if it shares topics, else V_E."""
    return estimated_variance(matrices, shared_topics=test == INTERVAL or TESTS[test].shares_topics)


def pilot_ratio(matrices: Sequence[FloatArray], asked: Requirement) -> float:
    """The critical range of the robust test on runs like the pilots' over Tukey's; 1 for another test."""
    if asked.test != ROBUST or not matrices:
        return 1.0
    most = max(one.shape[1] for one in matrices)
    return range_ratio(matrices, systems=asked.systems or most, alpha=asked.alpha or 0.05)


def matrices_of(tables: Sequence[Matrix]) -> list[FloatArray]:
    """The topics x runs matrices of the tables."""
    return [table.values for table in tables]


def required_design(table: Matrix, asked: Requirement) -> Answer:
    """The topic set that meets the requirement, averaged over what these scores leave uncertain of the variance."""
    measured = from_pilots(asked, [table.values])
    if not measured.variance:
        raise InputError.at(table.measure, "the runs' scores do not vary", "give scores that vary")
    return answered(completed(measured))


# Power by simulation, with the tests by resampling among those simulated.


PERMUTATIONS = 500


def simulated_tests(rng: np.random.Generator) -> Names[Rejects]:
    """The tests that can be simulated: the analytic ones, the randomised Tukey HSD and the robust test."""
    key = trial_key(rng)
    randomised: Rejects = partial(_best_and_worst, randomised_hsd, key=key)
    robust: Rejects = partial(_best_and_worst, robust_hsd, key=key)
    return Names("simulated test", {**VERDICTS, "hsd": randomised, ROBUST: robust})


def simulated_design(
    pilot: FloatArray,
    answer: Answer,
    *,
    test: str,
    trials: int,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Simulated, ...]:
    """Simulated powers at the designed n and, until one reaches the target, at better guesses; the last counts.

    The robust test is simulated on runs of the pilot as they are, the others on scores dealt to the systems.
    """
    rejects = simulated_tests(rng)[test]
    whole = test == ROBUST and answer.systems <= pilot.shape[1] and not is_discrete(pilot)

    def power_at(n: int) -> Simulated:
        return simulated_power(
            pilot,
            rejects,
            n=n,
            systems=answer.systems,
            min_diff=answer.min_diff,
            alpha=answer.alpha,
            trials=trials,
            rng=rng,
            workers=workers,
            draw=kept_sets if whole else drawn_sets,
            progress=progress,
        )

    if answer.solved != "n":
        return (power_at(answer.n),)
    return simulated_size(power_at, start=answer.n, target=answer.asked.power or 0.8)


def _best_and_worst(test: Callable[..., RangeTest], sets: FloatArray, *, alpha: float, key: int) -> FloatArray:
    """Whether the first system and the last differ by a test, per set."""
    return np.where(np.array([_p_of_ends(test, by_topic, key) for by_topic in sets]) <= alpha, 1.0, 0.0)


def _p_of_ends(test: Callable[..., RangeTest], by_topic: FloatArray, key: int) -> float:
    """The p of the first system against the last; the trials are keyed by the scores, wherever they are made."""
    rng = block_generator(key, crc32(by_topic.tobytes()))
    return float(test(by_topic, trials=PERMUTATIONS, rng=rng).p_values()[0, -1])
