"""What every task of a cleaning is given: the rules, the takedown list, and the folder for its files."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import share
from kaiwa.engine.arrow_tables import column, places_of, tasks_of
from kaiwa.errors import needs_extra
from kaiwa.files.spill import strings_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from kaiwa.ambient import Progress
    from kaiwa.corpus.duplicates import Columns, KeyArray
    from kaiwa.corpus.rules import RuleSet

    Table = Any  # Any: a pyarrow table, untyped


_READING = 0.75  # of the work; the rest is writing
_REPORT: ContextVar[Callable[[str, int], None] | None] = ContextVar("report", default=None)


@dataclass(frozen=True)
class CleanJob:
    """The settings of one cleaning; ``seed`` is None without a sample, ``in_parts`` tells that tables are folders.

    ``translations`` are the names of the columns of translations that the pairs have.
    """

    folder: Path
    rules: RuleSet
    listed: frozenset[str]
    seed: int | None
    in_parts: bool
    translations: tuple[str, ...] = ()

    def texts(self, task: int) -> Path:
        """The spill file with the pairs of a task that pass the rules."""
        return self.folder / f"pairs-{task:06d}.spill"

    def comment_ids(self, task: int) -> Path:
        """The string file with the ids of their comments."""
        return self.folder / f"ids-{task:06d}.spill"

    def tweets(self, task: int) -> Path:
        """The string file with the texts of the initial posts among the tweets of a task."""
        return self.folder / f"tweets-{task:06d}.spill"

    def remove_spills(self) -> None:
        """Delete what passed between tasks, complete or not."""
        for file in self.folder.glob("*.spill*"):
            file.unlink(missing_ok=True)


def advance(step: str, amount: int) -> None:
    """Report work that this process did; other processes report nothing."""
    if (report := _REPORT.get()) is not None:
        report(step, amount)


@contextmanager
def reporting(total_bytes: int, progress: Progress) -> Iterator[None]:
    """While the block runs, work of this process is reported: bytes read, then pairs written."""
    done = {"bytes": 0, "pairs": 0, "written": 0}

    def report(step: str, amount: int) -> None:
        done[step] += amount
        if step == "written":
            share(progress, _READING, 1)(done["written"], done["pairs"])
        else:
            share(progress, 0, _READING)(min(done["bytes"], total_bytes), total_bytes)

    before = _REPORT.set(report)
    try:
        yield
    finally:
        _REPORT.reset(before)


# Columns of keys as Arrow tables, and back; true and false are bytes, so that nothing is copied.


def key_table(columns: Columns) -> Table:
    """The columns as a table."""
    with needs_extra("parquet"):
        import pyarrow as pa

    return pa.table(
        {
            name: pa.array(values.view(np.uint8) if values.dtype == np.bool_ else values)
            for name, values in columns.items()
        }
    )


def key_columns(table: Table) -> Columns:
    """The columns of a table; bytes are true or false."""
    found = {name: column(table, name) for name in table.column_names}
    return {name: values.view(np.bool_) if values.dtype == np.uint8 else values for name, values in found.items()}


class ColumnReader:
    """The rows of tables in their order, any number at a time."""

    def __init__(self, tables: Iterable[Columns]) -> None:
        self._tables = iter(tables)
        self._rest: Columns = {}

    def task(self) -> int | None:
        """The task of the next row; None at the end."""
        from kaiwa.engine.arrow_tables import tasks_of

        if not self._size():
            self._rest = next(self._tables, {})
        return int(tasks_of(self._rest["row"][:1])[0]) if self._size() else None

    def take(self, count: int) -> Columns:
        """The next ``count`` rows."""
        while self._size() < count:
            more = next(self._tables)
            self._rest = (
                {name: np.concatenate((values, more[name])) for name, values in self._rest.items()}
                if self._size()
                else more
            )
        taken = {name: values[:count] for name, values in self._rest.items()}
        self._rest = {name: values[count:] for name, values in self._rest.items()}
        return taken

    def _size(self) -> int:
        return len(self._rest["row"]) if self._rest else 0


# Strings of rows of any task, found in the string file of their task.


def row_strings(path_of: Callable[[int], Path], rows: KeyArray) -> list[str]:
    """The strings of these rows; ``path_of`` gives the string file of a task."""
    distinct, places = np.unique(rows, return_inverse=True)
    tasks, firsts = np.unique(tasks_of(distinct), return_index=True)
    inside = places_of(distinct).tolist()
    found = list[str]()
    for task, (low, high) in zip(tasks.tolist(), pairwise([*firsts.tolist(), len(inside)]), strict=True):
        found += strings_at(path_of(task), inside[low:high])
    return [found[place] for place in places.tolist()]
