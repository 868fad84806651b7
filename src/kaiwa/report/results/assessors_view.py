"""The quality of assessors: a line each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.model.simulated import SIMULATED_NOTICE
from kaiwa.report.results.agree_view import defined
from kaiwa.report.text_tables import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.label.assessor_quality import AssessorQuality, PanelQuality
    from kaiwa.report.text_tables import Cell

_MOST_LEVELS = 5
"""Levels whose shares and confusion fit on a line."""
NOTES = (
    "severity: levels below the average assessor on the same items, with a 95% interval over topics.",
    "agreement: with the others' votes on the same items; kappa: beyond chance.",
    "confusion: of 100 votes on items of probable level 0 / 1 / ..., those at each level (Dawid and Skene).",
)
ANONYMOUS = "A column of an STC label file need not be the same person on every item: do not read a line as a person."


@dataclass(frozen=True)
class AssessorsView:
    """The quality of each assessor."""

    found: PanelQuality

    def text(self) -> str:
        """A line per assessor, the one who agrees least with the others first."""
        return "\n".join([panel_rows(self.found).text(), *panel_notes(self.found)])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The lines as JSON fields; what is undefined is null."""
        found = self.found
        return {
            "assessors": [_plain(asdict(one)) for one in found.assessors],
            "topics": found.topics,
            "top": found.top,
            "anonymous": found.anonymous,
            "simulated": found.simulated,
        }


def panel_rows(found: PanelQuality) -> Rows:
    """The lines, with the shares and confusion of at most five levels."""
    few = found.top < _MOST_LEVELS
    levels = [f"L{level}" for level in range(found.top + 1)] if few else ["L0", f"L{found.top}"]
    header = ["assessor", "items", "NA", "mean", *levels, "severity", "low", "high", "agreement", "kappa"]
    rows: list[list[Cell]] = [
        [
            one.name,
            one.items,
            one.missing,
            *map(defined, (one.mean_level, *(one.shares if few else (one.shares[0], one.shares[-1])))),
            *map(defined, (one.severity.value, one.severity.low, one.severity.high, one.agreement, one.kappa)),
            *([_confusion(one)] if few else []),
        ]
        for one in found.assessors
    ]
    return Rows([*header, *(["confusion"] if few else [])], rows, digits=2)


def panel_notes(found: PanelQuality) -> Sequence[str]:
    """How to read the lines, and from which votes they are."""
    size = f"{counted(len(found.assessors), 'assessor')}, {counted(found.topics, 'topic')}"
    shown = NOTES if found.top < _MOST_LEVELS else NOTES[:-1]
    marks = ([ANONYMOUS] if found.anonymous else []) + ([SIMULATED_NOTICE] if found.simulated else [])
    return [size, *shown, *marks]


def _confusion(one: AssessorQuality) -> str:
    return " / ".join(" ".join("-" if isnan(share) else f"{100 * share:.0f}" for share in row) for row in one.confusion)


def _plain(value: Any) -> Any:  # Any: JSON values
    """The value with null for what is undefined."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return defined(value) if isinstance(value, float) else value
