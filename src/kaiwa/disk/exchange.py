"""Two names of folders exchanged in one step, so that a kill leaves the old folder or the new one, never none."""

from __future__ import annotations

import ctypes
import os
from errno import EINVAL, ENOSYS, ENOTSUP, EXDEV
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux
_UNSUPPORTED = {EINVAL, ENOSYS, ENOTSUP, EXDEV}


def exchange(first: Path, second: Path, *, spare: Path) -> None:
    """Exchange two names; where the system cannot, by renames through a ``spare`` name."""
    if not _exchanged_at_once(first, second):
        second.rename(spare)
        try:
            first.rename(second)
        except BaseException:
            spare.rename(second)
            raise
        spare.rename(first)


def _exchanged_at_once(first: Path, second: Path) -> bool:
    """Whether Linux exchanged the names (renameat2); False if it cannot, or on another system."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(second))
