"""The status of the round in a task folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.task.round_status import DONE, INCOMPLETE, RoundStatus, StepState, round_status
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path


def remaining_steps(folder: Path, *, dry_run: bool = False) -> Iterator[StepState]:
    """The files that a command must make now, in order, up to the first that people must make.

    The status is read again after each, because its commands depend on the files before; a dry run reads it once.
    """
    tried = set[str]()
    while step := _first_not_done(task_status(folder), tried):
        yield step
        tried.add(step.file)
        if not dry_run and not (folder / step.file).exists():
            return


def _first_not_done(status: RoundStatus, tried: Collection[str]) -> StepState | None:
    waiting = (step for step in status.steps if step.state not in {DONE, INCOMPLETE} and step.file not in tried)
    step = next(waiting, None)
    return step if step and step.makes else None


def task_status(folder: Path) -> RoundStatus:
    """The state of every file of the task folder."""
    return round_status(read_task(folder))
