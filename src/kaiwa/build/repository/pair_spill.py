"""A spill file of pairs between two passes, read in the order in which it was written, batch by batch.

The text of a post in consecutive rows is stored once; the other rows have "". The line of a pair in its
file is stored too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.errors import needs_extra
from kaiwa.formats.collection.pair_files import FIELDS
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch


class PairSpill:
    """Pairs in a spill file."""

    _last = ("", "")

    def __init__(self, path: Path) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa

        self._path = path
        self._schema = pa.schema([*((name, pa.string()) for name in FIELDS), ("line", pa.int64())])
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer: Any = pa.ipc.new_stream(path, self._schema, options=options)  # Any: pyarrow is untyped

    def add(self, batch: Batch) -> None:
        """Append a batch of at least one pair."""
        import pyarrow as pa

        posts = [(pair.post_id, pair.post) for pair in batch]
        before, self._last = [self._last, *posts[:-1]], posts[-1]
        columns = [[getattr(pair, name) for pair in batch] for name in (*FIELDS, "line")]
        columns[1] = ["" if post == last else post[1] for post, last in zip(posts, before, strict=True)]
        self._writer.write_table(pa.table(columns, schema=self._schema))

    def close(self) -> None:
        """End writing."""
        self._writer.close()

    def batches(self) -> Iterator[list[list[str]]]:
        """The rows in batches of four columns."""
        return ([column.to_pylist() for column in columns[:-1]] for columns in self._columns())

    def pairs_at(self, rows: Collection[int]) -> dict[int, Pair]:
        """The pairs of a few rows, each with the text of its post."""
        found, first, post = dict[int, Pair](), 0, ""
        for columns in self._columns():
            cells = zip(*(column.to_pylist() for column in columns), strict=True)
            for row, (post_id, text, *comment, line) in enumerate(cells, first):
                post = text or post
                if row in rows:
                    found[row] = Pair(post_id, post, *comment, line=line)
            first += len(columns[0])
            if len(found) == len(rows):
                break
        return found

    def _columns(self) -> Iterator[list[Any]]:  # Any: pyarrow is untyped
        import pyarrow as pa

        self.close()
        with pa.OSFile(str(self._path)) as file, pa.ipc.open_stream(file) as batches:
            for batch in batches:
                yield batch.columns

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)
