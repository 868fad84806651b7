"""Calls of steps: what a task does with its input, on every engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.engine.arrow_tables import concatenated, decoded, in_row_order
from kaiwa.engine.dataset import Note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Item = Any  # Any: a pyarrow table or a note
    Blob = Any  # Any: the bytes of a table, or an Arrow buffer


@dataclass(frozen=True)
class Call:
    """A step and the arguments that follow its input."""

    step: Callable[..., Any]  # Any: a table, or an iterator of tables and notes
    arguments: tuple[object, ...]

    def items(self, *given: object) -> Iterator[Item]:
        """What the step makes of its input: tables with rows, and notes."""
        made = self.step(*given, *self.arguments)
        for item in [made] if hasattr(made, "schema") else made or ():
            if isinstance(item, Note) or item.num_rows:
                yield item


def chained(items: Iterable[Item], calls: Sequence[Call]) -> Iterator[Item]:
    """The items after these calls, one after the other; notes stay as they are."""
    for call in calls:
        items = _mapped(items, call)
    return iter(items)


def _mapped(items: Iterable[Item], call: Call) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Note):
            yield item
        else:
            yield from call.items(item)


@dataclass(frozen=True)
class OneTask:
    """A task of ``tables``."""

    call: Call
    task: Any  # Any: what pickles

    def items(self) -> Iterator[Item]:
        """What the step makes of the task."""
        return self.call.items(self.task)


def regrouped_items(call: Call, blobs: Iterable[Blob]) -> Iterator[Item]:
    """What the step makes of all rows of a part."""
    return call.items(in_row_order([decoded(blob) for blob in blobs]))


def joined_items(call: Call, left: Sequence[Blob], right: Sequence[Blob]) -> Iterator[Item]:
    """What the step makes of the rows of a part on both sides."""
    sides = [in_row_order([decoded(blob) for blob in blobs]) if blobs else None for blobs in (left, right)]
    return call.items(*sides)


def ordered_items(call: Call, blocks: Iterable[Iterable[Blob]]) -> Iterator[Item]:
    """What the step makes of the blocks of a part."""
    return call.items(in_row_order([decoded(blob) for blob in block]) for block in blocks)


def sorted_by(tables: Sequence[Any], by: Sequence[str]) -> Any:  # Any: pyarrow tables
    """One table, sorted by these columns."""
    whole = concatenated(tables)
    return whole.sort_by([(name, "ascending") for name in by]) if by and whole.num_rows else whole
