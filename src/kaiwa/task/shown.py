"""A round in a task folder: a new task, its status, its report, and the next round."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.comparison.texts import best_means, first_rank, first_runs
from kaiwa.errors import counted, typed
from kaiwa.nouns.votes import SIMULATED_NOTICE
from kaiwa.show.text import table

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.reporting.results import RoundResults
    from kaiwa.task.folder import Task
    from kaiwa.task.status import RoundStatus


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
class RunView:
    """The commands that were run in a task folder, and its status afterwards."""

    done: tuple[str, ...]
    status: RoundStatus
    folder: Path
    dry_run: bool

    def text(self) -> str:
        """The status, after how many steps were done; of a dry run the commands."""
        if self.dry_run:
            return "\n".join(self.done) or "Nothing to do."
        return f"{counted(len(self.done), 'step')} done.\n\n{StatusView(self.status, self.folder).text()}"

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The commands, and the status."""
        return {"commands": list(self.done), "dry_run": self.dry_run, **StatusView(self.status, self.folder).fields()}


@dataclass(frozen=True)
class ReportView:
    """A report that was written, and the folder of its files."""

    results: RoundResults
    page: Path
    files: Path

    def text(self) -> str:
        """Who has rank 1 by each measure, and where the report is."""
        marks = [f"{mark}: {'; '.join(why)}" for mark, why in self._marks().items() if why]
        lines = [f"{one.scores.label}: {first_rank(one.comparison)}" for one in self.results.measures]
        simulated = [SIMULATED_NOTICE] if self._is_simulated() else []
        return "\n".join(
            [*simulated, *marks, *lines, f"report: {self.page}", f"tables, data and figures: {self.files}"]
        )

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The paths, who has rank 1 and the best mean by each measure, the topics of the next round, and the marks."""
        ranked = {one.scores.measure: one.comparison for one in self.results.measures}
        return {
            "report": str(self.page),
            "files": str(self.files),
            "rank_1": {measure: first_runs(one) for measure, one in ranked.items()},
            "best_mean": {measure: best_means(one) for measure, one in ranked.items()},
            "topics": {one.scores.measure: one.design.n for one in self.results.measures if one.design},
            "plug_in_topics": {one.scores.measure: one.design.plug_in_n for one in self.results.measures if one.design},
            **{mark.lower(): why for mark, why in self._marks().items()},
            "simulated": self._is_simulated(),
        }

    def _is_simulated(self) -> bool:
        return self.results.votes is not None and self.results.votes.simulated

    def _marks(self) -> dict[str, list[str]]:
        return {"PROVISIONAL": self.results.progress.findings(), "STALE": self.results.stale}
