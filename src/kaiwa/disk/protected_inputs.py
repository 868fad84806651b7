"""No verb writes over what it reads, nor over a database: every writer asks here before it replaces a file."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_READ: ContextVar[frozenset[Path]] = ContextVar("read", default=frozenset())
_FIX = "give another name for the output"
_DATABASE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")  # the files in which SQLite keeps what is not in the database yet


@contextmanager
def reading(paths: Iterable[Path]) -> Iterator[None]:
    """While the block runs, these files are not replaced, nor any file in these folders."""
    known = {path.resolve() for path in paths if path.is_file() or path.is_dir()}
    before = _READ.set(_READ.get() | known)
    try:
        yield
    finally:
        _READ.reset(before)


def refuse_input(path: Path) -> None:
    """Refuse to write what is read, a file in a folder that is read, or a database; links are followed.

    A database is the vote log of a task or a copy of one: people made it, and no command can make it again.
    """
    target, read = path.resolve(), _READ.get()
    if _is_database(target):
        raise InputError.at(path, "holds the votes of a task, which are never overwritten", _FIX)
    if target in read:
        raise InputError.at(path, "would overwrite what this command reads", _FIX)
    if target.is_file() and (inside := read.intersection(target.parents)):
        raise InputError.at(path, f"is in {min(inside)}, which this command reads", _FIX)


def _is_database(target: Path) -> bool:
    """Whether a file is a SQLite database, or belongs to one."""
    ending = next((one for one in _BESIDE if target.name.endswith(one)), "")
    database = target.with_name(target.name.removesuffix(ending))
    if not database.is_file():  # a pipe would wait for its writer
        return False
    try:
        with database.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def refuse_folder_of_inputs(path: Path) -> None:
    """Refuse to replace a folder that is read, or that contains what is read."""
    refuse_input(path)
    target = path.resolve()
    if inside := [read for read in _READ.get() if target in read.parents]:
        raise InputError.at(path, f"contains {min(inside).name}, which this command reads", _FIX)
