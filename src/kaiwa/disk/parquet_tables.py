"""Parquet tables of text, written and read in batches of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.disk.input_files import open_input
from kaiwa.errors import InputError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.model.ids import IntArray

BATCH_ROWS = 16_384
MAX_CELL_BYTES = 1 << 20
MAX_COLUMN_BYTES = 1 << 30
"""Of one column in one row group, decompressed."""
_BATCH_BYTES = 1 << 26
_GROUP_ROWS, _GROUP_BYTES = 1 << 14, 1 << 21


class TableWriter:
    """Writes one table in row groups: few, because Parquet keeps metadata of each in memory, and none too large."""

    def __init__(self, path: Path, columns: Sequence[str], *, repeats: bool) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

        self._schema = pa.schema([(column, pa.string()) for column in columns])
        self._file: Any = pq.ParquetWriter(  # Any: pyarrow is untyped
            path, self._schema, compression="zstd", use_dictionary=repeats, write_page_checksum=True
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
        with open_input(path) as file:
            repeated = _repeated_columns(pq.read_metadata(file), names, path)
            with pq.ParquetFile(
                file, pre_buffer=False, page_checksum_verification=True, read_dictionary=repeated
            ) as source:
                for name in names:
                    if (count := source.schema_arrow.names.count(name)) != 1:
                        what = f"duplicate column {name!r}" if count else f"missing column {name!r}"
                        raise InputError.at(path, what, shape)
                for batch in source.iter_batches(rows, columns=list(names), use_threads=False):
                    for part in _bounded_parts(batch, path):
                        yield [_text_column(part.column(name), name, path) for name in names]
    except FileNotFoundError:
        raise InputError.at(path, "no such file", "check the name and the folder") from None
    except MemoryError:  # Arrow's own error is one
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as fault:  # the columns of a damaged file
        first_line = str(fault).splitlines()[0]
        raise InputError.at(path, f"is not a complete Parquet file ({first_line})", "write it again") from None


def _repeated_columns(metadata: Any, names: Sequence[str], path: Path) -> list[str]:  # Any: pyarrow is untyped
    """The columns that hold each text once and its number in every row; a column that is far too large is refused."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    columns = [group.column(place) for group in groups for place in range(group.num_columns)]
    found = dict.fromkeys(column.path_in_schema for column in columns if "DICTIONARY" in " ".join(column.encodings))
    if any(column.total_uncompressed_size > MAX_COLUMN_BYTES for column in columns if column.path_in_schema in names):
        what = f"has a row group with over {MAX_COLUMN_BYTES >> 30} GiB in a column, decompressed"
        raise InputError.at(path, what, "write smaller row groups")
    return [name for name in names if name in found]


def _bounded_parts(batch: Any, path: Path) -> Iterator[Any]:  # Any: pyarrow's batches
    """The batch in parts whose texts fit into memory, however often a long one is repeated."""
    sizes = np.zeros(len(batch), dtype=np.int64)
    for column in batch.columns:
        lengths = _lengths(column)
        if lengths.max(initial=0) > MAX_CELL_BYTES:
            raise InputError.at(
                path, f"a cell is longer than {MAX_CELL_BYTES:,} bytes", "check that it is the right file"
            )
        sizes += lengths
    part = np.cumsum(sizes) // _BATCH_BYTES
    bounds = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(batch)]
    for low, high in pairwise(bounds):
        yield batch.slice(low, high - low)


def _lengths(column: Any) -> IntArray:  # Any: a pyarrow array
    """The number of bytes of each cell; 0 for a number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        numbers = pc.fill_null(column.indices, 0).to_numpy(zero_copy_only=False)
        repeated: IntArray = np.append(_lengths(column.dictionary), 0)[numbers]
        return repeated
    if not any(is_type(column.type) for is_type in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return np.zeros(len(column), dtype=np.int64)
    lengths: IntArray = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths


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
