"""Start a task: an empty task folder with a commented ``kaiwa.toml``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError
from kaiwa.task.folder_search import CONFIG
from kaiwa.task.settings import TEMPLATE
from kaiwa.task.task_folder import Task, read_task

if TYPE_CHECKING:
    from pathlib import Path


def init_task(folder: Path) -> Task:
    """Make the folder, its settings file and its ``runs/``; an existing task is refused."""
    if (folder / CONFIG).exists():
        raise InputError.at(folder / CONFIG, "already exists", "choose another folder, or edit it")
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, "is a file", "choose another name for the folder")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    write_text(folder / CONFIG, TEMPLATE)
    return read_task(folder)
