"""Texts and ids to runs of bytes on disk, as the index shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.files.index import IndexWriter
    from kaiwa.model import IntArray


class Run:
    """Strings written one after the other, as one array of bytes and the places where each starts."""

    def __init__(self, writer: IndexWriter, name: str) -> None:
        self._writer, self._name = writer, name
        self._path = writer.folder / f"{name}.bytes"
        self._out = self._path.open("wb")
        self._lengths: list[IntArray] = []

    def add(self, strings: list[str]) -> None:
        """Append the strings."""
        encoded = [string.encode() for string in strings]
        self._out.write(b"".join(encoded))
        self._lengths.append(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))

    def close(self, starts: str) -> None:
        """Turn what was written into arrays."""
        self._out.close()
        places = np.concatenate([np.zeros(1, dtype=np.int64), *self._lengths]).cumsum()
        self._writer.save(starts, places)
        run = self._writer.array(self._name, np.uint8, int(places[-1]))
        with self._path.open("rb") as source:
            at = 0
            while chunk := source.read(1 << 22):
                run[at : at + len(chunk)] = np.frombuffer(chunk, dtype=np.uint8)
                at += len(chunk)
        self._path.unlink()
