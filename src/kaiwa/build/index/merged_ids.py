"""The ids of merged comments in an index, so that a takedown of one of them finds the comment that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.retrieve.index.byte_lookup import find_ids, joined_bytes
from kaiwa.retrieve.index.inverted_index import shard_prefix

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.build.array_writer import ArrayWriter
    from kaiwa.formats.collection.repository import Repository
    from kaiwa.model.ids import IntArray

_BATCH = 16_384


def write_merged(repository: Repository, writer: ArrayWriter, shards: int | None = None) -> None:
    """Write the merged ids in the order of their bytes, and the number of the comment that each was merged into.

    The comments' ids are already written; a merged id whose comment is not among them is left out.
    """
    with needs_extra("search"):
        import pyarrow as pa
        import pyarrow.compute as pc

    names, numbers = [pa.array([], pa.large_string())], [np.zeros(0, dtype=np.int64)]
    find = _comment_finder(writer.folder, shards)
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


def _comment_finder(folder: Path, shards: int | None) -> Callable[[list[str]], IntArray]:
    """A function that gives the numbers of comments by their ids, -1 for an unknown one."""

    def loaded(prefix: str, name: str) -> NDArray[Any]:  # Any: several dtypes
        array: NDArray[Any] = np.load(folder / f"{prefix}comments.{name}.npy", mmap_mode="r").view(np.ndarray)
        return array

    prefixes = [""] if shards is None else [shard_prefix(shard) for shard in range(shards)]
    ids = [[loaded(prefix, name) for name in ("ids", "id_starts", "row")] for prefix in prefixes]
    in_index = [loaded(prefix, "numbers") if prefix else None for prefix in prefixes]

    def find(wanted: list[str]) -> IntArray:
        found = np.full(len(wanted), -1, dtype=np.int64)
        for (own_ids, starts, row), numbers in zip(ids, in_index, strict=True):
            own = find_ids(own_ids, starts, row, *joined_bytes(wanted))
            found = np.where(own >= 0, own if numbers is None else numbers[own], found)
        return found

    return find
