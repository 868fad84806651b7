"""The answers to a design question: a design with its parts, a table of sizes, a decision, or pass rates."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.formats.text.delimited import csv_text
from kaiwa.model.direction import TOPICS_AND_RUNS
from kaiwa.report.results import design_parts
from kaiwa.report.results.design_answer import answer_text, design_fields
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.scores import Scores
    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.pilot_design import PilotDesign, PilotSide
    from kaiwa.topicset import Design, PassRateDesign
    from kaiwa.topicset.budget import Split
    from kaiwa.topicset.simulation.decisions import Decision
    from kaiwa.topicset.simulation.power_simulation import Simulated
    from kaiwa.topicset.size_table import SizeTable
    from kaiwa.topicset.topic_rounds import Rounds


@dataclass(frozen=True)
class Simulation:
    """Simulated powers of a test at increasing sizes; the last is the answer."""

    test: str
    steps: Sequence[Simulated]


@dataclass(frozen=True)
class Costs:
    """The cost of each way of judging, or the design for the given hours; the best first."""

    splits: Sequence[Split]
    hours: float | None


@dataclass(frozen=True)
class DesignView:
    """A design, the pilot it comes from, and the parts that were asked for."""

    design: Design
    pilot: PilotDesign | None = None
    simulation: Simulation | None = None
    costs: Costs | None = None
    rounds: Rounds | None = None

    def text(self) -> str:
        """The answer first, then its parts."""
        pilot = design_parts.pilot_text(self.pilot) if self.pilot else None
        axes = self.pilot.pilot.axes if self.pilot else TOPICS_AND_RUNS
        parts = [answer_text(self.design, pilot=pilot, topic=axes.topic)]
        if self.simulation:
            parts.append(design_parts.simulation_text(self.simulation.steps, test=self.simulation.test))
        if self.costs:
            parts.append(design_parts.budget_text(self.costs.splits, hours=self.costs.hours))
        if self.rounds:
            parts.append(design_parts.rounds_text(self.rounds))
        return "\n\n".join(parts)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The fields of the design, and each part under its own name."""
        values = design_fields(self.design)
        if self.pilot:
            values |= _pilot_fields(self.pilot)
        if self.simulation:
            steps = [vars(one) for one in self.simulation.steps]
            values["simulation"] = steps[-1] | {"test": self.simulation.test, "steps": steps}
        if self.costs:
            values["cost"] = [_split_fields(split) for split in self.costs.splits]
        if self.rounds:
            values["rounds"] = asdict(self.rounds)
        return values


@dataclass(frozen=True)
class SizeTableView:
    """The sizes over a grid, as text, csv or latex."""

    found: SizeTable
    form: str = "text"

    def text(self) -> str:
        """A row per difference, a column per number of systems."""
        found, asked = self.found, self.found.asked
        header = ["minD", *(f"m={m}" for m in found.systems)]
        rows: list[list[Cell]] = [[d, *row] for d, row in zip(found.min_diffs, found.sizes, strict=True)]
        if self.form == "csv":
            return csv_text(header, rows).rstrip()
        if self.form == "latex":
            from kaiwa.report.latex_tables import latex_table

            return latex_table(header, rows, digits=2).rstrip()
        lead = (
            f"Topics needed for {100 * (asked.power or 0.8):g}% power at alpha {asked.alpha or 0.05:g}, "
            f"score variance {asked.variance:.4g}, by {asked.test} ({asked.method}): a row is the best-worst "
            f"difference minD, a column the number of systems m."
        )
        return f"{lead}\n\n{table(header, rows, digits=2).rstrip()}"

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """What all cells share, and every cell."""
        found, asked = self.found, self.found.asked
        shared = {name: getattr(asked, name) for name in ("method", "test", "variance", "alpha", "power")}
        cells = [
            {"systems": m, "min_diff": d, "n": n}
            for d, row in zip(found.min_diffs, found.sizes, strict=True)
            for m, n in zip(found.systems, row, strict=True)
        ]
        return shared | {"table": cells}


@dataclass(frozen=True)
class PassRateView:
    """How many prompts two pass rates need, by McNemar's test."""

    found: PassRateDesign
    min_diff: float

    def text(self) -> str:
        """The answer, in terms of prompts."""
        return design_parts.pass_rate_text(self.found)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The fields of a design, for prompts."""
        found = self.found
        near = [{"n": n, "power": reached, "min_diff": self.min_diff} for n, reached in found.alternatives]
        return {
            "n": found.n,
            "power": found.power,
            "method": found.method,
            "alternatives": near,
            "test": "mcnemar-mid-p",
            "systems": 2,
            "min_diff": self.min_diff,
            "alpha": found.alpha,
            "normal_n": found.normal_n,
        }


@dataclass(frozen=True)
class PromptsView:
    """How many prompts the pass rates of more than two systems need, by two-way ANOVA."""

    design: Design
    pass_rate: float

    def text(self) -> str:
        """The answer, in terms of prompts."""
        return answer_text(self.design, topic="prompt")

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The fields of the design, and the pass rate."""
        return design_fields(self.design) | {"pass_rate": self.pass_rate}


@dataclass(frozen=True)
class DecisionView:
    """The smallest number of topics for a right decision, by resampling the pilot."""

    found: Decision
    goal: str
    target: float
    k: int
    pilot: Scores

    def text(self) -> str:
        """The answer, and what each number of topics reaches."""
        return design_parts.decision_text(self.found, goal=self.goal, target=self.target, k=self.k, pilot=self.pilot)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The fields of a design, and those of the decision."""
        found = self.found
        return {
            "n": found.n,
            "power": found.reached,
            "method": "resampling",
            "alternatives": [{"n": n, "power": reached, "min_diff": None} for n, reached in found.curve],
            "goal": self.goal,
            "target": self.target,
            "error": found.error,
            "n_low": found.low,
            "n_high": found.high,
            "reliability": found.reliability,
            "k": self.k,
            "measure": self.pilot.measure,
            "direction": self.pilot.direction,
        }


def _pilot_fields(found: PilotDesign) -> dict[str, Any]:  # Any: JSON values
    pilot = {
        "measure": found.pilot.measure,
        "direction": found.pilot.direction,
        "topics": found.topics,
        "runs": found.runs,
        "sides": [_side_fields(side) for side in found.sides],
        "worst_case_n": found.worst_case.n if found.worst_case else None,
    }
    one, sure = found.one_way, found.assurance
    one_way = {"n": one.n, "power": one.power, "min_diff": one.min_diff, "variance": one.variance} if one else None
    return {
        "n_low": found.raw.low,
        "n_high": found.raw.high,
        "assurance": asdict(sure) if sure else None,
        "one_way": one_way,
        "warnings": design_parts.pilot_warnings(found),
        "pilot": pilot,
    }


def _side_fields(side: PilotSide) -> dict[str, Any]:  # Any: JSON values
    design = side.design
    return {
        "scores": side.scores,
        "variance": side.variance,
        "variance_limits": side.variance_limits,
        "df": side.found.df,
        "n": design.n if design else None,
        "power": design.power if design else None,
        "min_diff": design.min_diff if design else None,
        "low": side.low,
        "high": side.high,
        "refusal": side.refusal,
    }


def _split_fields(split: Split) -> dict[str, Any]:  # Any: JSON values
    bought = {"n": split.n, "hours": split.hours, "power": split.power, "min_diff": split.min_diff}
    return vars(split.labelling) | bought
