"""A temporary file of pairs between two passes: rows out as they went in, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.files.pairs import FIELDS, SHAPE, parquet_batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.files.pairs import Batch


class Staging:
    """Pairs set aside on disk, so that memory holds a few bytes of each."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._path = path
        self._schema = pa.schema([(name, pa.string()) for name in FIELDS])
        self._writer: Any = pq.ParquetWriter(path, self._schema, compression="lz4")  # Any: pyarrow is untyped

    def add(self, batch: Batch) -> None:
        """Append a batch."""
        import pyarrow as pa

        columns = [[getattr(pair, name) for pair in batch] for name in FIELDS]
        self._writer.write_table(pa.table(columns, schema=self._schema))

    def close(self) -> None:
        """No more rows will come."""
        self._writer.close()

    def batches(self) -> Iterator[list[list[str]]]:
        """The rows again, as four columns a batch."""
        self.close()
        return parquet_batches(self._path, FIELDS, SHAPE)

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)
