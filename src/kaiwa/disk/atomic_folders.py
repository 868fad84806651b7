"""Atomic folders: filled under a temporary name, then renamed."""

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
def atomic_folder(path: Path, *, mark: str) -> Iterator[Path]:
    """A temporary folder that becomes ``path`` if the block ends without an error, and is deleted if not.

    An existing folder is replaced only if it contains ``mark``, a file that only Kaiwa writes.
    """
    path = path.resolve() if path.is_symlink() else path
    _remove_leftovers(path)
    refuse_foreign(path, mark=mark)
    temporary = path.parent / f".{path.name}.{token_hex(8)}"  # chosen first: a signal before mkdir leaves nothing
    lock = -1
    try:
        temporary.mkdir(mode=0o700, parents=True)
        lock = _locked(temporary)
        yield temporary
        temporary.chmod(0o755)
        _replace(temporary, path)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        for left in (temporary, _backup_of(temporary)):
            shutil.rmtree(left, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


def _locked(folder: Path) -> int:
    """A lock on a folder, as an open handle; -1 if it is not available. It ends with the process."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # another process has just removed it
        return -1
    import fcntl  # POSIX only; reading and scoring work without it

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # in use by another process, or a file system without locks
        os.close(handle)
        return -1
    return handle


def _remove_leftovers(path: Path) -> None:
    """Delete what killed processes left beside ``path``; restore the old folder if one was replacing it."""
    names = f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}"
    found = [*path.parent.glob(names), *path.parent.glob(f"{names}.old")]
    for left in {entry.with_name(entry.name.removesuffix(".old")) for entry in found}:
        lock = _locked(left)
        if lock < 0 and left.exists():
            continue
        if _backup_of(left).is_dir() and not path.exists():
            _backup_of(left).rename(path)
        for stale in (left, _backup_of(left)):
            shutil.rmtree(stale, ignore_errors=True)
        if lock >= 0:
            os.close(lock)


def refuse_foreign(path: Path, *, mark: str) -> None:
    """Refuse to overwrite a file, or a folder with other content."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, "is a file, not a folder", "give another name")
    if path.is_dir() and any(path.iterdir()) and not (path / mark).exists():
        raise InputError.at(path, f"is a folder with other files (no {mark})", "give a new or empty folder")


def unwritable(path: Path, fault: OSError) -> InputError:
    """The error for a path that cannot be written."""
    return InputError.at(path, f"cannot be written ({fault.strerror or fault})", "check the folder and the disk")


def _replace(new: Path, path: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    try:
        path.rename(_backup_of(new))
        new.rename(path)
    except BaseException:
        if _backup_of(new).exists() and not path.exists():  # stopped between the two renames: restore the old folder
            _backup_of(new).rename(path)
        raise


def _backup_of(new: Path) -> Path:
    """The path of the old folder while the new one replaces it."""
    return new.with_name(f"{new.name}.old")


def sync_folder(folder: Path) -> None:
    """Write the folder's files to the disk (fsync), so that a renamed file is never empty."""
    for name in [*folder.iterdir(), folder]:
        handle = os.open(name, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
