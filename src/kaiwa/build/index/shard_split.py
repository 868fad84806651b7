"""Documents of a repository to the shards of an index: one Arrow stream for each shard and side.

A shard has the posts whose fingerprint leaves its number as the remainder, and every comment of one of its posts.
A row of a stream is a document of the shard: its number in the index, id, text and terms.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.model.normalise import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.document_terms import Terms
    from kaiwa.retrieve.index.inverted_index import Links

    ShardNumbers = NDArray[np.uint16]

COLUMNS = ("number", "id", "text", "terms")


def shards_of(post_ids: Sequence[str], shards: int) -> ShardNumbers:
    """The shard of each post.

    >>> shards_of(["p1", "p2", "p3"], 1).tolist()
    [0, 0, 0]
    """
    return np.array([fingerprint(one) % shards for one in post_ids], dtype=np.uint16)


def shards_of_comments(numbers: IntArray, links: Links, shard_of_post: ShardNumbers) -> tuple[IntArray, IntArray]:
    """The shards of comments, those of their posts: the place of each comment, as often as it has shards, and these.

    A comment's shards are in ascending order.
    """
    firsts = links.comment_starts[numbers].astype(np.int64)
    sizes = links.comment_starts[numbers + 1].astype(np.int64) - firsts
    places = np.repeat(np.arange(len(numbers)), sizes)
    offsets = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shards = shard_of_post[links.comment_posts[np.repeat(firsts, sizes) + offsets]].astype(np.int64)
    both = np.unique(places << 16 | shards)
    return both >> 16, both & 0xFFFF


def document_batch(
    numbers: IntArray, ids: Sequence[str], texts: Sequence[str], terms: Terms, lengths: IntArray
) -> Any:  # Any: a record batch
    """Documents as rows of a stream; ``lengths`` is the number of terms of each."""
    with needs_extra("search"):
        import pyarrow as pa

    ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    columns = [
        pa.array(numbers, pa.uint32()),
        pa.array(ids, pa.large_string()),
        pa.array(texts, pa.large_string()),
        pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), pa.array(terms, pa.int32())),
    ]
    return pa.record_batch(columns, names=list(COLUMNS))


class ShardStreams:
    """Writes the documents of one side to the streams of their shards."""

    def __init__(self, paths: Sequence[Path], stack: ExitStack) -> None:
        self._paths, self._stack = paths, stack
        self._writers: dict[int, Any] = {}  # Any: stream writers

    def add(self, documents: Any, places: IntArray, shards: IntArray) -> None:  # Any: a record batch
        """Write the document at each place to the shard beside it."""
        order = np.argsort(shards, kind="stable")
        ends = np.cumsum(np.bincount(shards, minlength=len(self._paths))).tolist()
        for shard, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            self._writer(shard, documents.schema).write_batch(documents.take(places[order[low:high]]))

    def _writer(self, shard: int, schema: Any) -> Any:  # Any: pyarrow's objects
        import pyarrow as pa

        if shard not in self._writers:
            file = self._stack.enter_context(pa.OSFile(os.fsencode(self._paths[shard]), "wb"))
            self._writers[shard] = self._stack.enter_context(pa.ipc.new_stream(file, schema))
        return self._writers[shard]


@contextmanager
def shard_streams(paths: Sequence[Path]) -> Iterator[ShardStreams]:
    """The streams of one side, one path for each shard, complete when the block ends."""
    with ExitStack() as stack:
        yield ShardStreams(paths, stack)


def documents_in(path: Path) -> Iterator[Any]:  # Any: record batches
    """The batches of a stream, mapped; none if it is missing."""
    import pyarrow as pa

    if path.exists():
        with pa.memory_map(os.fsencode(path)) as source, pa.ipc.open_stream(source) as stream:
            yield from stream
