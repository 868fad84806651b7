"""The engine of one machine: tasks in this process or in several, with spill files between regroupings."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from multiprocessing import get_context, parent_process
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Protocol

from kaiwa.engine.arrow_tables import ByKey, ByTask, Together, concatenated, decoded, encoded, pieces
from kaiwa.engine.calls import Call, OneTask, chained, joined_items, ordered_items, regrouped_items, sorted_by
from kaiwa.engine.dataset import Gathered, Note
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kaiwa.engine.arrow_tables import Split
    from kaiwa.engine.calls import Item
    from kaiwa.engine.dataset import Dataset

    Table = Any  # Any: a pyarrow table, untyped


# Tables in one spill file, cut into pieces that are found again by their numbers.


BUFFER_BYTES = 1 << 23  # of rows in memory, before they go to disk


@dataclass(frozen=True)
class Segment:
    """A table in a spill file."""

    path: str
    start: int
    size: int


@dataclass(frozen=True)
class Spilled:
    """A spill file, and the tables of each piece in it."""

    path: str
    pieces: dict[int, list[Segment]]

    def remove(self) -> None:
        """Delete the file."""
        Path(self.path).unlink(missing_ok=True)


def spilled(path: Path, tables: Iterable[Table], split: Split, *, alone: bool) -> Spilled:
    """The tables in a spill file, by pieces; if no other file belongs to it (``alone``), a few rows are one piece."""
    found = dict[int, list[Segment]]()
    with path.open("wb") as file:
        for batch, is_all in _buffered(tables):
            for number, piece in [(0, batch)] if alone and is_all else pieces(batch, split):
                start = file.tell()
                file.write(encoded(piece))
                found.setdefault(number, []).append(Segment(str(path), start, file.tell() - start))
    return Spilled(str(path), found)


def _buffered(tables: Iterable[Table]) -> Iterator[tuple[Table, bool]]:
    """The tables joined into larger ones, and whether such a table is all that there is."""
    waiting, size, is_first = list[Any](), 0, True
    for table in tables:
        waiting.append(table)
        size += table.nbytes
        if size >= BUFFER_BYTES:
            yield concatenated(waiting), False
            waiting, size, is_first = [], 0, False
    if waiting:
        yield concatenated(waiting), is_first


def read_segments(segments: Iterable[Segment]) -> Iterator[bytes]:
    """The bytes of each table."""
    for segment in segments:
        with Path(segment.path).open("rb") as file:
            file.seek(segment.start)
            yield file.read(segment.size)


# The input of a task that comes after a regrouping, in spill files, and what a task of this machine makes of it.


class Source(Protocol):
    """The input of a task, with its first step."""

    def items(self) -> Iterator[Item]:
        """What the step makes of the input."""


@dataclass(frozen=True)
class Regrouped:
    """All rows of some keys."""

    call: Call
    segments: list[Segment]

    def items(self) -> Iterator[Item]:
        """What the step makes of them."""
        return regrouped_items(self.call, read_segments(self.segments))


@dataclass(frozen=True)
class Joined:
    """All rows of some keys in two datasets."""

    call: Call
    left: list[Segment]
    right: list[Segment]

    def items(self) -> Iterator[Item]:
        """What the step makes of them."""
        return joined_items(self.call, list(read_segments(self.left)), list(read_segments(self.right)))


@dataclass(frozen=True)
class Ordered:
    """All rows of some tasks, in blocks."""

    call: Call
    blocks: list[list[Segment]]

    def items(self) -> Iterator[Item]:
        """What the step makes of them."""
        return ordered_items(self.call, (read_segments(block) for block in self.blocks))


@dataclass(frozen=True)
class Stored:
    """Tables as a step made them."""

    segments: list[Segment]

    def items(self) -> Iterator[Item]:
        """The tables."""
        return (decoded(blob) for blob in read_segments(self.segments))


@dataclass(frozen=True)
class SpillOrder:
    """What a process does: its sources, the steps after them, and how rows are split for the next regrouping."""

    sources: tuple[Source, ...]
    calls: tuple[Call, ...]
    path: Path
    split: Split
    alone: bool

    def run(self) -> tuple[Spilled, list[Note]]:
        """All rows in a spill file, and the notes."""
        notes = list[Note]()
        tables = _without_notes(_items(self.sources, self.calls), notes)
        return spilled(self.path, tables, self.split, alone=self.alone), notes


@dataclass(frozen=True)
class GatherOrder:
    """What a process does if its rows are gathered."""

    sources: tuple[Source, ...]
    calls: tuple[Call, ...]

    def run(self) -> tuple[list[Any], list[Note]]:  # Any: pyarrow tables
        """The tables and the notes."""
        notes = list[Note]()
        return list(_without_notes(_items(self.sources, self.calls), notes)), notes


def _items(sources: Iterable[Source], calls: Sequence[Call]) -> Iterator[Item]:
    for source in sources:
        yield from chained(source.items(), calls)


def _without_notes(items: Iterable[Item], notes: list[Note]) -> Iterator[Any]:  # Any: pyarrow tables
    for item in items:
        if isinstance(item, Note):
            notes.append(item)
        else:
            yield item


def by_number(files: Sequence[Spilled]) -> dict[int, list[Segment]]:
    """The tables of each piece in all files, by ascending numbers, those of the first file first."""
    numbers = sorted({number for file in files for number in file.pieces})
    return {number: [one for file in files for one in file.pieces.get(number, ())] for number in numbers}


PARTS = 128
"""Of a regrouping: memory holds one part of the rows."""
_BATCHES = 4  # for each process, so that a slow one is not waited for


class LocalEngine:
    """Runs tasks one after the other in this process, or in worker processes."""

    def __init__(self, folder: Path, pool: ProcessPoolExecutor | None, workers: int) -> None:
        self.workers = workers
        self._folder, self._pool = folder, pool
        self._files = count()
        self.removed = set[str]()  # spill files that were read

    def tables(
        self, step: Callable[..., Any], tasks: Sequence[Any], *arguments: object
    ) -> LocalDataset:  # Any: pickles
        """A dataset of what the step makes of each task."""
        return LocalDataset(self, tuple(OneTask(Call(step, arguments), task) for task in tasks))

    def run(self, orders: Sequence[GatherOrder | SpillOrder]) -> Iterator[Any]:  # Any: what the orders return
        """The results of the orders, in their order; the first error ends the others."""
        if self._pool is None:
            yield from (order.run() for order in orders)
            return
        running = [self._pool.submit(_run, order) for order in orders]
        try:
            yield from (one.result() for one in running)
        except BrokenProcessPool:
            what = "a process ended by itself, perhaps for lack of memory"
            raise InputError.at(f"local[{self.workers}]", what, "use fewer processes") from None
        finally:
            for one in running:
                one.cancel()

    def batches(self, sources: Sequence[Source]) -> list[tuple[Source, ...]]:
        """The sources in batches, each for one call of a process; consecutive ones are together."""
        size = -(-len(sources) // (_BATCHES * self.workers)) if self._pool else len(sources)
        return [tuple(sources[low : low + size]) for low in range(0, len(sources), max(size, 1))]

    def new_file(self) -> Path:
        """The path of a new spill file."""
        return self._folder / f"{next(self._files):06d}.spill"


def _run(order: GatherOrder | SpillOrder) -> Any:  # Any: what the order returns
    return order.run()


@dataclass(frozen=True)
class LocalDataset:
    """Tasks that are not run yet: their sources and the steps after them; notes of the steps before the sources."""

    engine: LocalEngine
    sources: tuple[Source, ...]
    calls: tuple[Call, ...] = ()
    notes: tuple[Note, ...] = ()
    files: tuple[Spilled, ...] = ()  # of the sources, deleted when they are read

    def map(self, step: Callable[..., Any], *arguments: object) -> LocalDataset:  # Any: tables and notes
        """The step for each table."""
        return replace(self, calls=(*self.calls, Call(step, arguments)))

    def regrouped(self, key: str, step: Callable[..., Any], *arguments: object) -> LocalDataset:  # Any: as above
        """The step for all rows of a key."""
        files, notes = self.spilled(ByKey(key, PARTS))
        sources = [Regrouped(Call(step, arguments), found) for found in by_number(files).values()]
        return LocalDataset(self.engine, tuple(sources), notes=notes, files=files)

    def joined(
        self, other: Dataset, key: str, step: Callable[..., Any], *arguments: object
    ) -> LocalDataset:  # Any: as above
        """The step for all rows of a key of both datasets."""
        if not isinstance(other, LocalDataset):
            raise TypeError("a dataset of another engine")
        split, call = ByKey(key, PARTS), Call(step, arguments)
        (left, first), (right, then) = self.spilled(split, alone=False), other.spilled(split, alone=False)
        sides = by_number(left), by_number(right)
        numbers = sorted({number for side in sides for number in side})
        sources = [Joined(call, *(side.get(number, []) for side in sides)) for number in numbers]
        return LocalDataset(self.engine, tuple(sources), notes=first + then, files=left + right)

    def in_order(self, step: Callable[..., Any], *arguments: object) -> LocalDataset:  # Any: as above
        """The step for all rows of a task."""
        split, call = ByTask(), Call(step, arguments)
        files, notes = self.spilled(split)
        by_task = dict[int, list[Any]]()
        for number, found in by_number(files).items():
            by_task.setdefault(split.part_of(number), []).append(found)
        sources = [Ordered(call, blocks) for blocks in by_task.values()]
        return LocalDataset(self.engine, tuple(sources), notes=notes, files=files)

    def kept(self) -> LocalDataset:
        """The tables in spill files that stay."""
        files, notes = self.spilled(Together())
        sources = [Stored(by_number([file]).get(0, [])) for file in files]
        return LocalDataset(self.engine, tuple(sources), notes=notes)

    def gathered(self, *, by: Sequence[str] = ()) -> Gathered:
        """All rows, and all notes."""
        tables, notes = list[Any](), list(self.notes)
        for made, noted in self.engine.run([GatherOrder(one, self.calls) for one in self._batches()]):
            tables += made
            notes += noted
        self._remove_files()
        return Gathered(sorted_by(tables, by), tuple(notes))

    def spilled(self, split: Split, *, alone: bool = True) -> tuple[tuple[Spilled, ...], tuple[Note, ...]]:
        """All rows in spill files, and the notes so far; a few rows are one piece if no other dataset is joined."""
        batches = self._batches()
        alone = alone and len(batches) == 1
        orders = [SpillOrder(one, self.calls, self.engine.new_file(), split, alone) for one in batches]
        files, notes = list[Any](), list(self.notes)
        for file, noted in self.engine.run(orders):
            files.append(file)
            notes += noted
        self._remove_files()
        return tuple(files), tuple(notes)

    def _batches(self) -> list[tuple[Source, ...]]:
        if any(file.path in self.engine.removed for file in self.files):
            raise RuntimeError("a dataset after a regrouping is used once; keep it with kept() to use it again")
        return self.engine.batches(self.sources)

    def _remove_files(self) -> None:
        for file in self.files:
            file.remove()
            self.engine.removed.add(file.path)


@contextmanager
def opened_local(folder: Path | None, workers: int) -> Iterator[LocalEngine]:
    """The engine of this machine, with this number of worker processes; 0: in this process."""
    own = Path(mkdtemp(dir=folder, prefix="spill-"))
    pool = (
        ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(sys.path,))
        if workers
        else None
    )
    try:
        yield LocalEngine(own, pool, max(workers, 1))
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
        shutil.rmtree(own, ignore_errors=True)


def _begin(path: Iterable[str]) -> None:
    """A worker ignores Ctrl-C, which ends the process that started it; it imports what that process can import."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = [os.fspath(one) for one in path]
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that is killed cannot stop its workers."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
