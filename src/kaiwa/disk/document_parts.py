"""Documents in temporary files, in parts by ranges of their numbers; memory holds one part at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.arrays import TemporaryArray

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray

    Tokens = NDArray[np.int32]


class DocumentParts:
    """Parts of ``each`` documents as token numbers, and the number of documents and tokens."""

    def __init__(self, folder: Path, each: int) -> None:
        self.each = each
        self.documents = 0
        self.tokens = 0
        self.longest = 0  # number of tokens of the longest document
        self._folder = folder
        self._parts: list[TemporaryArray] = []

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, tokens: Tokens, starts: IntArray, lengths: IntArray) -> None:
        """Append ``tokens[starts[p] : starts[p + 1]]`` to part p: documents of these lengths."""
        while len(self._parts) < len(starts) - 1:
            self._parts.append(TemporaryArray(self._folder, np.int32))
        for part in np.flatnonzero(np.diff(starts)).tolist():
            self._parts[part].add(tokens[starts[part] : starts[part + 1]])
        self.documents += len(lengths)
        self.tokens += int(lengths.sum())
        self.longest = max(self.longest, int(lengths.max(initial=0)))

    def parts(self, *, last: bool = False) -> Iterator[tuple[range, Tokens]]:
        """The numbers of the documents in each part, and their tokens; with ``last``, each part is then deleted."""
        for first, part in zip(range(0, self.documents, self.each), self._parts, strict=True):
            tokens = part.read()
            if last:
                part.close()
            yield range(first, min(first + self.each, self.documents)), tokens

    def close(self) -> None:
        """Delete the parts."""
        for part in self._parts:
            part.close()
