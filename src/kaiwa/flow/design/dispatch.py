"""Which question was asked, and the parts of its answer in order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.flow.design import answers as telling
from kaiwa.flow.design.options import Question, check_parts
from kaiwa.formats.text.delimited import csv_text
from kaiwa.report.results import design_parts as words
from kaiwa.report.text_tables import latex_table, table
from kaiwa.topicset.answer import answered

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.flow.design.answers import Told
    from kaiwa.topicset import Design
    from kaiwa.topicset.requirement import Requirement


def answer(question: Question, *, progress: Callable[[int, int], None] | None = None) -> Told:
    """The question answered, part by part."""
    rng = np.random.default_rng(question.seed)
    check_parts(question)
    if question.pass_rate is not None:
        return _pass_rate(question)
    if question.decide is not None:
        return _decision(question, rng)
    if question.as_table:
        return _table(question, rng)
    told, base = _base(question, rng)
    if question.simulate is not None:
        told = _simulation(question, told, base, rng=rng, progress=progress)
    if question.hours is not None or question.cost:
        told = _cost(question, told, base, rng)
    if question.rounds is not None:
        told = _rounds(question, told, base, rng)
    return told


def _base(question: Question, rng: np.random.Generator) -> tuple[Told, Design]:
    if question.no_pilot:
        from kaiwa.flow.design.pilots import worst_case

        asked = telling.requirement(variance=1.0, pilots=(), solve=question.solve, asked=question.asked)
        bound = worst_case(asked)
        if bound is None:
            raise InputError(f"{option('no_pilot')} answers how many topics; leave out {option('n')}")
        return telling.told_design(bound), bound
    asked = telling.requirement(
        variance=question.variance, pilots=question.pilots, solve=question.solve, asked=question.asked
    )
    if question.pilots:
        from kaiwa.flow.design.pilots import pilot_design, read_pilots

        piloted = pilot_design(read_pilots(question.pilots, question.measure), asked, rng=rng)
        return telling.told_pilot(piloted), piloted.answer
    found = answered(asked)
    return telling.told_design(found), found


def _pass_rate(question: Question) -> Told:
    asked = question.asked
    if question.variance is not None or question.pilots or question.n is not None:
        raise InputError(
            f"a pass rate stands alone; leave out {option('variance')}, {option('pilots')} and {option('n')}"
        )
    return telling.told_pass_rate(
        pass_rate=question.pass_rate or 0.0,
        min_diff=asked["min_diff"],
        systems=2 if asked["systems"] is None else asked["systems"],
        correlation=question.correlation,
        alpha=0.05 if question.alpha is None else question.alpha,
        power=0.8 if question.power is None else question.power,
    )


def _decision(question: Question, rng: np.random.Generator) -> Told:
    return telling.told_decision(
        _one_pilot(question),
        goal=question.decide or "top",
        target=question.target,
        k=question.k,
        alpha=0.05 if question.alpha is None else question.alpha,
        rng=rng,
    )


def _table(question: Question, rng: np.random.Generator) -> Told:
    from kaiwa.flow.design.pilots import pilot_variance, read_pilots

    variance = question.variance
    if variance is None:
        if not question.pilots:
            raise InputError.at(
                "variance", "is missing", f"give {option('variance', 'V')} or {option('pilots', 'SCORES')}"
            )
        variance = pilot_variance(read_pilots(question.pilots, question.measure), question.test, rng=rng)
    systems = question.systems or telling.GRID_SYSTEMS
    told = telling.told_table(
        variance=variance,
        systems=systems,
        min_diffs=question.min_diff or telling.GRID_DIFFERENCES,
        asked=question.how,
    )
    header = ["minD", *(f"m={m}" for m in systems)]
    if question.style == "csv":
        return replace(told, text=csv_text(header, told.rows).rstrip())
    if question.style == "latex":
        return replace(told, text=latex_table(header, told.rows, digits=2).rstrip())
    lead = (
        f"Topics needed for {100 * (told.fields['power'] or 0.8):g}% power at alpha {told.fields['alpha'] or 0.05:g}, "
        f"score variance {variance:.4g}, by {told.fields['test']} ({told.fields['method']}): a row is the best-worst "
        f"difference minD, a column the number of systems m."
    )
    return replace(told, text=f"{lead}\n\n{table(header, told.rows, digits=2).rstrip()}")


def _simulation(
    question: Question,
    told: Told,
    base: Design,
    *,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> Told:
    from kaiwa.flow.design.simulation import simulated_design

    pilot = _one_pilot(question)
    test = question.simulate or "anova"
    seen = simulated_design(pilot, base, test=test, trials=question.trials, rng=rng, progress=progress)
    steps = [vars(one) for one in seen]
    return telling.with_section(
        told, "simulation", words.simulation_text(seen, test=test), steps[-1] | {"test": test, "steps": steps}
    )


def _cost(question: Question, told: Told, base: Design, rng: np.random.Generator) -> Told:
    from kaiwa.flow.design.labelling_cost import labellings
    from kaiwa.topicset.budget import best_split, cheapest

    ways = labellings(question, variance=base.variance, shared_topics=base.asked.kind.shares_topics, rng=rng)
    known: Requirement = replace(base.known, power=base.asked.power or 0.8)
    splits = cheapest(known, ways) if question.hours is None else best_split(known, ways, hours=question.hours)
    listed = [
        vars(split.labelling) | {"n": split.n, "hours": split.hours, "power": split.power, "min_diff": split.min_diff}
        for split in splits
    ]
    return telling.with_section(told, "cost", words.budget_text(splits, hours=question.hours), listed)


def _rounds(question: Question, told: Told, base: Design, rng: np.random.Generator) -> Told:
    from dataclasses import asdict

    from kaiwa.topicset.topic_rounds import planned_rounds

    if base.width is not None or base.asked.kind.by_range:
        raise InputError.at("rounds", f"{base.test} is not tested in rounds", "choose anova, two-way or a t-test")
    shared = base.asked.kind.shares_topics
    plan = planned_rounds(
        question.rounds or (),
        systems=base.systems,
        min_diff=base.min_diff,
        variance=base.variance * (1 - base.asked.correlation if shared else 1.0),
        shared_topics=shared,
        alpha=base.alpha,
        spending=question.spending,
        rng=rng,
    )
    return telling.with_section(told, "rounds", words.rounds_text(plan), asdict(plan))


def _one_pilot(question: Question) -> Any:  # Any: the array of the pilot
    from kaiwa.flow.design.pilots import read_pilots

    if len(question.pilots) != 1:
        raise InputError.at("pilot", "one pilot is resampled", f"give {option('pilots', 'SCORES')} once")
    return read_pilots(question.pilots, question.measure)[0].values
