"""Locks on folders, which end with the process that holds them."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def try_lock(folder: Path) -> int:
    """A lock on a folder, as an open handle; -1 if another process holds it or the folder is missing."""
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


def lock(folder: Path) -> int:
    """A lock on a folder, as an open handle, after other processes have ended theirs; -1 if the folder is missing."""
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:  # another process has just removed it
        return -1
    with suppress(OSError):  # a file system without locks: one process at a time is up to the user
        fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def unlock(handle: int) -> None:
    """End a lock."""
    if handle >= 0:
        os.close(handle)


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Only one process at a time is in the block; the others wait."""
    handle = lock(folder)
    try:
        yield
    finally:
        unlock(handle)
