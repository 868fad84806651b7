"""Parquet tables of text, written and read in batches of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

BATCH_ROWS = 16_384
_GROUP_ROWS, _GROUP_BYTES = 1 << 14, 1 << 21


class TableWriter:
    """Writes one table in row groups: few, because Parquet keeps metadata of each in memory, and none too large."""

    def __init__(self, path: Path, columns: Sequence[str], *, repeats: bool) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

        self._schema = pa.schema([(column, pa.string()) for column in columns])
        self._file: Any = pq.ParquetWriter(  # Any: pyarrow is untyped
            path, self._schema, compression="zstd", use_dictionary=repeats
        )
        self._pending = self._schema.empty_table()

    def add(self, *columns: Sequence[str]) -> None:
        """Append rows, given as columns."""
        import pyarrow as pa

        if len(columns[0]):
            rows = pa.table([pa.array(column, pa.string()) for column in columns], schema=self._schema)
            self._pending = pa.concat_tables([self._pending, rows])
        if len(self._pending) >= _GROUP_ROWS or self._pending.nbytes >= _GROUP_BYTES:
            self._write()

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


def parquet_batches(
    path: Path, names: Sequence[str], shape: str, *, rows: int = BATCH_ROWS
) -> Iterator[list[list[str]]]:
    """The named columns of a Parquet file as lists of text, batch by batch; ``shape`` describes them in an error."""
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    if path.is_dir():
        raise InputError.at(path, "is a folder, not a file", "give a Parquet file")
    try:
        with pq.ParquetFile(path, pre_buffer=False) as source:
            for name in names:
                if (count := source.schema_arrow.names.count(name)) != 1:
                    what = f"duplicate column {name!r}" if count else f"missing column {name!r}"
                    raise InputError.at(path, what, shape)
            for batch in source.iter_batches(rows, columns=list(names), use_threads=False):
                yield [_text_column(batch.column(name), name, path) for name in names]
    except FileNotFoundError:
        raise InputError.at(path, "no such file", "check the name and the folder") from None
    except MemoryError:  # Arrow's own error is one
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as fault:  # the name of a column in a damaged file
        first_line = str(fault).splitlines()[0]
        raise InputError.at(path, f"is not a complete Parquet file ({first_line})", "write it again") from None


def _text_column(column: Any, name: str, path: Path) -> list[str]:  # Any: a pyarrow array, untyped
    import pyarrow as pa

    if column.null_count:
        raise InputError.at(path, f"column {name!r} has empty cells", "fill every cell")
    try:
        values: list[str] = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        what = f"column {name!r} has type {column.type}, not text"
        raise InputError.at(path, what, "write ids and texts as strings") from None
    except UnicodeDecodeError:
        raise InputError.at(path, f"column {name!r} contains bytes that are not UTF-8", "write it as UTF-8") from None
    return values
