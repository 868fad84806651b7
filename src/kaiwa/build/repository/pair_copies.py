"""Copies of pairs as they were read, with their lines, in files that other tasks read."""

from __future__ import annotations

from contextlib import ExitStack
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from kaiwa.errors import needs_extra
from kaiwa.formats.collection.pair_files import FIELDS
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch


_BATCH = 1024


def small_batches(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The pairs in batches of which none is much larger than the others."""
    for batch in batches:
        for first in range(0, len(batch), _BATCH):
            yield batch[first : first + _BATCH]


def copy_pairs(batches: Iterator[Batch], path: Path, most_bytes: int) -> bool:
    """Write about this many bytes of pairs to the file; whether there were any."""
    with needs_extra("parquet"):
        import pyarrow as pa

    if (batch := next(batches, None)) is None:
        return False
    schema = pa.schema([*((name, pa.string()) for name in FIELDS), ("line", pa.int64())])
    temporary = path.with_name(f"{path.name}.{token_hex(4)}")  # a task that Spark runs twice writes twice
    with ExitStack() as stack:
        sink = stack.enter_context(temporary.open("wb"))
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        writer = stack.enter_context(pa.ipc.new_stream(sink, schema, options=options))
        size = 0
        while batch is not None:
            table = _record_batch(batch, schema)
            writer.write_batch(table)
            size += table.nbytes
            batch = next(batches, None) if size < most_bytes else None
    temporary.replace(path)
    return True


def _record_batch(batch: Batch, schema: Any) -> Any:  # Any: pyarrow is untyped
    import pyarrow as pa

    names = (*FIELDS, "line")
    columns = [pa.array([getattr(pair, name) for pair in batch], schema.field(name).type) for name in names]
    return pa.record_batch(columns, schema=schema)


def copied_pairs(path: Path) -> Iterator[Batch]:
    """The pairs of a copy, batch by batch."""
    with needs_extra("parquet"):
        import pyarrow as pa

    with path.open("rb") as file, pa.ipc.open_stream(file) as batches:
        for batch in batches:
            cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            yield [Pair(*texts, line=line) for *texts, line in cells]
