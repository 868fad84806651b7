"""The status of the round in a task folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.task.round_status import RoundStatus, round_status
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from pathlib import Path


def task_status(folder: Path) -> RoundStatus:
    """The state of every file of the task folder."""
    return round_status(read_task(folder))
