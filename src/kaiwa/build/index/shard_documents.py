"""The documents of one shard in the chunks of all texts, with the terms by their numbers in the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.index.shard_split import documents_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kaiwa.build.index.chunk_files import ChunkFiles
    from kaiwa.model.ids import IntArray


@dataclass(frozen=True)
class ShardDocuments:
    """The documents of one side of a shard, in the order of the repository's rows."""

    chunks: Sequence[ChunkFiles]
    shard: int

    @property
    def size(self) -> int:
        """The number of bytes of all streams."""
        return sum(chunk.stream(self.shard).stat().st_size for chunk in self.chunks)

    def batches(self) -> Iterator[Any]:  # Any: record batches
        """The batches of all streams."""
        for chunk in self.chunks:
            yield from documents_in(chunk.stream(self.shard))

    def numbers(self) -> NDArray[np.uint32]:
        """The numbers of the documents in the index."""
        return np.concatenate(
            [np.zeros(0, np.uint32), *(batch.column("number").to_numpy() for batch in self.batches())]
        )

    def term_lists(self) -> Iterator[tuple[NDArray[np.int32], IntArray]]:
        """The terms of each batch of documents, and their number per document."""
        for chunk in self.chunks:
            numbers = np.load(chunk.term_numbers)
            for batch in documents_in(chunk.stream(self.shard)):
                lists = batch.column("terms")
                yield numbers[lists.flatten().to_numpy()], np.diff(lists.offsets.to_numpy())

    def terms(self, size: int) -> IntArray:
        """The terms of the documents, ascending, of ``size`` terms of the index."""
        occurs = np.zeros(size, dtype=np.bool_)
        for terms, _ in self.term_lists():
            occurs[terms] = True
        return np.flatnonzero(occurs)


def bytes_of(strings: Any) -> tuple[NDArray[np.uint8], IntArray]:  # Any: a pyarrow array of large strings
    """The joined bytes of strings, and the length of each."""
    _, offsets, data = strings.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[strings.offset : strings.offset + len(strings) + 1]
    joined = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]] if data else np.zeros(0, dtype=np.uint8)
    return joined, np.diff(ends)
