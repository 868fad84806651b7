"""A copy of a task's store, checked; also while its server runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra
from kaiwa.flow.judging.serve import store_of
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "backups"


@dataclass(frozen=True)
class Backup:
    """A copy: its path, the rows and the head of its log."""

    path: Path
    rows: int
    head: str


def backup_task(folder: Path, output: Path | None = None, *, store: str | None = None) -> Backup:
    """Copy the votes of a task to a SQLite file, by default into its folder ``backups``."""
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.log_copy import copy_store

    task = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    target = output or _next_name(folder)
    copied = copy_store(database, target, hidden=takedown_ids(task))
    return Backup(target, copied.rows, copied.head)


def _next_name(folder: Path) -> Path:
    backups = folder / FOLDER
    try:
        backups.mkdir(mode=0o700, exist_ok=True)
        os.chmod(backups, 0o700)  # noqa: PTH101  also if the umask took more
    except OSError as fault:
        raise InputError.at(backups, f"cannot be made ({fault.strerror})", "give a file with -o") from None
    return backups / f"votes-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
