"""Ids in spill files, each with one range of the sorted ids, so that memory holds one range at a time."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.model.ids import IntArray

    IdRange = tuple[Any, IntArray]  # Any: a pyarrow array of ids; with the row of each

IDS = 1 << 16  # about so many ids in a range
_MOST_RANGES = 256
_SAMPLE = 64  # ids sampled per bound
_COMPARED = 64  # bytes of an id; ids with the same first bytes are in one range
_MOST_PENDING = 1 << 16  # ids in memory before they go to disk


def bounds_of(batches: Iterable[list[str]], size: int) -> list[bytes]:
    """Bounds between ranges for ``size`` ids, from a sample of them.

    >>> bounds_of([["b", "a"]], 2)
    []
    """
    ranges = min(-(-size // IDS), _MOST_RANGES)
    if ranges < 2:  # noqa: PLR2004  one range has no bounds
        return []
    step = max(size // (ranges * _SAMPLE), 1)
    sample, seen = [], 0
    for batch in batches:
        sample += batch[-seen % step :: step]
        seen += len(batch)
    ordered = sorted(name.encode()[:_COMPARED] for name in sample)
    return [ordered[len(ordered) * place // ranges] for place in range(1, ranges)]


class IdRanges:
    """Takes ids, batch by batch, and returns them range by range, unsorted within a range."""

    def __init__(self, folder: Path, bounds: list[bytes]) -> None:
        self._folder = Path(mkdtemp(dir=folder, prefix="id-ranges-"))
        self._bounds = np.array(bounds, dtype=f"S{_COMPARED}")
        self._pending: list[str] = []
        self._rows = 0

    def add(self, ids: list[str]) -> None:
        """Add the ids of the next rows."""
        self._pending += ids
        if len(self._pending) >= _MOST_PENDING:
            self._write()

    def _write(self) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa

        prefixes = np.array([name.encode()[:_COMPARED] for name in self._pending], dtype=f"S{_COMPARED}")
        range_of = np.searchsorted(self._bounds, prefixes, side="right")
        order = np.argsort(range_of, kind="stable")
        ends = np.cumsum(np.bincount(range_of, minlength=len(self._bounds) + 1)).tolist()
        batch = pa.record_batch(
            {"id": pa.array(self._pending, pa.large_string()).take(order), "row": self._rows + order}
        )
        for number, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            if high > low:
                with self._path(number).open("ab") as file, pa.ipc.new_stream(file, batch.schema) as out:
                    out.write_batch(batch.slice(low, high - low))
        self._rows += len(self._pending)
        self._pending = []

    def __iter__(self) -> Iterator[IdRange]:
        """Each range once: the ids and the row of each; the files are deleted as they are read."""
        self._write()
        for number in range(len(self._bounds) + 1):
            found = _read(self._path(number))
            self._path(number).unlink(missing_ok=True)
            if number == len(self._bounds):
                self._folder.rmdir()
            yield found

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:03d}"


def _read(path: Path) -> IdRange:
    import pyarrow as pa

    batches = []
    if path.exists():
        with path.open("rb") as file:
            while file.tell() < path.stat().st_size:
                batches += list(pa.ipc.open_stream(file))
    if not batches:
        return pa.array([], pa.large_string()), np.zeros(0, dtype=np.int64)
    table = pa.Table.from_batches(batches).combine_chunks()
    return table.column("id").combine_chunks(), table.column("row").to_numpy()
