"""Folders that are either whole or absent: filled under a temporary name, then renamed."""

from __future__ import annotations

import glob
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

    An existing folder is replaced only if it holds ``mark``, the file that shows it is ours.
    """
    path = path.resolve() if path.is_symlink() else path
    _sweep(path)
    refuse_foreign(path, mark=mark)
    temporary = path.parent / f".{path.name}.{token_hex(8)}"  # a signal before it is made leaves nothing behind
    held = -1
    try:
        temporary.mkdir(mode=0o700, parents=True)
        held = _held(temporary)
        yield temporary
        temporary.chmod(0o755)
        _take_place(temporary, path)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        for left in (temporary, _aside(temporary)):
            shutil.rmtree(left, ignore_errors=True)
        if held >= 0:
            os.close(held)


def _held(folder: Path) -> int:
    """A lock on a folder, as an open handle; -1 when it cannot be had. It ends with the process."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # another process has just removed it
        return -1
    import fcntl  # POSIX only; reading and scoring work without it

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another process fills it; or a file system without locks, where nothing is cleared away
        os.close(handle)
        return -1
    return handle


def _sweep(path: Path) -> None:
    """Clear away what killed processes left beside ``path``; if one was killed while swapping, the old comes back."""
    names = f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}"
    found = [*path.parent.glob(names), *path.parent.glob(f"{names}.old")]
    for left in {entry.with_name(entry.name.removesuffix(".old")) for entry in found}:
        held = _held(left)
        if held < 0 and left.exists():
            continue
        if _aside(left).is_dir() and not path.exists():
            _aside(left).rename(path)
        for stale in (left, _aside(left)):
            shutil.rmtree(stale, ignore_errors=True)
        if held >= 0:
            os.close(held)


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
        if _aside(new).exists() and not path.exists():  # stopped between the two: the old folder stays
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
