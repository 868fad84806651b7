"""Do the remaining steps of a round: each command that the status names, up to the first thing that people must do."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.ambient import remark
from kaiwa.errors import counted
from kaiwa.formats.reading import path_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.folder import read_task
from kaiwa.task.status import DONE, INCOMPLETE, Status, round_status, status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from os import PathLike

    from kaiwa.task.folder import Task
    from kaiwa.task.status import StepState


@dataclass(frozen=True, repr=False)
class Making(Result):
    """The commands that were run in a task folder, or would be in a ``dry_run``, and its status afterwards.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> kaiwa.make(kaiwa.init(Path(mkdtemp(), "chat")))
    Making(0 commands, next: 'put the topics into topics.tsv (id TAB text)')
    """

    commands: tuple[str, ...]
    dry_run: bool
    status: Status

    def __repr__(self) -> str:
        return f"Making({counted(len(self.commands), 'command')}, next: {self.next!r})"

    @property
    def steps(self) -> tuple[StepState, ...]:
        """Every file of the round, with its state."""
        return self.status.steps

    @property
    def next(self) -> str | None:
        """The next thing to do; None when the round is complete."""
        return self.status.next

    def describe(self) -> Description:
        """The status, after how many steps were done; of a dry run the commands."""
        after = self.status.describe()
        commands = Table("commands", ["command"], [[line] for line in self.commands])
        return Description(
            tables=[*after.tables, commands],
            fields={"commands": self.commands, "dry_run": self.dry_run, **after.fields},
            title="" if self.dry_run else f"{counted(len(self.commands), 'step')} done.",
            notes=() if self.dry_run else after.notes,
            text=("\n".join(self.commands) or "Nothing to do.") if self.dry_run else None,
        )


def make(task: PathLike[str] | str = ".", *, dry_run: bool = False) -> Making:
    """The remaining steps of the round in a task folder, done in order.

    Each is the command of a file that is missing or stale, as ``status`` names it, up to the first thing that people
    must do: topics, runs, votes. With unjudged items the report is made and marked PROVISIONAL. A ``dry_run`` makes
    nothing.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> made = kaiwa.make(kaiwa.init(Path(mkdtemp(), "chat")))
    >>> made.commands, made.next
    ((), 'put the topics into topics.tsv (id TAB text)')
    """
    folder = path_of("task", task)
    read_task(folder)  # a folder that is not a task is an error, before its commands are looked for
    done = list[str]()
    with contextlib.chdir(folder):
        for step in _remaining_steps(read_task(Path()), dry_run=dry_run):
            done.append(step.command)
            if not dry_run:
                remark(f"$ {step.command}")
                run_hidden(step.command)
        if not dry_run and any(Path().glob(".report-files.*")):
            from kaiwa.reporting.report import remove_leftovers

            remove_leftovers(Path("report.html"))
    return Making(tuple(done), dry_run, status(folder))


def run_hidden(command: str) -> str:
    """Run a command in this folder, as a shell would, and return what it prints; its remarks go where ours go."""
    from kaiwa.ambient import channel
    from kaiwa.cli.group import run_typed  # loads every option of the verb

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        run_typed(command, channel())
    return printed.getvalue()


def _remaining_steps(task: Task, *, dry_run: bool) -> Iterator[StepState]:
    """The files that a command must make now, in order, up to the first that people must make.

    The status is read again after each, because its commands depend on the files before; a dry run reads it once.
    """
    tried = set[str]()
    while step := _first_not_done(round_status(read_task(task.folder)), tried):
        yield step
        tried.add(step.file)
        if not dry_run and not (task.folder / step.file).exists():
            return


def _first_not_done(found: Status, tried: Collection[str]) -> StepState | None:
    waiting = (step for step in found.steps if step.state not in {DONE, INCOMPLETE} and step.file not in tried)
    step = next(waiting, None)
    return step if step and step.makes else None
