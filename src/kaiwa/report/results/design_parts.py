"""The further parts of a design's answer as text: pilot, pass rates, decision, simulation, cost, rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import counted, option
from kaiwa.report.results.design_answer import percent
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.pilot_design import PilotDesign
    from kaiwa.topicset.budget import Split
    from kaiwa.topicset.pass_rates import PassRateDesign
    from kaiwa.topicset.simulation.decisions import Decision
    from kaiwa.topicset.simulation.power_simulation import Simulated
    from kaiwa.topicset.topic_rounds import Rounds


def pilot_text(found: PilotDesign) -> str:
    """Raw and std-AB side by side, with the answer at the bootstrap limits of the variance."""
    solved = found.raw.design.solved if found.raw.design else "n"
    rows: list[list[Cell]] = []
    for side in found.sides:
        value = getattr(side.design, solved) if side.design else None
        whole = solved in {"n", "systems"}
        ends = [None if end is None else int(end) if whole else end for end in (side.low, side.high)]
        rows.append([side.scores, side.variance, value, *ends])
    shown = table(["scores", "variance", solved, "low", "high"], rows)
    lines = [
        f"Pilot: {found.measure}, {counted(found.topics, 'topic')}, {counted(found.runs, 'run')}",
        shown,
        "low and high: the answer at the 95% bootstrap limits of the variance. A std-AB difference is in std-AB units:",
        "0.15 is one standard deviation of the runs on a topic.",
    ]
    lines += [f"std-AB: {side.refusal}" for side in found.sides if side.refusal]
    if found.worst_case:
        lines.append(f"Without a pilot, std-AB scores never need more than {found.worst_case.n:,} topics.")
    return "\n".join(lines)


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


def prompts(text: str) -> str:
    """An answer about topics, in terms of prompts."""
    return text.replace("topics", "prompts").replace("topic set size", "number of prompts").replace("topic", "prompt")


def decision_text(found: Decision, *, goal: str, target: float, k: int) -> str:
    """How many topics a right decision needs."""
    who = "system is" if k == 1 else f"{k} systems are"
    claim = {
        "top": f"the true best {who} on top in {percent(found.reached)} of topic sets",
        "tau": f"the order agrees with the true one by Kendall's tau {found.reached:.3f} on average",
        "discriminative": f"Tukey's HSD distinguishes {percent(found.reached)} of all pairs on average",
    }[goal]
    lines = [
        f"Create {found.n:,} topics: {claim} (target: {target:g}; Monte-Carlo error {found.error:.4f}).",
        "",
        "The pilot represents all topics. The differences between its runs were reduced by",
        f"{percent(1 - found.reliability)}, because observed differences are larger than true ones.",
        "",
        table(["topics", "reached"], [list(point) for point in found.curve]),
    ]
    return "\n".join(lines)


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
    lead = "The cheapest design is"
    if hours:
        lead = f"The best design for {hours:g} {'hour' if hours == 1 else 'hours'} is"
    head = (
        f"{lead} {best.n:,} topics with pools of depth {best.labelling.depth}, "
        f"{counted(best.labelling.assessors, 'assessor')} per item: {counted(round(best.hours), 'hour')}, "
        f"power {percent(best.power)}."
    )
    rows: list[list[Cell]] = [
        [
            split.labelling.depth,
            split.labelling.assessors,
            round(split.labelling.items, 1),
            split.labelling.variance,
            split.n,
            round(split.hours, 1),
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
    if best.labelling.agreement is None:
        measured = f"{option('judged')} with {option('qrels')} or {option('votes')} measures it."
        guess = f"\nThe variance is assumed to be the same for all; {measured}"
        return head + "\n" + table(columns, rows) + (guess if len(splits) > 1 else "")
    note = (
        "\ntau: agreement of the order of runs with that under all judgements; ways with tau below 0.9 are ranked last"
    )
    return head + "\n" + table(columns, rows) + note


def rounds_text(plan: Rounds) -> str:
    """The level of the test after each batch, and the error that repeated tests at alpha would have."""
    rows: list[list[Cell]] = [[look.n, f"{look.level:.5f}", look.spent, look.stopped] for look in plan.looks]
    head = (
        f"In {counted(len(plan.looks), 'round')}: testing each time at {plan.alpha:g} would find a false difference in "
        f"{percent(plan.naive)} of tasks. The levels below limit this to {percent(plan.kept)} "
        f"(Monte-Carlo error {plan.error:.4f}), find a true difference with a probability of {percent(plan.power)} and "
        f"then use {plan.expected_n:,.0f} topics on average."
    )
    return head + "\n" + table(["topics so far", "test at", "alpha spent", "stopped by then"], rows)
