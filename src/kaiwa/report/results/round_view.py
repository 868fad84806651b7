"""A round in a task folder: a new task, its status, its report, and the next round."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import typed
from kaiwa.report.results.design_answer import design_fields, headline, paragraph
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.next_round import NextRound
    from kaiwa.task.round_results import MeasureResults
    from kaiwa.task.round_status import RoundStatus
    from kaiwa.task.task_folder import Task


@dataclass(frozen=True)
class InitView:
    """A new task folder."""

    task: Task

    def text(self) -> str:
        """Where to put the files, and the next command."""
        task = self.task
        return (
            f"{task.config}: edit the settings\n{task.topics}: put the topics here (id TAB text)\n"
            f"{task.folder / 'runs'}/: put the runs here\nThen: kaiwa status {typed(task.folder)}"
        )

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The folder and its settings file."""
        return {"folder": str(self.task.folder), "config": str(self.task.config)}


@dataclass(frozen=True)
class StatusView:
    """The status of a round."""

    status: RoundStatus
    folder: Path

    def text(self) -> str:
        """A row per file, and the next command."""
        rows = [[step.file, step.state, step.why] for step in self.status.steps]
        following = f"Next, in {self.folder}: {self.status.next}" if self.status.next else "The round is complete."
        return f"{table(['file', 'state', ''], rows)}\n\n{following}"

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The steps and the next command."""
        return {"steps": [asdict(step) for step in self.status.steps], "next": self.status.next or None}


@dataclass(frozen=True)
class NextView:
    """How many topics the next round needs."""

    found: NextRound

    def text(self) -> str:
        """The answer, a row per measure, and a paragraph for the proposal."""
        rows: list[list[Cell]] = [
            [measure, one.raw.variance, one.raw.n, one.std_ab.n] for measure, one in self.found.by_measure.items()
        ]
        by_measure = table(["measure", "V_E", "topics", "topics with std-AB"], rows)
        return "\n\n".join([headline(self.found.largest), by_measure, paragraph(self.found.largest)])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The fields of the largest design, and every measure's numbers."""
        return {
            **design_fields(self.found.largest),
            "measure": self.found.measure,
            "measures": {
                measure: {"n": one.raw.n, "variance": one.raw.variance, "n_std_ab": one.std_ab.n}
                for measure, one in self.found.by_measure.items()
            },
        }


@dataclass(frozen=True)
class ReportView:
    """A report that was written, and the folder of its files."""

    measures: Sequence[MeasureResults]
    page: Path
    files: Path

    def text(self) -> str:
        """Which run leads by each measure, and where the report is."""
        lines = [f"{measure}: {run} leads" for measure, run in self._best().items()]
        return "\n".join([*lines, f"report: {self.page}", f"tables, data and figures: {self.files}"])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The paths, the best run of each measure, and the topics that the next round needs."""
        needed = {one.scores.measure: one.design.n for one in self.measures if one.design}
        return {"report": str(self.page), "files": str(self.files), "best": self._best(), "topics": needed}

    def _best(self) -> dict[str, str]:
        return {one.scores.measure: one.comparison.standings[0].run for one in self.measures}
