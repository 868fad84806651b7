"""One shard of an index, from its documents and the statistics of the whole index; shards need nothing of each other.

Every function takes paths and arrays alone, so that each shard is built by a task of its own, wherever it runs.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.engine.dataset import Note
from kaiwa.errors import needs_extra
from kaiwa.files.array_folder import ArrayWriter
from kaiwa.files.spill import DocumentParts, task_files
from kaiwa.nouns.normalise import fingerprint
from kaiwa.retrieval.documents import own_numbers, partitioned
from kaiwa.retrieval.inverted_index import SIDES, Links, shard_prefix
from kaiwa.retrieval.posting_lists import SideStatistics, documents_in_part, write_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import IntArray
    from kaiwa.retrieval.chunks import ChunkFiles
    from kaiwa.retrieval.documents import Terms

    ShardNumbers = NDArray[np.uint16]


# Documents of a repository to the shards of an index: one Arrow stream for each shard and side.


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


# The documents of one shard in the chunks of all texts, with the terms by their numbers in the index.


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


SIZES = "sizes"


@dataclass(frozen=True)
class ShardPlan:
    """What the shards of an index need: its arrays so far, the chunks of each side, its documents and tokens."""

    arrays: Path
    chunks: Mapping[str, Sequence[ChunkFiles]]
    totals: Mapping[str, tuple[int, int]]

    def statistics(self, side: str) -> SideStatistics:
        """The statistics of a side of the whole index."""
        starts = np.load(self.arrays / f"{side}.starts.npy", mmap_mode="r").view(np.ndarray)
        return SideStatistics(*self.totals[side], np.diff(starts))


def build_shard(shard: int, plan: ShardPlan) -> Iterator[Note]:
    """Write the arrays of a shard; the number of its posts and comments."""
    with task_files(plan.arrays) as folder:
        writer = ArrayWriter(folder, shard_prefix(shard))
        numbers = {
            name: _write_documents(name, ShardDocuments(plan.chunks[name], shard), plan.statistics(name), writer)
            for name in SIDES
        }
        for part, values in zip(Links._fields, shard_links(links_in(plan.arrays), *numbers.values()), strict=True):
            writer.save(f"pairs.{part}", values)
    yield Note(SIZES, {name: len(own) for name, own in numbers.items()})


def links_in(folder: Path) -> Links:
    """The links of the whole index in a folder of arrays, mapped."""
    return Links(*(np.load(folder / f"pairs.{part}.npy", mmap_mode="r").view(np.ndarray) for part in Links._fields))


def shard_links(links: Links, posts: NDArray[np.uint32], comments: NDArray[np.uint32]) -> Links:
    """The pairs of some posts by the shard's own numbers; both arrays are ascending numbers of the index."""
    firsts = links.post_starts[posts].astype(np.int64)
    sizes = links.post_starts[posts.astype(np.int64) + 1].astype(np.int64) - firsts
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    places = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], sizes)
    post_comments = own_numbers(comments, links.post_comments[places].astype(np.int64))
    order = np.argsort(post_comments, kind="stable")
    comment_posts = np.repeat(np.arange(len(posts)), sizes)[order]
    of_comments = np.bincount(post_comments, minlength=len(comments))
    comment_starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(of_comments)))
    return Links(*(part.astype(np.uint32) for part in (starts, post_comments, comment_starts, comment_posts)))


def _write_documents(
    name: str, documents: ShardDocuments, whole: SideStatistics, writer: ArrayWriter
) -> NDArray[np.uint32]:
    """Write the documents of one side of a shard and their postings; their numbers in the index, ascending."""
    numbers = documents.numbers()
    order = np.argsort(numbers, kind="stable")
    own = np.empty(len(order), dtype=np.int64)
    own[order] = np.arange(len(order))
    terms = documents.terms(len(whole.documents_with))
    for part, values in (("numbers", numbers[order]), ("row", order), ("terms", terms)):
        writer.save(f"{name}.{part}", values.astype(np.uint32))
    with closing(DocumentParts(writer.folder, documents_in_part(len(numbers), documents.size))) as parts:
        _write_texts(name, documents, writer)
        _add_terms(documents, own, own_term_numbers(terms, len(whole.documents_with)), parts)
        write_side(name, parts, len(terms), writer, whole._replace(documents_with=whole.documents_with[terms]))
    return numbers[order]


def _write_texts(name: str, documents: ShardDocuments, writer: ArrayWriter) -> None:
    with (
        writer.strings(f"{name}.text", f"{name}.text_starts") as texts,
        writer.strings(f"{name}.ids", f"{name}.id_starts") as ids,
    ):
        for batch in documents.batches():
            texts.add_bytes(*bytes_of(batch.column("text")))
            ids.add_bytes(*bytes_of(batch.column("id")))


def _add_terms(documents: ShardDocuments, own: IntArray, own_terms: NDArray[np.int32], parts: DocumentParts) -> None:
    """Put the terms of the documents into parts, by the shard's own numbers of both."""
    done = 0
    for terms, lengths in documents.term_lists():
        part, starts = partitioned(own_terms[terms], lengths, own[done : done + len(lengths)], parts.each)
        parts.add(part, starts, lengths)
        done += len(lengths)


def own_term_numbers(terms: IntArray, size: int) -> NDArray[np.int32]:
    """Per term of the index the shard's own number; undefined for the others.

    >>> own_term_numbers(np.array([1, 4]), 6)[[1, 4]]
    array([0, 1], dtype=int32)
    """
    own = np.zeros(size, dtype=np.int32)
    own[terms] = np.arange(len(terms), dtype=np.int32)
    return own
