"""Documents set aside on disk in parts, each the documents of a range of numbers; memory holds one part at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.arrays import TemporaryArray

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray

    Stream = NDArray[np.int32]


class DocumentParts:
    """One stream of whole numbers for every ``each`` documents; and how many documents and tokens there are."""

    def __init__(self, folder: Path, each: int) -> None:
        self.each = each
        self.documents = 0
        self.tokens = 0
        self.longest = 0  # of the documents, in tokens
        self._folder = folder
        self._parts: list[TemporaryArray] = []

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, streams: Stream, starts: IntArray, lengths: IntArray) -> None:
        """Append what stands in ``streams[starts[s] : starts[s + 1]]`` to stream s: documents of these lengths."""
        while len(self._parts) < len(starts) - 1:
            self._parts.append(TemporaryArray(self._folder, np.int32))
        for part in np.flatnonzero(np.diff(starts)).tolist():
            self._parts[part].add(streams[starts[part] : starts[part + 1]])
        self.documents += len(lengths)
        self.tokens += int(lengths.sum())
        self.longest = max(self.longest, int(lengths.max(initial=0)))

    def parts(self, *, last: bool = False) -> Iterator[tuple[range, Stream]]:
        """The numbers of the documents in each stream, and the stream; the last time it is then gone."""
        for first, part in zip(range(0, self.documents, self.each), self._parts, strict=True):
            stream = part.read()
            if last:
                part.close()
            yield range(first, min(first + self.each, self.documents)), stream

    def close(self) -> None:
        """Let go of the streams."""
        for part in self._parts:
            part.close()
