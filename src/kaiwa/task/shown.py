"""A round in a task folder: a new task, its status, and the commands that were run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted, typed
from kaiwa.show.text import table

if TYPE_CHECKING:
    from pathlib import Path

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
