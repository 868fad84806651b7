"""Folders that are either whole or absent: filled under a temporary name, then renamed."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def whole_folder(path: Path, *, mark: str) -> Iterator[Path]:
    """A temporary folder that becomes ``path`` when the block ends well, and vanishes when it does not.

    A folder that stands there already is replaced only if it holds ``mark``, the file that shows it is ours.
    """
    refuse_foreign(path, mark=mark)
    temporary = path.parent / f".{path.name}.{token_hex(8)}"  # a signal before it is made leaves nothing behind
    try:
        temporary.mkdir(mode=0o700, parents=True)
        yield temporary
        temporary.chmod(0o755)
        _take_place(temporary, path)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        for left in (temporary, _aside(temporary)):
            shutil.rmtree(left, ignore_errors=True)


def refuse_foreign(path: Path, *, mark: str) -> None:
    """Refuse to write over a file, or over a folder with something else in it."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, "is a file, not a folder", "give another name")
    if path.is_dir() and any(path.iterdir()) and not (path / mark).exists():
        raise InputError.at(path, f"is a folder with other things in it (no {mark})", "give a new or empty folder")


def unwritable(path: Path, fault: OSError) -> InputError:
    """The refusal of a place that the system does not let us write."""
    return InputError.at(path, f"cannot be written ({fault.strerror or fault})", "check the folder and the disk")


def _take_place(new: Path, path: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    try:
        path.rename(_aside(new))
        new.rename(path)
    except BaseException:
        if _aside(new).exists() and not path.exists():  # stopped between the two: what stood there stays
            _aside(new).rename(path)
        raise


def _aside(new: Path) -> Path:
    """Where the old folder waits while the new one takes its place."""
    return new.with_name(f"{new.name}.old")


def settle(folder: Path) -> None:
    """Push the folder's files to the disk, so that a rename never names an empty file."""
    for name in [*folder.iterdir(), folder]:
        handle = os.open(name, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
