"""A store of an older version, brought to this one: copied first, changed as a copy, then put in place."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.store.database import Database
from kaiwa.store.schema import VERSION
from kaiwa.store.tables import check_version, set_fact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sqlalchemy.engine import Connection

    Steps = Mapping[int, Callable[[Connection], None]]


STEPS: Steps = {}
"""What brings a store of a version to the next; the first version has none before it."""


def migrate_file(path: Path, *, steps: Steps = STEPS, to: int = VERSION) -> Path | None:
    """Bring a SQLite store to a version; the path of the copy that was made first, None if nothing was to do.

    The old file is in place until the new one is complete: a migration that is killed is started again.
    """
    database = Database(path)
    if not database.exists():
        return None
    with database.reading() as connection:
        found = check_version(connection, database.place)
    if found == to:
        return None
    database.settle()
    kept = path.with_name(f"{path.name}.version-{found}")
    _copied(path, kept)
    changed = path.with_name(f".{path.name}.migrating")
    _copied(path, changed)
    copy = Database(changed)
    with copy.writing() as connection:
        _apply(connection, path, found, steps, to)
    copy.settle()
    _put(changed, path)
    return kept


def migrate_tables(connection: Connection, place: str, *, steps: Steps = STEPS, to: int = VERSION) -> None:
    """Bring the tables of a PostgreSQL store to a version, in the transaction of this connection: all or nothing."""
    found = check_version(connection, place)
    if found != to:
        _apply(connection, place, found, steps, to)


def _apply(connection: Connection, place: object, found: int, steps: Steps, to: int) -> None:
    for version in range(found, to):
        if version not in steps:
            raise InputError.at(place, f"is a store of the unknown version {version}", "open it with an older Kaiwa")
        steps[version](connection)
    set_fact(connection, "version", str(to))


def _copied(source: Path, target: Path) -> None:
    """A copy that is on the disk under its name, or not at all."""
    temporary = target.with_name(f".{target.name}.new")
    temporary.unlink(missing_ok=True)
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    shutil.copyfile(source, temporary)
    _put(temporary, target)


def _put(temporary: Path, target: Path) -> None:
    """Rename a file that is on the disk, and put the name on the disk too."""
    _sync(temporary)
    temporary.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
