"""Rows of a Spark dataset: whole Arrow tables as bytes, so that Spark moves few rows and knows none of their types."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.engine.arrow_tables import encoded
from kaiwa.engine.dataset import Note
from kaiwa.errors import InputError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCHEMA = "part int, kind int, piece bigint, stage int, origin int, place int, data binary"
LEFT, RIGHT, NOTE, FAULT = range(4)
"""Kinds of rows: tables (of the second dataset of a join), notes, and errors, which later tasks only pass on."""
_BATCH_BYTES = 1 << 25


@dataclass(frozen=True)
class Row:
    """A table, note or error; ``part`` is where it goes, ``stage``, ``origin`` and ``place`` say where it was made."""

    part: int
    kind: int
    piece: int
    stage: int
    origin: int
    place: int
    data: Any  # Any: bytes or an Arrow buffer

    @property
    def order(self) -> tuple[int, int, int]:
        """By which rows of one kind are sorted."""
        return self.stage, self.origin, self.place


def rows_in(batches: Iterable[Any]) -> Iterator[Row]:  # Any: Arrow batches
    """The rows of Arrow batches."""
    for batch in batches:
        *numbers, data = batch.columns
        columns = [column.to_pylist() for column in numbers]
        for at, (part, kind, piece, stage, origin, place) in enumerate(zip(*columns, strict=True)):
            yield Row(part, kind, piece, stage, origin, place, data[at].as_buffer())


def batches_of(rows: Iterable[Row]) -> Iterator[Any]:  # Any: Arrow batches
    """The rows as Arrow batches of a bounded size."""
    waiting, size = list[Row](), 0
    for row in rows:
        waiting.append(row)
        size += len(row.data)
        if size >= _BATCH_BYTES:
            yield _batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting)


def _batch(rows: list[Row]) -> Any:  # Any: an Arrow batch
    with needs_extra("spark"):
        import pyarrow as pa

    types = {"int": pa.int32(), "bigint": pa.int64(), "binary": pa.binary()}
    fields = [(name, types[kind]) for name, kind in (field.split() for field in SCHEMA.split(", "))]
    columns = [[getattr(row, name) for row in rows] for name, _ in fields]
    return pa.record_batch(
        [pa.array(values, kind) for values, (_, kind) in zip(columns, fields, strict=True)],
        names=[name for name, _ in fields],
    )


def packed(item: Any) -> Any:  # Any: a table, note or error; bytes
    """An item as bytes."""
    if isinstance(item, Note):
        return pickle.dumps((item.name, item.value))
    return item.args[0].encode(errors="surrogateescape") if isinstance(item, InputError) else encoded(item).to_pybytes()


def note_of(row: Row) -> Note:
    """The note of a row."""
    return Note(*pickle.loads(bytes(row.data)))  # noqa: S301  made by a task of our own


def fault_of(row: Row) -> InputError:
    """The error of a row."""
    return InputError(bytes(row.data).decode(errors="surrogateescape"))
