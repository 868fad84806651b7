"""A temporary file of pairs between two passes: rows out as they went in, batch by batch.

A post that stands in several rows running is kept once: the others have "" for its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.files.pairs import FIELDS, SHAPE, parquet_batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.files.pairs import Batch

_ROWS = 8192


class Staging:
    """Pairs set aside on disk, so that memory holds a few bytes of each."""

    _last = ""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._path = path
        self._schema = pa.schema([(name, pa.string()) for name in FIELDS])
        self._writer: Any = pq.ParquetWriter(
            path, self._schema, compression="lz4", use_dictionary=False
        )  # Any: pyarrow is untyped

    def add(self, batch: Batch) -> None:
        """Append a batch, which is not empty."""
        import pyarrow as pa

        before = [self._last, *(pair.post_id for pair in batch[:-1])]
        self._last = batch[-1].post_id
        columns = [[getattr(pair, name) for pair in batch] for name in FIELDS]
        columns[1] = ["" if pair.post_id == last else pair.post for pair, last in zip(batch, before, strict=True)]
        self._writer.write_table(pa.table(columns, schema=self._schema))

    def close(self) -> None:
        """No more rows will come."""
        self._writer.close()

    def batches(self) -> Iterator[list[list[str]]]:
        """The rows again, as four columns a batch."""
        self.close()
        return parquet_batches(self._path, FIELDS, SHAPE, rows=_ROWS)

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)
