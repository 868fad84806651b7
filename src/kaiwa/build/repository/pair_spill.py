"""A spill file of the pairs of one task, read in the order in which it was written, batch by batch.

The text of a post in consecutive rows is stored once; the other rows have "". The line of a pair in its
file, and which of the task's pieces that is, are stored too.
"""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.formats.collection.pair_files import FIELDS
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch


class PairSpill:
    """Writes pairs in a ``with`` block; the file has its name when it ends without an error."""

    _last = ("", "")

    def __init__(self, path: Path) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa

        self._path, self._temporary = path, path.with_name(f"{path.name}.{token_hex(4)}")
        texts = ((name, pa.string()) for name in FIELDS)
        self._schema = pa.schema([*texts, ("line", pa.int64()), ("piece", pa.int64())])
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._sink = self._temporary.open("wb")  # pyarrow opens no name that is not UTF-8
        self._writer: Any = pa.ipc.new_stream(self._sink, self._schema, options=options)  # Any: pyarrow is untyped

    def add(self, batch: Batch, piece: int) -> None:
        """Append a batch of at least one pair of a piece."""
        import pyarrow as pa

        columns = [
            pa.array([pair.post_id for pair in batch], pa.string()),
            pa.array(self._new_posts(batch), pa.string()),
            pa.array([pair.comment_id for pair in batch], pa.string()),
            pa.array([pair.comment for pair in batch], pa.string()),
            pa.array(np.array([pair.line for pair in batch], dtype=np.int64)),
            pa.array(np.full(len(batch), piece, dtype=np.int64)),
        ]
        self._writer.write_batch(pa.record_batch(columns, schema=self._schema))

    def _new_posts(self, batch: Batch) -> list[str]:
        """The text of each row's post; "" if it is that of the row before."""
        last_id, last = self._last
        texts = list[str]()
        for pair in batch:
            is_last = pair.post_id == last_id and pair.post == last
            texts.append("" if is_last else pair.post)
            last_id, last = pair.post_id, pair.post
        self._last = (last_id, last)
        return texts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self._writer.close()
        finally:
            self._sink.close()
        if kind is None:
            self._temporary.replace(self._path)


def spilled_batches(path: Path) -> Iterator[list[Any]]:  # Any: Arrow arrays
    """The rows in batches of six columns: those of a pair, its line and its piece."""
    import pyarrow as pa

    with path.open("rb") as file, pa.ipc.open_stream(file) as batches:
        for batch in batches:
            yield batch.columns


def pairs_at(path: Path, rows: Collection[int]) -> dict[int, tuple[Pair, int]]:
    """The pairs of a few rows, each with the text of its post, and their pieces."""
    found, first, post = dict[int, tuple[Pair, int]](), 0, ""
    for columns in spilled_batches(path):
        cells = zip(*(column.to_pylist() for column in columns), strict=True)
        for row, (post_id, text, *comment, line, piece) in enumerate(cells, first):
            post = text or post
            if row in rows:
                found[row] = Pair(post_id, post, *comment, line=line), piece
        first += len(columns[0])
        if len(found) == len(rows):
            break
    return found
