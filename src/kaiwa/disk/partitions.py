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

    Records = NDArray[Any]  # Any: of a structured dtype, with a field "row"

PARTS = 128
LIMIT = 1 << 16  # records in memory, before they go to disk


def part_of(keys: NDArray[np.uint64]) -> IntArray:
    """The part of each key; all records with the same key are in the same part."""
    return (keys % np.uint64(PARTS)).astype(np.int64)


def range_of(values: NDArray[Any], size: int) -> IntArray:  # Any: integers
    """The part of each value below ``size``; each part is a range of values."""
    return (values.astype(np.uint64) * np.uint64(PARTS) // np.uint64(max(size, 1))).astype(np.int64)


class Partitions:
    """Takes records, each with the number of its part, and returns them part by part, ordered by ``row``.

    A few records are returned as a single part.
    """

    def __init__(self, folder: Path, *, limit: int = LIMIT) -> None:
        self._folder = Path(mkdtemp(dir=folder, prefix="spill-"))
        self._limit = limit
        self._pending: list[tuple[Records, IntArray]] = []
        self._size = 0

    def add(self, records: Records, parts: IntArray) -> None:
        """Add records, each to the part of its number (0 to 999)."""
        self._pending.append((records, parts))
        self._size += len(records)
        if self._size > self._limit:
            self._write()

    def _write(self) -> None:
        records, parts = (np.concatenate(columns) for columns in zip(*self._pending, strict=True))
        order = np.argsort(parts, kind="stable")
        ends = np.cumsum(np.bincount(parts)).tolist()
        for part, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            if high > low:
                with (self._folder / f"{part:03d}").open("ab") as file:
                    file.write(records[order[low:high]].tobytes())
        self._pending, self._size = [(records[:0].copy(), parts[:0].copy())], 0

    def parts(self) -> Iterator[Records]:
        """Each part once; the files are deleted as they are read."""
        if any(self._folder.iterdir()):
            self._write()
            dtype = self._pending[0][0].dtype
            files = sorted(self._folder.iterdir())
            for file in files:
                records = np.fromfile(file, dtype=dtype)
                file.unlink()
                if file == files[-1]:
                    self._folder.rmdir()
                yield _by_row(records)
        else:
            self._folder.rmdir()
            yield _by_row(np.concatenate([records for records, _ in self._pending]))


def _by_row(records: Records) -> Records:
    return records[np.argsort(records["row"], kind="stable")]


class RecordReader:
    """The records of parts, in order, any number at a time."""

    def __init__(self, parts: Iterator[Records]) -> None:
        self._parts = parts
        self._rest = next(parts)

    def take(self, count: int) -> Records:
        """The next ``count`` records."""
        while len(self._rest) < count:
            self._rest = np.concatenate((self._rest, next(self._parts)))
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken
