"""Columns of keys as Arrow tables, and back; true and false are bytes, so that nothing is copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.engine.arrow_tables import column
from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.corpus.duplicates import Columns

    Table = Any  # Any: a pyarrow table, untyped


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
        from kaiwa.engine.row_numbers import tasks_of

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
