"""The interface of every engine: functions over Arrow tables, mapped over tasks, regrouped by a key, gathered.

A step is a function of a module, because other processes import it by its name. It takes a task or a table, then the
arguments that are given with it, which must pickle; it returns one Arrow table, or an iterator of tables and notes.
Several steps without a regrouping between them run as one task.

How many keys share a call, and how many rows a table has, is up to the engine. A step that needs all rows of a key uses
``regrouped``; a result that depends on nothing else is the same on every engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Table = Any  # Any: a pyarrow table, untyped
    Step = Callable[..., Any]  # Any: a table, or an iterator of tables and notes


@dataclass(frozen=True)
class Note:
    """A small fact that a step yields beside its tables: a count, an example. It comes back with what is gathered."""

    name: str
    value: Any  # Any: what pickles


@dataclass(frozen=True)
class Gathered:
    """The rows of a dataset as one table, and the notes of all steps that led to it: by step, then by task."""

    table: Table
    notes: tuple[Note, ...]

    def noted(self, name: str) -> list[Any]:  # Any: what the steps noted
        """The values of the notes of one name."""
        return [note.value for note in self.notes if note.name == name]


class Dataset(Protocol):
    """Rows in parts, made when they are needed. After a regrouping it is used once, unless it is ``kept()``."""

    def map(self, step: Step, *arguments: object) -> Dataset:
        """``step(table, *arguments)`` for each table; a table is any number of rows."""

    def regrouped(self, key: str, step: Step, *arguments: object) -> Dataset:
        """``step(table, *arguments)`` with all rows of a key in one table, ordered by the column ``row``.

        The key is a column of whole numbers: a fingerprint, a row number. A table may have many keys.
        """

    def joined(self, other: Dataset, key: str, step: Step, *arguments: object) -> Dataset:
        """``step(left, right, *arguments)`` with all rows of a key of both datasets, each ordered by ``row``.

        A side without rows there is None.
        """

    def in_order(self, step: Step, *arguments: object) -> Dataset:
        """``step(tables, *arguments)`` with an iterator of tables: all rows of a task, ordered by ``row``.

        The column ``row`` is made by ``row_numbers``; it has the task's number. A call may get several tasks, one after
        the other; memory holds one block of rows at a time.
        """

    def kept(self) -> Dataset:
        """The same dataset, made once and kept until the engine is closed."""

    def gathered(self, *, by: Sequence[str] = ()) -> Gathered:
        """All rows, if they fit into memory, sorted by these columns; without columns, by part."""


class Engine(Protocol):
    """Runs tasks; made by ``kaiwa.engine.opening.opened``."""

    workers: int
    """How many tasks run at the same time, as far as it is known; input is worth splitting if it is more than 1."""

    def tables(self, step: Step, tasks: Sequence[Any], *arguments: object) -> Dataset:  # Any: what pickles
        """``step(task, *arguments)`` for each task, whose parts are numbered in the order of the tasks."""
