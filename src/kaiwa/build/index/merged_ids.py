"""The ids of merged comments in an index, so that a takedown of one of them finds the comment that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.retrieve.index.byte_lookup import find_ids, joined_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.build.index.index_writer import IndexWriter
    from kaiwa.formats.collection.repository import Repository
    from kaiwa.model.ids import IntArray

_BATCH = 16_384


def write_merged(repository: Repository, writer: IndexWriter) -> None:
    """Write the merged ids in the order of their bytes, and the number of the comment that each was merged into.

    The comments' ids are already written; a merged id whose comment is not among them is left out.
    """
    with needs_extra("search"):
        import pyarrow as pa
        import pyarrow.compute as pc

    names, numbers = [pa.array([], pa.large_string())], [np.zeros(0, dtype=np.int64)]
    find = _comment_finder(writer)
    for merged, kept in repository.table("merged") if (repository.path / "merged.parquet").exists() else ():
        found = find(kept)
        names.append(pa.array(merged, pa.large_string()).filter(pa.array(found >= 0)))
        numbers.append(found[found >= 0])
    ids, kept_numbers = pa.concat_arrays(names), np.concatenate(numbers)
    order = pc.sort_indices(ids)
    writer.save("merged.kept", kept_numbers[order.to_numpy()].astype(np.uint32))
    with writer.strings("merged.ids", "merged.id_starts") as strings:
        for first in range(0, len(ids), _BATCH):
            strings.add(ids.take(order[first : first + _BATCH]).to_pylist())


def _comment_finder(writer: IndexWriter) -> Callable[[list[str]], IntArray]:
    """A function that gives the numbers of comments by their ids, -1 for an unknown one."""
    paths = (writer.folder / f"comments.{part}.npy" for part in ("ids", "id_starts", "row"))
    ids, starts, row = (np.load(path, mmap_mode="r").view(np.ndarray) for path in paths)
    return lambda wanted: find_ids(ids, starts, row, *joined_bytes(wanted))
