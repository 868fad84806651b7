"""The input of a task that comes after a regrouping, in spill files, and what a task of this machine makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kaiwa.engine.arrow_tables import decoded
from kaiwa.engine.calls import chained, joined_items, ordered_items, regrouped_items
from kaiwa.engine.dataset import Note
from kaiwa.engine.spill_files import read_segments, spilled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.engine.arrow_tables import Split
    from kaiwa.engine.calls import Call, Item
    from kaiwa.engine.spill_files import Segment, Spilled


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
