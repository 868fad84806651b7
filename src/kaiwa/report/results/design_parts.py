"""The further parts of a design's answer as text: pilot, pass rates, decision, simulation, cost, rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import counted, option
from kaiwa.report.results.design_answer import percent, verb_for
from kaiwa.report.text_tables import table
from kaiwa.topicset.assurance import ENOUGH_RUNS, ENOUGH_TOPICS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.scores import Scores
    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.pilot_design import PilotDesign
    from kaiwa.topicset.budget import Split
    from kaiwa.topicset.pass_rates import PassRateDesign
    from kaiwa.topicset.simulation.decisions import Decision
    from kaiwa.topicset.simulation.power_simulation import Simulated
    from kaiwa.topicset.topic_rounds import Rounds


SPENDING_NAMES = {"obrien-fleming": "O'Brien-Fleming", "pocock": "Pocock"}


def pilot_text(found: PilotDesign) -> str:
    """Raw and std-AB side by side, what the pilot leaves uncertain, and the answer of one-way ANOVA."""
    solved = found.answer.solved
    rows: list[list[Cell]] = []
    for side in found.sides:
        value = getattr(side.design, solved) if side.design else None
        whole = solved in {"n", "systems"}
        ends = [None if end is None else int(end) if whole else end for end in (side.low, side.high)]
        rows.append([side.scores, side.variance, value, *ends])
    shown = table(["scores", found.answer.asked.kind.error, solved, "low", "high"], rows)
    topic, run = found.pilot.axes
    lines = [
        *pilot_warnings(found),
        f"Pilot: {found.pilot.label}, {counted(found.topics, topic)}, {counted(found.runs, run)}",
        shown,
        (
            f"low and high: the answer at the 95% limits of the variance, if other {topic}s and {run}s had been drawn. "
            f"A std-AB difference is in std-AB units: 0.15 is one standard deviation of the {run}s on a {topic}."
        ),
        *_range_ratio(found, run),
        *_assurance(found, topic),
    ]
    lines += [f"std-AB: {side.refusal}" for side in found.sides if side.refusal]
    if found.worst_case:
        lines.append(f"Without a pilot, std-AB scores never need more than {found.worst_case.n:,} {topic}s.")
    return "\n".join([*lines, *_one_way(found, topic)])


def pilot_warnings(found: PilotDesign) -> list[str]:
    """One line if the pilot is small; the number to use instead."""
    if not found.small:
        return []
    topic, run = found.pilot.axes
    better = f": use {found.assurance.n:,} {topic}s, see below" if found.assurance and found.assurance.n else ""
    size = f"{counted(found.topics, topic)} and {counted(found.runs, run)}"
    enough = f"{ENOUGH_TOPICS} {topic}s and {ENOUGH_RUNS} {run}s are enough"
    return [f"Warning: {size} say little about the variance ({enough}){better}."]


def _range_ratio(found: PilotDesign, run: str) -> list[str]:
    """How much more a difference must be among runs that do not vary alike."""
    ratio = found.answer.asked.range_ratio
    if ratio <= 1:
        return []
    return [f"The {run}s do not vary alike: the critical difference is {ratio:.3f} times that of equal {run}s."]


def _assurance(found: PilotDesign, topic: str) -> list[str]:
    sure, answer = found.assurance, found.answer
    if sure is None:
        return []
    expected = (
        f"Averaged over what the pilot leaves uncertain about the variance, the power with {answer.n:,} {topic}s is "
        f"{percent(sure.expected_power)}"
    )
    if sure.n is None:
        return [expected + "."]
    return [f"{expected}; with {sure.n:,} {topic}s it is {percent(answer.asked.power or 0.8)}."]


def _one_way(found: PilotDesign, topic: str) -> list[str]:
    """The answer of the published tables, for comparison with printed numbers."""
    one = found.one_way
    if one is None:
        return []
    value = {
        "n": f"{one.n:,} {topic}s",
        "power": f"a power of {percent(one.power)}",
        "min_diff": f"a difference of {one.min_diff:.4g}",
        "systems": f"{one.systems:,} systems",
        "alpha": f"alpha {one.alpha:.4g}",
    }[one.solved]
    source = f"from V_E {one.variance:.4g}, which includes the difficulty of {topic}s"
    return [f"One-way ANOVA, the test of the published tables, gives {value} {source}."]


def pass_rate_text(found: PassRateDesign) -> str:
    """How many prompts two systems need that pass or fail each of them."""
    rates = found.rates
    differ = rates.gains + rates.losses
    head = (
        f"Use {found.n:,} prompts: with them McNemar's test (mid-p, two-sided, alpha {found.alpha:g}) distinguishes "
        f"pass rates of {percent(rates.better)} and {percent(rates.worse)} with a probability of "
        f"{percent(found.power)}."
    )
    how = {
        "exact": "summed exactly over the number of prompts on which they disagree",
        "normal": "normal approximation",
    }
    lines = [
        head,
        "",
        "It assumes",
        "  - both systems answer the same prompts, each once, and prompts are drawn at random",
        f"  - the correlation of verdicts is {rates.correlation:g}: they disagree on {percent(differ)} of the prompts",
        f"  - power {how[found.method]}; the textbook formula gives {found.normal_n:,}",
        "",
        "Nearby",
        table(["prompts", "power"], [list(near) for near in found.alternatives]),
    ]
    return "\n".join(lines)


def decision_text(found: Decision, *, goal: str, target: float, k: int, pilot: Scores) -> str:
    """How many topics a right decision needs, and the pilot that it was resampled from."""
    topic, run = pilot.axes
    who = "system is" if k == 1 else f"{k} systems are"
    claim = {
        "top": f"the true best {who} on top in {percent(found.reached)} of {topic} sets",
        "tau": f"the order agrees with the true one by Kendall's tau {found.reached:.3f} on average",
        "discriminative": f"Tukey's HSD distinguishes {percent(found.reached)} of all pairs on average",
    }[goal]
    lines = [
        f"{verb_for(topic)} {found.n:,} {topic}s: {claim} (target: {target:g}; Monte-Carlo error {found.error:.4f}).",
        "",
        f"The pilot ({pilot.label}) represents all {topic}s. The differences between its {run}s were reduced by",
        f"{percent(1 - found.reliability)}, because observed differences are larger than true ones.",
        f"8 in 10 other pilots of {counted(len(pilot.topics), topic)} would answer {_between(found)}.",
        "",
        table([f"{topic}s", "reached"], [list(point) for point in found.curve]),
    ]
    return "\n".join(lines)


def _between(found: Decision) -> str:
    if found.high is None:
        return f"from {found.low:,} up, without an upper limit"
    return f"from {found.low:,} to {found.high:,}"


def simulation_text(seen: Sequence[Simulated], *, test: str) -> str:
    """Simulated powers, the last of which is the answer."""
    last = seen[-1]
    rows: list[list[Cell]] = [[one.n, one.power, one.error, one.trials] for one in seen]
    head = (
        f"Simulated from the pilot ({test}): {last.n:,} topics give {percent(last.power)} "
        f"(Monte-Carlo error {last.error:.3f})."
    )
    return head + "\n" + table(["topics", "power", "error", "data sets"], rows)


def budget_text(splits: Sequence[Split], *, hours: float | None) -> str:
    """The design or cost of each way of judging, the best first."""
    best = splits[0]
    measured = best.labelling.agreement is not None and best.labelling.panels
    lead = f"The best design for {_hours(hours)} is" if hours else "The cheapest design is"
    if not measured and len(splits) > 1:
        lead = "The safest of these designs is"
    head = (
        f"{lead} {best.n:,} topics with pools of depth {best.labelling.depth}, "
        f"{counted(best.labelling.assessors, 'assessor')} per item: {_hours(best.hours)}, "
        f"power {percent(best.power)}."
    )
    rows: list[list[Cell]] = [
        [
            split.labelling.depth,
            split.labelling.assessors,
            round(split.labelling.items, 1),
            split.labelling.variance,
            split.n,
            round(split.hours, 1 if split.hours >= 1 else 4),
            split.power,
            split.min_diff,
            split.labelling.agreement,
        ]
        for split in splits
    ]
    columns = [
        "depth",
        "assessors",
        "items per topic",
        "variance",
        "topics",
        "hours",
        "power",
        "smallest difference",
        "tau",
    ]
    return "\n".join([head, table(columns, rows), *_budget_notes(splits)])


def _budget_notes(splits: Sequence[Split]) -> list[str]:
    """What was measured, and what is only assumed and so decides nothing."""
    way = splits[0].labelling
    notes = []
    if way.agreement is not None:
        notes.append(
            "tau: agreement of the order of runs with that under all judgements; ways with tau below 0.9 are last"
        )
    unknown = [
        name for name, known in (("pool depth", way.agreement is not None), ("assessors", way.panels)) if not known
    ]
    if unknown and len(splits) > 1:
        data = option("votes") if way.agreement is not None else f"{option('judged')} with {option('votes')}"
        notes.append(
            f"The effect of {' and '.join(unknown)} on the variance is not known, so the most careful way is first; "
            f"{data} measures whether less is enough."
        )
    return notes


def _hours(hours: float) -> str:
    shown = f"{hours:,.0f}" if hours >= 10 else f"{hours:.2g}"  # noqa: PLR2004  two digits are enough
    return f"{shown} hour{'' if shown == '1' else 's'}"


def rounds_text(plan: Rounds) -> str:
    """The level of the test after each batch, and the error that repeated tests at alpha would have."""
    rows: list[list[Cell]] = [[look.n, f"{look.level:.5f}", look.spent, look.stopped] for look in plan.looks]
    head = (
        f"In {counted(len(plan.looks), 'round')}, with alpha spent by the {SPENDING_NAMES[plan.spending]} function of "
        f"Lan and DeMets: testing each time at {plan.alpha:g} would find a false difference in "
        f"{percent(plan.naive)} of tasks. The levels below limit this to {percent(plan.kept)} "
        f"(Monte-Carlo error {plan.error:.4f}), find a true difference with a probability of {percent(plan.power)} and "
        f"then use {plan.expected_n:,.0f} topics on average."
    )
    return head + "\n" + table(["topics so far", "test at", "alpha spent", "stopped by then"], rows)
