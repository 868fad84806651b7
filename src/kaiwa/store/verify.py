"""The check of a task's store: its log, and its texts against the files of the task."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra
from kaiwa.labelling.items import judging_items
from kaiwa.store.judged_task import store_of
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.folder import read_task
from kaiwa.task.record import read_steps

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from kaiwa.store.log_check import LogCheck


def verify_task(folder: Path, *, store: str | None = None, heads: Collection[str] = ()) -> LogCheck:
    """What is wrong with the task's votes; ``heads`` and those recorded with exports must be in the log."""
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.log_check import check_store

    task = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    recorded = [step.options["head"] for step in read_steps(folder).values() if "head" in step.options]
    return check_store(database, published=[*heads, *recorded], items=judging_items(task))


# A copy of a task's store, checked; also while its server runs.


FOLDER = "backups"


@dataclass(frozen=True)
class Backup:
    """A copy: its path, the rows and the head of its log, and how many findings of the store it has."""

    path: Path
    rows: int
    head: str
    findings: int


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
    return Backup(target, copied.rows, copied.head, len(copied.findings))


def _next_name(folder: Path) -> Path:
    backups = folder / FOLDER
    try:
        backups.mkdir(mode=0o700, exist_ok=True)
        os.chmod(backups, 0o700)  # noqa: PTH101  also if the umask took more
    except OSError as fault:
        raise InputError.at(backups, f"cannot be made ({fault.strerror})", "give a file with -o") from None
    return backups / f"votes-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
