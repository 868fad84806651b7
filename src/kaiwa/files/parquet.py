"""Parquet tables of text that Kaiwa writes, with a checksum, and reads again in batches of rows."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.nouns.ids import IntArray


# The text columns of an open Parquet file as Arrow batches that fit into memory; damage is one line.


BATCH_ROWS = 16_384
MAX_CELL_BYTES = 1 << 20
MAX_COLUMN_BYTES = 1 << 30
"""Of one column in one row group, decompressed."""
_BATCH_BYTES = 1 << 26


@dataclass(frozen=True)
class TableSize:
    """The number of rows of a table, and the decompressed bytes of each of its columns and of each row group."""

    rows: int
    column_bytes: dict[str, int]
    group_bytes: tuple[int, ...] = ()


def table_size(file: IO[bytes], path: Path) -> TableSize:
    """The size of a Parquet table, from the end of its file."""
    with needs_extra("parquet"):
        import pyarrow.parquet as pq

    with refusing_damage(path):
        metadata = pq.read_metadata(file)
        sizes = dict[str, int]()
        for column in _column_parts(metadata):
            sizes[column.path_in_schema] = sizes.get(column.path_in_schema, 0) + column.total_uncompressed_size
        groups = (metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
        return TableSize(metadata.num_rows, sizes, tuple(groups))


def group_rows(file: IO[bytes], path: Path) -> list[int]:
    """The number of rows of each row group, from the end of the file."""
    with needs_extra("parquet"):
        import pyarrow.parquet as pq

    with refusing_damage(path):
        metadata = pq.read_metadata(file)
        return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def text_batches(
    file: IO[bytes], path: Path, names: Sequence[str], shape: str, groups: range | None = None
) -> Iterator[Any]:  # Any: Arrow batches
    """The named columns, of all row groups or of these, as batches of texts; ``shape`` describes them in an error."""
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    with refusing_damage(path):
        repeated = _repeated_columns(pq.read_metadata(file), names, path)
        with pq.ParquetFile(
            file, pre_buffer=False, page_checksum_verification=True, read_dictionary=repeated
        ) as source:
            for name in names:
                if (count := source.schema_arrow.names.count(name)) != 1:
                    what = f"duplicate column {name!r}" if count else f"missing column {name!r}"
                    raise InputError.at(path, what, shape)
            chosen = None if groups is None else list(groups)
            for batch in source.iter_batches(BATCH_ROWS, row_groups=chosen, columns=list(names), use_threads=False):
                for part in _bounded_parts(batch, path):
                    columns = [_text_column(part.column(name), name, path) for name in names]
                    yield pa.record_batch(columns, names=list(names))


def text_lists(batch: Any, path: Path) -> list[list[str]]:  # Any: an Arrow batch of texts
    """The columns of a batch as lists; what is not a batch of texts is refused."""
    with refusing_damage(path):
        batch.validate(full=True)
        return [column.to_pylist() for column in batch.columns]


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Turn each error of the library into one line."""
    with needs_extra("parquet"):
        import pyarrow as pa

    try:
        yield
    except MemoryError:  # Arrow's own error is one
        raise
    except (
        pa.ArrowException,
        OSError,
        UnicodeDecodeError,
        KeyError,
    ) as fault:  # KeyError: the columns of a damaged file
        first_line = (str(fault).splitlines() or [""])[0]
        raise InputError.at(path, f"is not a complete Parquet file ({first_line})", "write it again") from None


def _column_parts(metadata: Any) -> list[Any]:  # Any: pyarrow is untyped
    """The columns of each row group."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return [group.column(place) for group in groups for place in range(group.num_columns)]


def _repeated_columns(metadata: Any, names: Sequence[str], path: Path) -> list[str]:  # Any: pyarrow is untyped
    """The columns that hold each text once and its number in every row; a column that is far too large is refused."""
    columns = _column_parts(metadata)
    found = dict.fromkeys(column.path_in_schema for column in columns if "DICTIONARY" in " ".join(column.encodings))
    if any(column.total_uncompressed_size > MAX_COLUMN_BYTES for column in columns if column.path_in_schema in names):
        what = f"has a row group with over {MAX_COLUMN_BYTES >> 30} GiB in a column, decompressed"
        raise InputError.at(path, what, "write smaller row groups")
    return [name for name in names if name in found]


def _bounded_parts(batch: Any, path: Path) -> Iterator[Any]:  # Any: pyarrow's batches
    """The batch in parts whose texts fit into memory, however often a long one is repeated."""
    sizes = np.zeros(len(batch), dtype=np.int64)
    for column in batch.columns:
        lengths = _lengths(column, path)
        if lengths.max(initial=0) > MAX_CELL_BYTES:
            raise InputError.at(
                path, f"a cell is longer than {MAX_CELL_BYTES:,} bytes", "check that it is the right file"
            )
        sizes += lengths
    part = np.cumsum(sizes) // _BATCH_BYTES
    bounds = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(batch)]
    for low, high in pairwise(bounds):
        yield batch.slice(low, high - low)


def _lengths(column: Any, path: Path) -> IntArray:  # Any: a pyarrow array
    """The number of bytes of each cell; 0 for a number."""
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        numbers = pc.fill_null(column.indices, 0).to_numpy(zero_copy_only=False)
        lengths: IntArray = np.append(_lengths(column.dictionary, path), 0)
        if numbers.min(initial=0) < 0 or numbers.max(initial=0) >= len(lengths):
            raise InputError.at(path, "is not a complete Parquet file (the number of a missing text)", "write it again")
        repeated: IntArray = lengths[numbers]
        return repeated
    if not any(is_type(column.type) for is_type in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return np.zeros(len(column), dtype=np.int64)
    found: IntArray = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _text_column(column: Any, name: str, path: Path) -> Any:  # Any: a pyarrow array, untyped
    """The column as texts."""
    with needs_extra("parquet"):
        import pyarrow as pa

    if column.null_count:
        raise InputError.at(path, f"column {name!r} has empty cells", "fill every cell")
    try:
        texts = column.cast(pa.string())
        texts.validate(full=True)
    except pa.ArrowException:
        cells = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if any(is_type(cells) for is_type in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
            what = f"column {name!r} contains bytes that are not UTF-8"
            raise InputError.at(path, what, "write it as UTF-8") from None
        what = f"column {name!r} has type {column.type}, not text"
        raise InputError.at(path, what, "write ids and texts as strings") from None
    return texts


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
