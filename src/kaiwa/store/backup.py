"""A copy of a task's votes, also while its server runs.

``backup`` is the public function, ``Backup`` its result; ``log_copy`` copies and checks.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kaiwa.ambient import progress
from kaiwa.errors import InputError, counted, needs_extra, option
from kaiwa.formats.reading import maybe_path, path_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.store.judged_task import store_of
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath

FOLDER = "backups"


@dataclass(frozen=True)
class Backup(Result, os.PathLike[str]):
    """A copy of a vote log: its path, rows and head, and how many findings of the log it has; it stands for its file.

    >>> import kaiwa
    >>> kaiwa.backup("task", output="copy.db").rows
    1
    """

    path: Path
    rows: int
    head: str
    findings: int

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Backup({str(self.path)!r}, {counted(self.rows, 'row')})"

    def describe(self) -> Description:
        """Where the copy is, and that it was checked."""
        fields = {"path": str(self.path), "rows": self.rows, "head": self.head, "findings": self.findings}
        what = f"the copy has {counted(self.findings, 'finding')} of the store; see them with: kaiwa verify"
        return Description(
            tables=[Table("copy", list(fields), [[str(self.path), self.rows, self.head, self.findings]])],
            text=f"{self.path}: {counted(self.rows, 'row')}, checked; head {self.head}",
            notes=[what] if self.findings else [],
            fields=fields,
        )


def backup(task: AnyPath = ".", *, output: AnyPath | None = None, store: str | None = None) -> Backup:
    """Copy the votes of a task to a SQLite file, which opens as ``votes.db`` of a task folder; also while people vote.

    The copy is checked before it gets its name ``output``, by default a new one in the folder ``backups`` of the task.
    What the takedown lists name is left out of it, and so are the sessions. ``store`` is the URL of a PostgreSQL
    database; by default the votes are in ``votes.db`` in the task folder.

    >>> import kaiwa
    >>> kaiwa.backup("task", output="copy.db")
    Backup('copy.db', 1 row)
    """
    folder, given = path_of("task", task), maybe_path("output", output)
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.log_copy import copy_store

    found = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    target = given or _next_name(folder)
    with progress("copying"):
        copied = copy_store(database, target, hidden=takedown_ids(found))
    return Backup(target, copied.rows, copied.head, len(copied.findings))


def _next_name(folder: Path) -> Path:
    backups = folder / FOLDER
    try:
        backups.mkdir(mode=0o700, exist_ok=True)
        os.chmod(backups, 0o700)  # noqa: PTH101  also if the umask took more
    except OSError as fault:
        what = f"cannot be made ({fault.strerror})"
        raise InputError.at(backups, what, f"give a file with {option('output')}") from None
    return backups / f"votes-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.db"
