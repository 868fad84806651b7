"""What a Spark task runs: rows in, rows out. The process of the task imports this module by its name."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any

from kaiwa.engine.arrow_tables import concatenated, decoded, encoded, pieces
from kaiwa.engine.calls import OneTask, chained, joined_items, ordered_items, regrouped_items
from kaiwa.engine.dataset import Note
from kaiwa.errors import InputError, KaiwaError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kaiwa.engine.arrow_tables import Split
    from kaiwa.engine.calls import Call, Item

    Frame = Any  # Any: a data frame of Spark or Spark Connect
    Batches = Iterator[Any]  # Any: Arrow batches


# Rows of a Spark dataset: whole Arrow tables as bytes, so that Spark moves few rows and knows none of their types.


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


TASKS, REGROUPED, JOINED, ORDERED, STORED = range(5)
"""What the input of a stage is."""
_TABLE_BYTES = 1 << 24
_OWN = -1  # the part of a row that stays where it is


@dataclass(frozen=True)
class Stage:
    """One stage: what its input is, the steps, and how the rows are split for the next stage (None: not at all).

    ``number`` counts the stages of a dataset. ``parts`` is the number of parts of the next stage.
    """

    number: int
    kind: int
    first: Call | None
    calls: tuple[Call, ...]
    split: Split | None
    parts: int
    side: int = LEFT
    tasks: tuple[Any, ...] = ()  # Any: what pickles
    shared: str = ""

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:  # Any: Arrow batches
        """The rows that one task of this stage makes of its input."""
        return batches_of(self._rows(batches))

    def _rows(self, batches: Iterable[Any]) -> Iterator[Row]:  # Any: Arrow batches
        passed, origin, place = list[Row](), [0], 0
        given = _tables(rows_in(batches), passed, origin) if self.kind != TASKS else iter(())
        items = self._task_items(batches, origin) if self.kind == TASKS else self._part_items(given)
        for item in _until_fault(items, self.shared):
            for part, kind, piece, data in self._placed(item):
                yield Row(origin[0] if part == _OWN else part, kind, piece, self.number, origin[0], place, data)
                place += 1
        for _ in given:  # after an error there may be more
            pass
        yield from passed

    def _placed(self, item: Item) -> Iterator[tuple[int, int, int, Any]]:  # Any: bytes
        """Where an item goes: part, kind, number of the piece, bytes."""
        if isinstance(item, Note | InputError):
            yield 0, FAULT if isinstance(item, InputError) else NOTE, 0, packed(item)
        elif self.split is None:
            yield _OWN, self.side, 0, packed(item)
        else:
            for number, piece in pieces(item, self.split):
                yield self.split.part_of(number) % self.parts, self.side, number, packed(piece)

    def _task_items(self, batches: Iterable[Any], origin: list[int]) -> Iterator[Item]:  # Any: Arrow batches
        if self.first is None:
            raise ValueError("a stage of tasks without a step")
        for batch in batches:
            for number in batch.column(0).to_pylist():
                origin[0] = number
                yield from self._larger(chained(OneTask(self.first, self.tasks[number]).items(), self.calls))

    def _part_items(self, rows: Iterator[Row]) -> Iterator[Item]:
        """What the steps make of the tables of a part."""
        return self._larger(chained(self._first_items(rows), self.calls))

    def _first_items(self, rows: Iterator[Row]) -> Iterator[Item]:
        if self.first is None:
            yield from (decoded(row.data) for row in rows)
        elif self.kind == ORDERED:
            blocks = ([row.data for row in block] for _, block in groupby(rows, key=lambda row: row.piece))
            if (begin := next(blocks, None)) is not None:
                yield from ordered_items(self.first, chain([begin], blocks))
        elif found := sorted(rows, key=lambda row: row.order):
            sides = [[row.data for row in found if row.kind == side] for side in (LEFT, RIGHT)]
            call = self.first
            yield from joined_items(call, *sides) if self.kind == JOINED else regrouped_items(call, sides[0])

    def _larger(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items with small tables joined, so that few pieces are made of them."""
        waiting, size = list[Any](), 0
        for item in items:
            if isinstance(item, Note):
                yield item
                continue
            waiting.append(item)
            size += item.nbytes
            if size >= _TABLE_BYTES:
                yield concatenated(waiting)
                waiting, size = [], 0
        if waiting:
            yield concatenated(waiting)


def _tables(rows: Iterable[Row], passed: list[Row], origin: list[int]) -> Iterator[Row]:
    """The rows that are tables; notes and errors are only passed on."""
    for row in rows:
        origin[0] = row.part
        if row.kind in {NOTE, FAULT}:
            passed.append(Row(0, row.kind, 0, *row.order, bytes(row.data)))
        else:
            yield row


def _until_fault(items: Iterator[Item], shared: str) -> Iterator[Item]:
    """The items; an error that Kaiwa raises on purpose is the last of them, because Spark would run the task again."""
    try:
        if shared and not Path(shared).exists():
            what = f"{Path(shared).parent} cannot be seen from {gethostname()}"
            raise InputError(f"{what}; keep input and output on storage that all workers share")
        yield from items
    except KaiwaError as fault:
        yield InputError(fault.marked)
    except OSError as fault:
        where = f"{gethostname()}: {fault.filename or 'a file'}"
        yield InputError.at(where, f"cannot be used ({fault.strerror or fault})", "check the folder and the disk")


# A function over Arrow batches, run on a data frame of Spark.


def mapped(frame: Frame, function: Callable[[Batches], Batches], schema: str) -> Frame:
    """The data frame of what the function makes of the batches of each part."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Spark asks for pandas, and warns of a newer one; unused here
        return frame.mapInArrow(function, schema)
