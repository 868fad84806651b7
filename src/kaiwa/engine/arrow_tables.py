"""Arrow tables as bytes, in parts, and in the order of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import IntArray

    Numbers = NDArray[np.uint64]
    Table = Any  # Any: a pyarrow table, untyped


# Row numbers that need no counting before: the number of the task, then the place of the row in it.


PLACE_BITS = 40
BLOCK_BITS = 18
"""A block of rows that ``in_order`` holds in memory has this many bits of the place."""
MAX_TASKS = 1 << 23  # so that a row number is also a positive signed integer


def row_numbers(task: int, first: int, count: int) -> Numbers:
    """The numbers of ``count`` rows of a task, from place ``first`` on.

    >>> row_numbers(2, 5, 3) - np.uint64(2 << PLACE_BITS)
    array([5, 6, 7], dtype=uint64)
    """
    return np.arange(first, first + count, dtype=np.uint64) + np.uint64(task << PLACE_BITS)


def tasks_of(rows: NDArray[Any]) -> NDArray[np.int64]:  # Any: integers
    """The task of each row.

    >>> tasks_of(row_numbers(2, 5, 3)).tolist()
    [2, 2, 2]
    """
    return (rows >> np.uint64(PLACE_BITS)).astype(np.int64)


def places_of(rows: NDArray[Any]) -> NDArray[np.int64]:  # Any: integers
    """The place of each row in its task.

    >>> places_of(row_numbers(2, 5, 3)).tolist()
    [5, 6, 7]
    """
    return (rows & np.uint64((1 << PLACE_BITS) - 1)).astype(np.int64)


ROW = "row"


def encoded(table: Table) -> Any:  # Any: an Arrow buffer
    """The table as an Arrow stream."""
    with needs_extra("parquet"):
        import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def decoded(data: Any) -> Table:  # Any: bytes or an Arrow buffer
    """The table of an Arrow stream; its columns are the given bytes, not copies."""
    with needs_extra("parquet"):
        import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(data)) as stream:
        return stream.read_all()


def concatenated(tables: Sequence[Table]) -> Table:
    """One table, each column in one piece."""
    with needs_extra("parquet"):
        import pyarrow as pa

    return pa.concat_tables(tables).combine_chunks() if tables else pa.table({})


def in_row_order(tables: Sequence[Table]) -> Table:
    """One table, ordered by ``row``."""
    whole = concatenated(tables)
    rows = column(whole, ROW)
    if len(rows) < 2 or (rows[1:] >= rows[:-1]).all():  # noqa: PLR2004  a single row is in order
        return whole
    return whole.take(np.argsort(rows, kind="stable"))


def column(table: Table, name: str) -> NDArray[Any]:  # Any: of the column's type
    """A column of numbers as an array, without a copy if it is in one piece."""
    found = table.column(name)
    if found.num_chunks == 1:
        values: NDArray[Any] = found.chunk(0).to_numpy(zero_copy_only=False)
        return values
    whole: NDArray[Any] = found.to_numpy()
    return whole


@dataclass(frozen=True)
class ByKey:
    """Parts by the remainder of a key: all rows of a key are in one part."""

    key: str
    parts: int

    def numbers(self, table: Table) -> IntArray:
        """The number of each row's piece: its part."""
        return (column(table, self.key).astype(np.uint64, copy=False) % np.uint64(self.parts)).astype(np.int64)

    def part_of(self, number: int) -> int:
        """The part of a piece."""
        return number


@dataclass(frozen=True)
class ByTask:
    """Parts by the task of the row; a piece is a block of consecutive rows of one task."""

    def numbers(self, table: Table) -> IntArray:
        """The number of each row's piece: its task and its block."""
        return (column(table, ROW) >> np.uint64(BLOCK_BITS)).astype(np.int64)

    def part_of(self, number: int) -> int:
        """The part of a piece: its task."""
        return number >> (PLACE_BITS - BLOCK_BITS)


@dataclass(frozen=True)
class Together:
    """One part with all rows."""

    def numbers(self, table: Table) -> IntArray:
        """The number of each row's piece: 0."""
        return np.zeros(len(table), dtype=np.int64)

    def part_of(self, number: int) -> int:
        """The part of a piece: 0."""
        return number


Split = ByKey | ByTask | Together


def pieces(table: Table, split: Split) -> Iterator[tuple[int, Table]]:
    """The rows of a table by the number of their piece, ascending."""
    numbers = split.numbers(table)
    if not len(numbers) or (numbers == numbers[0]).all():
        if len(numbers):
            yield int(numbers[0]), table
        return
    order = np.argsort(numbers, kind="stable")
    ordered, numbers = table.take(order), numbers[order]
    bounds = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    for low, high in pairwise(bounds):
        yield int(numbers[low]), ordered.slice(low, high - low)
