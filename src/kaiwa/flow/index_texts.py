"""Texts and ids to runs of bytes on disk, as the index shows them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.files.arrays import GrowingArray
    from kaiwa.files.index import IndexWriter


class Run:
    """Strings written one after the other, as one array of bytes and the places where each starts."""

    def __init__(self, run: GrowingArray, starts: GrowingArray) -> None:
        self._run, self._starts = run, starts
        self._end = 0
        starts.add(np.zeros(1))

    def add(self, strings: list[str]) -> None:
        """Append the strings."""
        encoded = [string.encode() for string in strings]
        ends = self._end + np.cumsum([len(string) for string in encoded], dtype=np.int64)
        self._run.add(np.frombuffer(b"".join(encoded), dtype=np.uint8))
        self._starts.add(ends)
        self._end = int(ends[-1]) if len(ends) else self._end


@contextmanager
def writing_run(writer: IndexWriter, name: str, starts: str) -> Iterator[Run]:
    """A run of strings, and the array of where they start."""
    with writer.growing(name, np.uint8) as run, writer.growing(starts, np.int64) as places:
        yield Run(run, places)
