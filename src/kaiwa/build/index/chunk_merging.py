"""The chunks of all texts counted and numbered as one, by tasks of an engine; memory holds the terms of all texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.build.array_writer import ArrayWriter
from kaiwa.build.index.posting_lists import SideStatistics
from kaiwa.build.index.term_numbers import write_terms
from kaiwa.build.index.text_chunks import COUNTED, split_chunk
from kaiwa.engine.task_notes import AHEAD, task_notes
from kaiwa.formats.collection.table_pieces import pieces_of
from kaiwa.model.progress_callback import share
from kaiwa.retrieve.index.inverted_index import SIDES
from kaiwa.retrieve.index.vocabulary import MergedTerms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kaiwa.build.index.chunk_files import ChunkFiles
    from kaiwa.build.index.text_chunks import ChunkPlan
    from kaiwa.disk.partitions import RecordReader
    from kaiwa.engine.dataset import Engine
    from kaiwa.model.ids import IntArray
    from kaiwa.model.progress_callback import Progress

_MOST_ROWS, _FEWEST_ROWS = 1 << 20, 1 << 14  # of a chunk
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class CountedSide:
    """The chunks of one side in the order of their rows, and what they count together."""

    chunks: list[ChunkFiles]
    documents: int
    tokens: int
    documents_with: IntArray

    def statistics(self, terms: int) -> SideStatistics:
        """The statistics of the side, now that all terms are known."""
        counts = np.zeros(terms, dtype=np.int64)
        counts[: len(self.documents_with)] = self.documents_with
        return SideStatistics(self.documents, self.tokens, counts)


@dataclass(frozen=True)
class Chunks:
    """The chunks of both sides, their statistics, and the number of terms."""

    files: dict[str, list[ChunkFiles]]
    statistics: dict[str, SideStatistics]
    terms: int


def counted_chunks(
    engine: Engine, plan: ChunkPlan, numbers: Sequence[RecordReader], writer: ArrayWriter, progress: Progress
) -> Chunks:
    """Tokenise all texts by tasks; write the terms, and the first shard of each document if there are shards."""
    merged, done = MergedTerms(), 0
    sides = dict[str, CountedSide]()
    total = plan.repository.manifest.posts + plan.repository.manifest.comments
    for side, rows in zip(SIDES, numbers, strict=True):
        _save_rows(plan, side, rows)
        sides[side] = _counted(engine, plan, side, merged, share(progress, done / total, 1) if total else progress)
        done += sides[side].documents
        if plan.shards is not None:
            writer.save(f"{side}.shard", _first_shards(plan, side, sides[side].chunks))
    statistics = {side: own.statistics(len(merged)) for side, own in sides.items()}
    return Chunks({side: own.chunks for side, own in sides.items()}, statistics, write_terms(merged, writer))


def _counted(engine: Engine, plan: ChunkPlan, side: str, merged: MergedTerms, progress: Progress) -> CountedSide:
    """Tokenise the texts of one side."""
    rows = getattr(plan.repository.manifest, side)
    pieces = pieces_of(plan.repository, side, most=_rows_of_chunk(rows, engine.workers))
    documents = tokens = 0
    for one in task_notes(engine, split_chunk, pieces, plan, name=COUNTED):
        documents, tokens = documents + one.documents, tokens + one.tokens
        progress(documents, rows)
    chunks = [plan.files(piece) for piece in pieces]
    return CountedSide(chunks, documents, tokens, _numbered(chunks, merged))


def _save_rows(plan: ChunkPlan, side: str, rows: RecordReader) -> None:
    """Write the number of each row of a side, for the tasks."""
    total = getattr(plan.repository.manifest, side)
    with ArrayWriter(plan.spill).growing(plan.row_numbers(side).stem, np.uint32) as numbers:
        for first in range(0, total, _ROWS_AT_ONCE):
            numbers.add(rows.take(min(_ROWS_AT_ONCE, total - first))["number"])


def _rows_of_chunk(rows: int, workers: int) -> int:
    """How many rows a chunk has: every worker gets some chunks, and none is too large or too small.

    >>> _rows_of_chunk(1_600_000, 1), _rows_of_chunk(1_600_000, 10), _rows_of_chunk(1000, 10)
    (1048576, 40000, 16384)
    """
    if workers == 1:
        return _MOST_ROWS
    return min(max(-(-rows // (AHEAD * workers)), _FEWEST_ROWS), _MOST_ROWS)


def _numbered(chunks: Sequence[ChunkFiles], merged: MergedTerms) -> IntArray:
    """Number the terms of chunks in the index; the number of documents with each of them."""
    counts = np.zeros(0, dtype=np.int64)
    for chunk in chunks:
        numbers = merged.add(chunk.term_lines.read_bytes())
        np.save(chunk.term_numbers, numbers)
        counts = np.concatenate((counts, np.zeros(len(merged) - len(counts), dtype=np.int64)))
        counts[numbers] += np.load(chunk.documents_with)
    return counts


def _first_shards(plan: ChunkPlan, side: str, chunks: Sequence[ChunkFiles]) -> NDArray[np.uint16]:
    """The first shard of each document, by its number."""
    firsts = np.concatenate([np.load(chunk.first_shards) for chunk in chunks])
    by_number = np.empty(len(firsts), dtype=np.uint16)
    by_number[np.load(plan.row_numbers(side), mmap_mode="r")] = firsts
    return by_number
