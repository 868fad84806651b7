"""A design question answered: the text for people, the fields for machines, the figures for both."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.report.results import design_parts as words
from kaiwa.report.results.design_answer import answer_text
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset import design, topics_needed
from kaiwa.topicset.pass_rates import pass_rate_design
from kaiwa.topicset.requirement import Requirement, completed
from kaiwa.topicset.simulation.decisions import topics_for_decision

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.model.ids import FloatArray
    from kaiwa.topicset.answer import Design
    from kaiwa.topicset.pilot_design import PilotDesign, PilotSide

GRID_SYSTEMS = (2, 5, 10, 50, 100)
GRID_DIFFERENCES = (0.05, 0.1, 0.15, 0.2)


@dataclass(frozen=True)
class Told:
    """What is said about a question, as text and as JSON fields."""

    text: str
    fields: dict[str, Any]  # Any: JSON values
    answer: Design | None = None
    rows: list[list[Any]] = field(default_factory=list)  # Any: table cells


def requirement(
    *, variance: float | None, pilots: Sequence[Path], solve: str | None, asked: dict[str, Any]
) -> Requirement:
    """The requirement checked; with a pilot its variance is a stand-in until the pilot is read."""
    if variance is None and not pilots:
        ways = (option("variance", "V"), option("pilots", "SCORES"), option("pass_rate", "P"))
        raise InputError.at("variance", "is missing", f"give {', '.join(ways)} or {option('no_pilot')}")
    if variance is not None and pilots:
        raise InputError("both a variance and a pilot are given; leave one out")
    return completed(Requirement(variance=1.0 if variance is None else variance, **asked), solve=solve)


def told_design(answer: Design) -> Told:
    """One design, told."""
    return Told(answer_text(answer), design_fields(answer), answer)


def told_pilot(found: PilotDesign) -> Told:
    """A design from pilots, raw and std-AB side by side."""
    answer = found.answer
    sides = [_side_fields(side) for side in found.sides]
    worst = found.worst_case.n if found.worst_case else None
    pilot = {
        "measure": found.measure,
        "topics": found.topics,
        "runs": found.runs,
        "sides": sides,
        "worst_case_n": worst,
    }
    text = answer_text(answer, pilot=words.pilot_text(found))
    fields = design_fields(answer) | {"n_low": sides[0]["low"], "n_high": sides[0]["high"], "pilot": pilot}
    return Told(text, fields, answer)


def told_table(*, variance: float, systems: Sequence[int], min_diffs: Sequence[float], asked: dict[str, Any]) -> Told:
    """The sizes for every number of systems and every difference, one row a difference as in the papers."""
    base = [
        completed(Requirement(variance=variance, systems=m, min_diff=d, **asked)) for m in systems for d in min_diffs
    ]
    one = base[0]
    grid = topics_needed(
        systems=np.array(systems)[None, :],
        min_diff=np.array(min_diffs)[:, None],
        variance=np.array(one.error_variance),
        alpha=one.alpha or 0.05,
        power=one.power or 0.8,
        test=one.test,
        method=one.method,
    )
    cells = [[n if n <= LARGEST_N else None for n in row] for row in grid.tolist()]
    rows = [[difference, *row] for difference, row in zip(min_diffs, cells, strict=True)]
    listed = [
        {"systems": m, "min_diff": d, "n": cells[i][j]} for i, d in enumerate(min_diffs) for j, m in enumerate(systems)
    ]
    fields = {"method": one.method, "test": one.test, "variance": variance, "alpha": one.alpha, "power": one.power}
    return Told("", fields | {"table": listed}, None, rows)


def told_pass_rate(
    *, pass_rate: float, min_diff: float | None, systems: int, correlation: float, alpha: float, power: float
) -> Told:
    """How many prompts tell pass rates apart: McNemar's test for two systems, two-way ANOVA for more."""
    if min_diff is None:
        raise InputError.at(
            "min_diff", "is missing", f"give the smallest difference that matters ({option('min_diff')})"
        )
    if systems == 2:  # noqa: PLR2004
        found = pass_rate_design(
            pass_rate=pass_rate, min_diff=min_diff, correlation=correlation, alpha=alpha, power=power
        )
        near = [{"n": n, "power": reached, "min_diff": min_diff} for n, reached in found.alternatives]
        fields = {"n": found.n, "power": found.power, "method": found.method, "alternatives": near}
        more = {"test": "mcnemar-mid-p", "systems": 2, "min_diff": min_diff, "alpha": alpha, "normal_n": found.normal_n}
        return Told(words.pass_rate_text(found), fields | more)
    if not 0 < pass_rate < 1:
        raise InputError.at("pass_rate", f"{pass_rate:g} is not between 0 and 1", "give a share such as 0.62")
    middle = min(max(pass_rate + min_diff / 2, pass_rate), 0.5 if pass_rate < 0.5 < pass_rate + min_diff else 1.0)  # noqa: PLR2004
    answer = design(
        variance=middle * (1 - middle),
        systems=systems,
        min_diff=min_diff,
        alpha=alpha,
        power=power,
        test="two-way",
        correlation=correlation,
    )
    return Told(words.prompts(answer_text(answer)), design_fields(answer) | {"pass_rate": pass_rate}, answer)


def told_decision(
    pilot: FloatArray, *, goal: str, target: float, k: int, alpha: float, rng: np.random.Generator
) -> Told:
    """The smallest n for a right decision."""
    found = topics_for_decision(pilot, goal=goal, target=target, k=k, alpha=alpha, rng=rng)
    near = [{"n": n, "power": reached, "min_diff": None} for n, reached in found.curve]
    fields = {"n": found.n, "power": found.reached, "method": "resampling", "alternatives": near, "goal": goal}
    more = {"target": target, "error": found.error, "reliability": found.reliability, "k": k}
    return Told(words.decision_text(found, goal=goal, target=target, k=k), fields | more)


def with_section(told: Told, name: str, text: str, value: Any) -> Told:  # Any: JSON value
    """The same, with one more part."""
    return replace(told, text=f"{told.text}\n\n{text}", fields=told.fields | {name: value})


def design_fields(answer: Design) -> dict[str, Any]:  # Any: JSON values
    """The answer as JSON fields; ``n``, ``power``, ``method`` and ``alternatives`` are those scripts rely on."""
    return {
        "n": answer.n,
        "power": answer.power,
        "method": answer.method,
        "test": answer.test,
        "solved": answer.solved,
        "systems": answer.systems,
        "min_diff": answer.min_diff,
        "alpha": answer.alpha,
        "variance": answer.variance,
        "error_variance": answer.asked.error_variance,
        "exact_n": answer.exact_n,
        "exact_power": answer.exact_power,
        "published_n": answer.published_n,
        "width": answer.width,
        "alternatives": [asdict(near) for near in answer.alternatives],
    }


def _side_fields(side: PilotSide) -> dict[str, Any]:  # Any: JSON values
    answer = side.design
    return {
        "scores": side.scores,
        "variance": side.variance,
        "variance_limits": side.variance_limits,
        "n": answer.n if answer else None,
        "power": answer.power if answer else None,
        "min_diff": answer.min_diff if answer else None,
        "low": side.low,
        "high": side.high,
        "refusal": side.refusal,
    }
