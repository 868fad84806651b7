"""One shard of an index, from its documents and the statistics of the whole index; shards need nothing of each other.

Every function takes paths and arrays alone, so that each shard is built by a task of its own, wherever it runs.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.build.array_writer import ArrayWriter
from kaiwa.build.index.posting_lists import SideStatistics, write_side
from kaiwa.build.index.shard_documents import ShardDocuments, bytes_of
from kaiwa.build.index.term_numbers import documents_in_part
from kaiwa.disk.document_parts import DocumentParts
from kaiwa.disk.task_files import task_files
from kaiwa.engine.dataset import Note
from kaiwa.retrieve.index.document_terms import partitioned
from kaiwa.retrieve.index.document_texts import own_numbers
from kaiwa.retrieve.index.inverted_index import SIDES, Links, shard_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.build.index.chunk_files import ChunkFiles
    from kaiwa.model.ids import IntArray

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
