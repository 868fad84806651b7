"""Strings on disk, read by their row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kaiwa.disk.arrays import TemporaryArray

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class Appendable(Protocol):
    """An array to which values can be appended."""

    def add(self, values: NDArray[Any]) -> None:  # Any: any dtype
        """Append values."""


class StringWriter:
    """Strings written as an array of joined bytes, and an array of where each starts, and the end."""

    def __init__(self, text: Appendable, starts: Appendable) -> None:
        self._text, self._starts = text, starts
        self._end = 0
        starts.add(np.zeros(1))

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings."""
        encoded = [string.encode() for string in strings]
        lengths = np.array([len(string) for string in encoded], dtype=np.int64)
        self.add_bytes(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths)

    def add_bytes(self, joined: NDArray[np.uint8], lengths: NDArray[np.int64]) -> None:
        """Append strings, given as joined bytes and the length of each."""
        ends = self._end + np.cumsum(lengths)
        self._text.add(joined)
        self._starts.add(ends)
        self._end = int(ends[-1]) if len(ends) else self._end


class TemporaryStrings:
    """Strings in temporary files: all are appended first, then read by their rows."""

    def __init__(self, folder: Path) -> None:
        self._text, self._starts = TemporaryArray(folder, np.uint8), TemporaryArray(folder, np.int64)
        self._strings = StringWriter(self._text, self._starts)

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings of the next rows."""
        self._strings.add(strings)

    def at(self, rows: Sequence[int]) -> list[str]:
        """The strings of these rows."""
        bounds = (self._starts.read(row, row + 2).tolist() for row in rows)
        return [self._text.read(low, high).tobytes().decode() for low, high in bounds]

    def close(self) -> None:
        """Delete them."""
        self._text.close()
        self._starts.close()
