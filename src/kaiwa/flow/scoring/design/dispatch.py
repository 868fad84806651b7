"""The answer to a design question, by its kind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.engine.trial_workers import trial_workers
from kaiwa.errors import InputError, option
from kaiwa.flow.scoring.design.options import Question, check_parts
from kaiwa.report.results.design_view import (
    Costs,
    DecisionView,
    DesignView,
    PassRateView,
    PromptsView,
    Simulation,
    SizeTableView,
)
from kaiwa.topicset.answer import answered
from kaiwa.topicset.requirement import completed

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.scores import Scores
    from kaiwa.topicset import Design

    Remark = Callable[[str], None]
    Answer = DesignView | SizeTableView | PassRateView | PromptsView | DecisionView


def answer(
    question: Question,
    *,
    progress: Callable[[int, int], None] | None = None,
    remark: Remark = lambda _line: None,
) -> Answer:
    """The answer to the question, with the parts it asks for; ``remark`` is called with each line on the pilots."""
    rng = np.random.default_rng(question.seed)
    check_parts(question)
    if question.pass_rate is not None:
        return _pass_rate(question, question.pass_rate)
    if question.decide is not None:
        return _decision(question, question.decide, rng, remark)
    if question.as_table:
        return _table(question, remark)
    view = _base(question, remark)
    if question.simulate is not None:
        view = replace(view, simulation=_simulation(question, question.simulate, view.design, rng, progress))
    if question.hours is not None or question.cost:
        view = replace(view, costs=_costs(question, view.design, rng))
    if question.rounds is not None:
        from kaiwa.topicset.topic_rounds import rounds_of

        with trial_workers(question.engine) as workers:
            planned = rounds_of(view.design, question.rounds, spending=question.spending, rng=rng, workers=workers)
        view = replace(view, rounds=planned)
    return view


def _base(question: Question, remark: Remark) -> DesignView:
    if question.no_pilot:
        return DesignView(_worst_case(question))
    if question.variance is None and not question.pilots:
        ways = (option("variance", "V"), option("pilots", "SCORES"), option("pass_rate", "P"))
        raise InputError.at("variance", "is missing", f"give {', '.join(ways)} or {option('no_pilot')}")
    if question.variance is not None and question.pilots:
        raise InputError("both a variance and a pilot are given; leave one out")
    asked = completed(
        question.requirement(1.0 if question.variance is None else question.variance), solve=question.solve
    )
    if not question.pilots:
        return DesignView(answered(asked))
    from kaiwa.flow.scoring.design.pilots import read_pilots
    from kaiwa.studies.pilot_design import pilot_design

    pilot = pilot_design(read_pilots(question, remark), asked)
    return DesignView(pilot.answer, pilot)


def _worst_case(question: Question) -> Design:
    from kaiwa.studies.pilot_design import worst_case

    found = worst_case(completed(question.requirement(1.0), solve=question.solve))
    if found is None:
        raise InputError(f"{option('no_pilot')} finds the number of topics; leave out {option('n')}")
    return found


def _pass_rate(question: Question, pass_rate: float) -> PassRateView | PromptsView:
    from kaiwa.topicset.pass_rates import many_pass_rates_design, pass_rate_design

    asked = question.requirement(1.0)
    if question.variance is not None or question.pilots or question.n is not None:
        raise InputError(
            f"a pass rate needs no variance, pilot or topics; leave out {option('variance')}, {option('pilots')} "
            f"and {option('n')}"
        )
    if asked.min_diff is None:
        raise InputError.at(
            "min_diff", "is missing", f"give the smallest difference that matters ({option('min_diff')})"
        )
    alpha = 0.05 if asked.alpha is None else asked.alpha
    power = 0.8 if asked.power is None else asked.power
    if asked.systems in {None, 2}:
        found = pass_rate_design(
            pass_rate=pass_rate, min_diff=asked.min_diff, correlation=asked.correlation, alpha=alpha, power=power
        )
        return PassRateView(found, asked.min_diff)
    many = many_pass_rates_design(
        pass_rate=pass_rate,
        min_diff=asked.min_diff,
        systems=asked.systems or 0,
        correlation=asked.correlation,
        alpha=alpha,
        power=power,
    )
    return PromptsView(many, pass_rate)


def _decision(question: Question, goal: str, rng: np.random.Generator, remark: Remark) -> DecisionView:
    from kaiwa.topicset.simulation.decisions import topics_for_decision

    alpha = 0.05 if question.alpha is None else question.alpha
    pilot = _one_pilot(question, remark)
    with trial_workers(question.engine) as workers:
        found = topics_for_decision(
            pilot.oriented, goal=goal, target=question.target, k=question.k, alpha=alpha, rng=rng, workers=workers
        )
    return DecisionView(found, goal, question.target, question.k, pilot)


def _table(question: Question, remark: Remark) -> SizeTableView:
    from kaiwa.flow.scoring.design.pilots import read_pilots
    from kaiwa.studies.pilot_design import pilot_ratio, pilot_variance
    from kaiwa.topicset.size_table import GRID_DIFFERENCES, GRID_SYSTEMS, size_table

    variance, pilots = question.variance, []
    if variance is None:
        if not question.pilots:
            raise InputError.at(
                "variance", "is missing", f"give {option('variance', 'V')} or {option('pilots', 'SCORES')}"
            )
        pilots = read_pilots(question, remark)
        variance = pilot_variance(pilots, question.designed_test).variance
    asked = question.shared(variance)
    found = size_table(
        asked,
        systems=question.systems or GRID_SYSTEMS,
        min_diffs=question.min_diff or GRID_DIFFERENCES,
        ratio_of=lambda systems: pilot_ratio(pilots, replace(asked, systems=systems)),
    )
    return SizeTableView(found, question.style)


def _simulation(
    question: Question,
    test: str,
    base: Design,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> Simulation:
    from kaiwa.studies.simulated_design import simulated_design

    pilot = _one_pilot(question).values
    with trial_workers(question.engine) as workers:
        steps = simulated_design(
            pilot, base, test=test, trials=question.trials, rng=rng, workers=workers, progress=progress
        )
    return Simulation(test, steps)


def _costs(question: Question, base: Design, rng: np.random.Generator) -> Costs:
    from kaiwa.flow.scoring.design.labelling_cost import labellings
    from kaiwa.topicset.budget import best_split, cheapest

    ways = labellings(question, variance=base.variance, shared_topics=base.asked.kind.shares_topics, rng=rng)
    known = replace(base.known, power=base.asked.power or 0.8)
    splits = cheapest(known, ways) if question.hours is None else best_split(known, ways, hours=question.hours)
    return Costs(splits, question.hours)


def _one_pilot(question: Question, remark: Remark = lambda _line: None) -> Scores:
    from kaiwa.flow.scoring.design.pilots import read_pilots

    pilots = read_pilots(question, remark) if question.pilots else []
    if len(pilots) != 1:
        raise InputError.at(
            "pilot", f"{len(pilots)} are given, one is resampled", f"give {option('pilots', 'SCORES')} once"
        )
    return pilots[0]
