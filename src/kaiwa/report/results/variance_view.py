"""The variances of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from kaiwa.compare.variance_components import Variance
    from kaiwa.model.direction import Axes
    from kaiwa.model.scores import Scores
    from kaiwa.report.text_tables import Cell


@dataclass(frozen=True)
class VarianceView:
    """V_E and V_E2 with limits, and the variance components of a single matrix; ``scores`` are those of the first."""

    found: Variance
    scores: Scores

    def text(self) -> str:
        """A row per variance."""
        found, axes = self.found, self.scores.axes
        pooled = f", pooled over {found.matrices} files" if found.matrices > 1 else ""
        named = f"{self.scores.label}: " if self.scores.direction == "lower" else ""
        heading = f"{named}{counted(found.topics, axes.topic)}, {counted(found.runs, axes.run)}{pooled}\n"
        rows: list[list[Cell]] = [
            [f"V_E (within {axes.run}s)", found.v_e, *(found.v_e_limits or (None, None))],
            ["V_E2 (two-way residual)", found.v_e2, *(found.v_e2_limits or (None, None))],
            *_component_rows(found, axes),
        ]
        return heading + table(["variance", "value", "low", "high"], rows, digits=6)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The variances as JSON fields."""
        found = self.found
        return {
            "v_e": found.v_e,
            "v_e2": found.v_e2,
            "v_e_limits": found.v_e_limits,
            "v_e2_limits": found.v_e2_limits,
            "topics": found.topics,
            "runs": found.runs,
            "matrices": found.matrices,
            "confidence": found.confidence,
            "measure": self.scores.measure,
            "direction": self.scores.direction,
            "components": vars(found.components) if found.components else None,
        }


def _component_rows(found: Variance, axes: Axes) -> list[list[Cell]]:
    parts = found.components
    if not parts:
        return []
    named = {
        f"component: {axes.topic}": parts.topic,
        f"component: {axes.run}": parts.run,
        "component: residual": parts.residual,
        "generalisability (order)": parts.generalisability,
        "dependability (scores)": parts.dependability,
    }
    return [[name, value, "", ""] for name, value in named.items()]
