"""Strings on disk, found again by their row; memory holds none of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_PLACE = 8


class RowFile:
    """A file of strings one after the other, and one of the places where they end."""

    def __init__(self, path: Path) -> None:
        self._paths = (path.with_suffix(".text"), path.with_suffix(".ends"))
        self._text, self._ends = (name.open("w+b") for name in self._paths)
        self._end = 0
        self._ends.write(bytes(_PLACE))

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings of the rows that follow."""
        encoded = [string.encode() for string in strings]
        ends = self._end + np.cumsum([len(string) for string in encoded], dtype=np.int64)
        self._text.write(b"".join(encoded))
        self._ends.write(ends.tobytes())
        self._end = int(ends[-1]) if len(ends) else self._end

    def at(self, rows: Sequence[int]) -> list[str]:
        """The strings of these rows."""
        self._text.flush()
        self._ends.flush()
        text, ends = self._text.fileno(), self._ends.fileno()
        found = []
        for row in rows:
            low, high = np.frombuffer(os.pread(ends, 2 * _PLACE, row * _PLACE), dtype=np.int64).tolist()
            found.append(os.pread(text, high - low, low).decode())
        return found

    def close(self) -> None:
        """Delete the files."""
        for file, path in zip((self._text, self._ends), self._paths, strict=True):
            file.close()
            path.unlink(missing_ok=True)
