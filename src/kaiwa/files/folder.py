"""Folders that are either whole or absent: filled under a temporary name, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_folder(path: Path, *, mark: str) -> Iterator[Path]:
    """A temporary folder that becomes ``path`` when the block ends well, and vanishes when it does not.

    A folder that stands there already is replaced only if it holds ``mark``, the file that shows it is ours.
    """
    refuse_foreign(path, mark=mark)
    temporary = _beside(path)
    try:
        yield temporary
        temporary.chmod(0o755)
        _take_place(temporary, path)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def refuse_foreign(path: Path, *, mark: str) -> None:
    """Refuse to write over a file, or over a folder with something else in it."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, "is a file, not a folder", "give another name")
    if path.is_dir() and any(path.iterdir()) and not (path / mark).exists():
        raise InputError.at(path, f"is a folder with other things in it (no {mark})", "give a new or empty folder")


def unwritable(path: Path, fault: OSError) -> InputError:
    """The refusal of a place that the system does not let us write."""
    return InputError.at(path, f"cannot be written ({fault.strerror or fault})", "check the folder and the disk")


def _beside(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as fault:
        raise unwritable(path, fault) from None


def _take_place(new: Path, path: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    old = Path(f"{new}.old")
    path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def settle(folder: Path) -> None:
    """Push the folder's files to the disk, so that a rename never names an empty file."""
    for name in [*folder.iterdir(), folder]:
        handle = os.open(name, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
