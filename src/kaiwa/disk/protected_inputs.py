"""No verb writes over what it reads: what is read is known while a verb runs, and every writer asks here."""

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
    """Refuse to write a file or folder that is read, or a file in a folder that is read; links are followed."""
    target, read = path.resolve(), _READ.get()
    if target in read:
        raise InputError.at(path, "would overwrite what this command reads", _FIX)
    if target.is_file() and (inside := read.intersection(target.parents)):
        raise InputError.at(path, f"is in {min(inside)}, which this command reads", _FIX)


def refuse_folder_of_inputs(path: Path) -> None:
    """Refuse to replace a folder that is read, or that contains what is read."""
    refuse_input(path)
    target = path.resolve()
    if inside := [read for read in _READ.get() if target in read.parents]:
        raise InputError.at(path, f"contains {min(inside).name}, which this command reads", _FIX)
