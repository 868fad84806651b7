"""How many topics: designs from a variance, pilots or pass rates; their simulation, rounds and costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.variance_components import Variance
from kaiwa.engine.trial_workers import trial_workers
from kaiwa.errors import InputError, option
from kaiwa.topicset.answer import Design
from kaiwa.topicset.answer import design as designed
from kaiwa.topicset.designed_tests import ONE_WAY, TESTS, designed_for
from kaiwa.topicset.requirement import Requirement, completed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.scores import Scores
    from kaiwa.studies.pilot_design import PilotDesign
    from kaiwa.topicset.budget import Split
    from kaiwa.topicset.pass_rates import PassRateDesign
    from kaiwa.topicset.simulation.decisions import Decision
    from kaiwa.topicset.simulation.power_simulation import Simulated
    from kaiwa.topicset.topic_rounds import Rounds


def design(
    *,
    variance: float | Variance,
    systems: int | None = None,
    min_diff: float | None = None,
    n: int | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str = "anova",
    method: str = "exact",
    correlation: float = 0.0,
    scale: float = 1.0,
    solve: str | None = None,
) -> Design:
    """The design that meets a requirement; finds the one of n, min_diff, power, systems and alpha that is left out.

    ``variance`` is V_E (V_E2 for a test that shares topics), or the result of ``scores.variance()``. ``test`` is
    ``anova``, ``two-way``, ``paired-t``, ``two-sample-t``, ``hsd``, ``hsd-paired``, ``randomised-hsd``, ``robust``
    or ``interval``; ``method`` is ``exact``, or ``sakai`` for the published tables.

    >>> import kaiwa
    >>> kaiwa.design(variance=0.0643, systems=10, min_diff=0.15).n
    91
    """
    return designed(
        variance=_number(variance, test),
        systems=systems,
        min_diff=min_diff,
        n=n,
        power=power,
        alpha=alpha,
        test=test,
        method=method,
        correlation=correlation,
        scale=scale,
        solve=solve,
    )


def design_from_pilots(
    *pilots: Scores,
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
) -> PilotDesign:
    """The design from pilot scores, raw and std-AB side by side, with the uncertainty of the pilots.

    Without ``test`` it is for the test of ``compare``; ``one_way`` holds the answer of the published tables, and
    ``assurance`` the power to expect of so small a pilot.

    >>> import kaiwa, numpy
    >>> values = numpy.random.default_rng(1).random((20, 3))
    >>> pilot = kaiwa.Scores("nERR@10", tuple(map(str, range(20))), ("A", "B", "C"), values)
    >>> kaiwa.design_from_pilots(pilot, systems=3, min_diff=0.2).answer.n
    50
    """
    from kaiwa.studies.pilot_design import pilot_design

    if not pilots:
        raise InputError("no pilot; give the scores of at least one")
    chosen = test or (ONE_WAY if method == "sakai" else designed_for())
    asked = Requirement(1.0, n, power, min_diff, systems, alpha, chosen, method, correlation, scale)
    return pilot_design(pilots, completed(asked, solve=solve))


def design_pass_rate(
    *, pass_rate: float, min_diff: float, correlation: float = 0.0, alpha: float = 0.05, power: float = 0.8
) -> PassRateDesign:
    """How many prompts distinguish two systems that pass or fail each of them, by McNemar's mid-p test.

    >>> import kaiwa
    >>> kaiwa.design_pass_rate(pass_rate=0.62, min_diff=0.03, correlation=0.5).n
    2022
    """
    from kaiwa.topicset.pass_rates import pass_rate_design

    return pass_rate_design(pass_rate=pass_rate, min_diff=min_diff, correlation=correlation, alpha=alpha, power=power)


def design_decision(
    pilot: Scores,
    *,
    goal: str = "top",
    target: float = 0.9,
    k: int = 1,
    alpha: float = 0.05,
    seed: int = 1,
    engine: str = "local",
) -> Decision:
    """The smallest number of topics at which a decision reaches the target, by resampling the pilot.

    ``goal`` is ``top`` (the true best k are on top), ``tau`` (mean tau with the true order) or ``discriminative``
    (the share of pairs that differ). ``engine`` computes the answers of other pilots.

    >>> import kaiwa, numpy
    >>> values = numpy.random.default_rng(1).normal([0.5, 0.4, 0.3], 0.2, (60, 3))
    >>> pilot = kaiwa.Scores("nERR@10", tuple(map(str, range(60))), ("A", "B", "C"), values)
    >>> kaiwa.design_decision(pilot).n > 5
    True
    """
    from kaiwa.topicset.simulation.decisions import topics_for_decision

    rng = np.random.default_rng(seed)
    with trial_workers(engine) as workers:
        return topics_for_decision(pilot.oriented, goal=goal, target=target, k=k, alpha=alpha, rng=rng, workers=workers)


def simulate_design(
    found: Design, pilot: Scores, *, test: str = "anova", trials: int = 20_000, seed: int = 1, engine: str = "local"
) -> tuple[Simulated, ...]:
    """The power of a design simulated from the pilot's scores, and at better sizes while it misses the target.

    ``test`` is a test of ``design``, but not ``interval``. The last result is the answer. ``engine`` draws and tests
    the data sets.

    >>> import kaiwa, numpy
    >>> values = numpy.random.default_rng(1).random((20, 3))
    >>> pilot = kaiwa.Scores("nERR@10", tuple(map(str, range(20))), ("A", "B", "C"), values)
    >>> found = kaiwa.design(variance=pilot.variance(), systems=3, min_diff=0.3)
    >>> kaiwa.simulate_design(found, pilot, trials=500)[-1].n > 5
    True
    """
    from kaiwa.studies.simulated_design import simulated_design

    rng = np.random.default_rng(seed)
    with trial_workers(engine) as workers:
        return simulated_design(pilot.values, found, test=test, trials=trials, rng=rng, workers=workers)


def plan_rounds(
    found: Design,
    looks: Sequence[int],
    *,
    spending: str = "obrien-fleming",
    seed: int = 1,
    engine: str = "local",
) -> Rounds:
    """The level to test at after each batch of topics, so that all looks together keep the design's alpha.

    ``looks`` are the topics after each batch, as in ``[30, 60, 91]``; ``spending`` is ``obrien-fleming`` or
    ``pocock``. ``engine`` simulates the looks.

    >>> import kaiwa
    >>> plan = kaiwa.plan_rounds(kaiwa.design(variance=0.0643, systems=10, min_diff=0.15), [30, 60, 91])
    >>> [look.n for look in plan.looks]
    [30, 60, 91]
    """
    from kaiwa.topicset.topic_rounds import rounds_of

    with trial_workers(engine) as workers:
        return rounds_of(found, looks, spending=spending, rng=np.random.default_rng(seed), workers=workers)


def labelling_costs(
    found: Design,
    *,
    hours: float | None = None,
    depths: Sequence[int] = (10,),
    runs: int = 10,
    overlap: float = 0.5,
    assessors: Sequence[int] = (3,),
    seconds: float = 15.0,
) -> tuple[Split, ...]:
    """What a design costs in assessors' hours under each way of judging; or the best use of ``hours``.

    A way of judging is a pool depth and a number of assessors per item; ``runs`` are pooled, two runs have the share
    ``overlap`` of their answers in common, and a label takes ``seconds``.

    >>> import kaiwa
    >>> found = kaiwa.design(variance=0.0643, systems=10, min_diff=0.15)
    >>> round(kaiwa.labelling_costs(found)[0].hours, 1)
    62.6
    """
    from kaiwa.topicset.budget import Labelling, best_split, cheapest, pool_items

    ways = [
        Labelling(depth, pool_items(depth, runs, overlap), people, seconds, found.variance)
        for depth in depths
        for people in assessors
    ]
    known = replace(found.known, power=found.asked.power or 0.8)
    return cheapest(known, ways) if hours is None else best_split(known, ways, hours=hours)


def _number(variance: float | Variance, test: str) -> float:
    """The variance of the test: V_E2 if it shares topics, else V_E."""
    if not isinstance(variance, Variance):
        return variance
    if test not in TESTS or not TESTS[test].shares_topics:
        return variance.v_e
    if variance.v_e2 is None:
        raise InputError(f"{option('test', test)} needs V_E2, which one run does not have; give 2 runs or more")
    return variance.v_e2
