"""Parquet tables of text, written row by row and kept in groups of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_GROUP_ROWS, _GROUP_BYTES = 1 << 14, 1 << 21


class TableWriter:
    """Writes one table; groups are neither small, for Parquet keeps something of each to the end, nor large."""

    def __init__(self, path: Path, columns: Sequence[str], *, repeats: bool) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

        self._schema = pa.schema([(column, pa.string()) for column in columns])
        self._file: Any = pq.ParquetWriter(  # Any: pyarrow is untyped
            path, self._schema, compression="zstd", use_dictionary=repeats
        )
        self._waiting = self._schema.empty_table()

    def add(self, *columns: Sequence[str]) -> None:
        """Append rows, given as columns."""
        import pyarrow as pa

        if len(columns[0]):
            rows = pa.table([pa.array(column, pa.string()) for column in columns], schema=self._schema)
            self._waiting = pa.concat_tables([self._waiting, rows])
        if len(self._waiting) >= _GROUP_ROWS or self._waiting.nbytes >= _GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        if len(self._waiting):
            self._file.write_table(self._waiting)
            self._waiting = self._schema.empty_table()

    def close(self) -> None:
        """Write what waits, and the end of the file."""
        if self._file.is_open:
            self._write()
            self._file.close()
