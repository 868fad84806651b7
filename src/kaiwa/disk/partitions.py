"""Records in spill files, one file per partition, so that memory holds one partition at a time."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray

    Records = NDArray[Any]  # Any: of a structured kind, with a field "row"

PARTS = 128
LIMIT = 1 << 16  # records in memory, before they go to disk


def part_of(keys: NDArray[np.uint64]) -> IntArray:
    """The part in which all records with a key come together; fingerprints and rows both spread evenly."""
    return (keys % np.uint64(PARTS)).astype(np.int64)


def range_of(values: NDArray[Any], size: int) -> IntArray:  # Any: of whole numbers
    """The part of each value below ``size``, each part a range of them."""
    return (values.astype(np.uint64) * np.uint64(PARTS) // np.uint64(max(size, 1))).astype(np.int64)


class Partitions:
    """Takes records, each with the number of its part, and gives them back part by part, ordered by ``row``.

    While there are few, they come back as a single part: parts keep together what belongs together, no more.
    """

    def __init__(self, folder: Path, *, limit: int = LIMIT) -> None:
        self._folder = Path(mkdtemp(dir=folder, prefix="spill-"))
        self._limit = limit
        self._held: list[tuple[Records, IntArray]] = []
        self._waiting = 0

    def add(self, records: Records, parts: IntArray) -> None:
        """Add records, each to the part of its number (0 to 999)."""
        self._held.append((records, parts))
        self._waiting += len(records)
        if self._waiting > self._limit:
            self._write()

    def _write(self) -> None:
        records, parts = (np.concatenate(columns) for columns in zip(*self._held, strict=True))
        order = np.argsort(parts, kind="stable")
        ends = np.cumsum(np.bincount(parts)).tolist()
        for part, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            if high > low:
                with (self._folder / f"{part:03d}").open("ab") as file:
                    file.write(records[order[low:high]].tobytes())
        self._held, self._waiting = [(records[:0].copy(), parts[:0].copy())], 0

    def parts(self) -> Iterator[Records]:
        """Each part once; with the last one nothing is left of them on disk."""
        if any(self._folder.iterdir()):
            self._write()
            kind = self._held[0][0].dtype
            files = sorted(self._folder.iterdir())
            for file in files:
                records = np.fromfile(file, dtype=kind)
                file.unlink()
                if file == files[-1]:
                    self._folder.rmdir()
                yield _by_row(records)
        else:
            self._folder.rmdir()
            yield _by_row(np.concatenate([records for records, _ in self._held]))


def _by_row(records: Records) -> Records:
    return records[np.argsort(records["row"], kind="stable")]


class RecordReader:
    """The records of parts, taken from the front, as many at a time as are wanted."""

    def __init__(self, parts: Iterator[Records]) -> None:
        self._parts = parts
        self._waiting = next(parts)

    def take(self, count: int) -> Records:
        """The records that follow; there are as many."""
        while len(self._waiting) < count:
            self._waiting = np.concatenate((self._waiting, next(self._parts)))
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken
