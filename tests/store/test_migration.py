"""A store of an older version: copied first, and the old file opens until the new one is complete."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from kaiwa.errors import InputError
from kaiwa.store.database import Database
from kaiwa.store.log_check import check_store
from kaiwa.store.migration import migrate_file

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from conftest import Round


def add_column(connection: Connection) -> None:
    """A migration as a later version may have it."""
    connection.execute(text("ALTER TABLE people ADD COLUMN shoe_size INTEGER"))


def version_of(path: Path) -> str:
    """The version that a file has."""
    with Database(path).reading() as connection:
        return str(connection.execute(text("SELECT value FROM facts WHERE name = 'version'")).scalar_one())


def test_a_migration_keeps_a_copy_of_the_old_file(judged: Round) -> None:
    """Readable by its owner only; the votes are the same in both."""
    before = check_store(Database(judged.path))
    kept = migrate_file(judged.path, steps={1: add_column}, to=2)
    assert kept is not None
    assert (version_of(kept), version_of(judged.path)) == ("1", "2")
    assert kept.stat().st_mode & 0o777 == 0o600 == judged.path.stat().st_mode & 0o777
    assert check_store(Database(kept)) == before


def test_nothing_is_done_to_a_store_of_this_version(judged: Round) -> None:
    """No copy is left."""
    assert migrate_file(judged.path) is None
    assert [one.name for one in judged.path.parent.glob("*version*")] == []


def test_an_unknown_old_version_is_one_line(judged: Round) -> None:
    """And the file is as it was."""
    judged.edit("UPDATE facts SET value = '0' WHERE name = 'version'")
    with pytest.raises(InputError, match="unknown version 0"):
        judged.open()
    assert version_of(judged.path) == "0"


KILLED = """
import os, signal, sys
from pathlib import Path
from kaiwa.store.migration import migrate_file

def step(connection):
    connection.exec_driver_sql("ALTER TABLE people ADD COLUMN shoe_size INTEGER")
    connection.exec_driver_sql("DELETE FROM votes")
    os.kill(os.getpid(), signal.SIGKILL)

migrate_file(Path(sys.argv[1]), steps={1: step}, to=2)
"""


def test_a_migration_killed_in_the_middle_leaves_the_old_file(judged: Round) -> None:
    """It opens, is sound, and can be migrated afterwards."""
    ended = subprocess.run([sys.executable, "-c", KILLED, str(judged.path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    with judged.open() as store:
        assert store.state.count == 72
    assert check_store(Database(judged.path)).findings == ()
    assert migrate_file(judged.path, steps={1: add_column}, to=2) is not None
    assert version_of(judged.path) == "2"
