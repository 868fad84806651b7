"""A spill file of pairs between two passes, read in the order in which it was written, batch by batch.

The text of a post in consecutive rows is stored once; the other rows have "".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.errors import needs_extra
from kaiwa.formats.collection.pair_files import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch


class PairSpill:
    """Pairs in a spill file."""

    _last = ""

    def __init__(self, path: Path) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa

        self._path = path
        self._schema = pa.schema([(name, pa.string()) for name in FIELDS])
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer: Any = pa.ipc.new_stream(path, self._schema, options=options)  # Any: pyarrow is untyped

    def add(self, batch: Batch) -> None:
        """Append a batch of at least one pair."""
        import pyarrow as pa

        before = [self._last, *(pair.post_id for pair in batch[:-1])]
        self._last = batch[-1].post_id
        columns = [[getattr(pair, name) for pair in batch] for name in FIELDS]
        columns[1] = ["" if pair.post_id == last else pair.post for pair, last in zip(batch, before, strict=True)]
        self._writer.write_table(pa.table(columns, schema=self._schema))

    def close(self) -> None:
        """End writing."""
        self._writer.close()

    def batches(self) -> Iterator[list[list[str]]]:
        """The rows in batches of four columns."""
        import pyarrow as pa

        self.close()
        with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as batches:
            for batch in batches:
                yield [column.to_pylist() for column in batch.columns]

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)
