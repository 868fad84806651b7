"""Parquet tables of text that Kaiwa writes, with a checksum, and reads again in batches of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.disk.parquet_reading import group_rows, table_size, text_batches, text_lists
from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.disk.parquet_reading import TableSize

_GROUP_ROWS, _GROUP_BYTES = 1 << 14, 1 << 21


class TableWriter:
    """Writes one table in row groups: few, because Parquet keeps metadata of each in memory, and none too large."""

    def __init__(self, path: Path, columns: Sequence[str], *, repeats: bool) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

        self._schema = pa.schema([(column, pa.string()) for column in columns])
        self._sink = path.open("wb")  # pyarrow opens no name that is not UTF-8
        self._file: Any = pq.ParquetWriter(  # Any: pyarrow is untyped
            self._sink, self._schema, compression="zstd", use_dictionary=repeats, write_page_checksum=True
        )
        self._pending = self._schema.empty_table()

    def add(self, *columns: Sequence[str]) -> list[Any]:  # Any: Arrow arrays
        """Append rows, given as columns: lists of texts, or Arrow arrays; the columns as Arrow arrays."""
        import pyarrow as pa

        added = [one if isinstance(one, pa.Array) else pa.array(one, pa.string()) for one in columns]
        if len(added[0]):
            self._pending = pa.concat_tables([self._pending, pa.table(added, schema=self._schema)])
        if len(self._pending) >= _GROUP_ROWS or self._pending.nbytes >= _GROUP_BYTES:
            self._write()
        return added

    def _write(self) -> None:
        if len(self._pending):
            self._file.write_table(self._pending)
            self._pending = self._schema.empty_table()

    def close(self) -> None:
        """Write the pending rows and the end of the file."""
        try:
            if self._file.is_open:
                self._write()
                self._file.close()
        finally:
            self._file.is_open = False  # after an error pyarrow would try again, and print a traceback
            self._sink.close()


def own_batches(path: Path, names: Sequence[str], shape: str, groups: range | None = None) -> Iterator[list[list[str]]]:
    """The named columns of a table that Kaiwa wrote as lists of text, batch by batch; of all row groups or of these."""
    with path.open("rb") as file:
        for batch in text_batches(file, path, names, shape, groups):
            yield text_lists(batch, path)


def own_group_rows(path: Path) -> list[int]:
    """The number of rows of each row group of a table that Kaiwa wrote."""
    with path.open("rb") as file:
        return group_rows(file, path)


def own_size(path: Path) -> TableSize:
    """The size of a table that Kaiwa wrote."""
    with path.open("rb") as file:
        return table_size(file, path)
