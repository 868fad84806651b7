"""The texts of a repository in chunks: each is tokenised, counted and split into shards by a task of its own.

A chunk numbers its terms by itself. ``chunk_merging`` numbers those of all chunks as one pass over all texts would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.ambient import share
from kaiwa.engine.dataset import Note
from kaiwa.engine.opening import AHEAD, task_notes
from kaiwa.files.array_folder import ArrayWriter
from kaiwa.files.spill import task_files
from kaiwa.formats.repository import pieces_of, read_piece
from kaiwa.retrieval.documents import DocumentFrequencies
from kaiwa.retrieval.inverted_index import SIDES
from kaiwa.retrieval.posting_lists import SideStatistics, blocks, token_lines, write_terms
from kaiwa.retrieval.shard_build import document_batch, links_in, shard_streams, shards_of, shards_of_comments
from kaiwa.retrieval.tokenisers import tokeniser
from kaiwa.retrieval.vocabulary import MergedTerms, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.engine.dataset import Engine
    from kaiwa.files.spill import RecordReader
    from kaiwa.formats.repository import OpenRepository, Piece
    from kaiwa.nouns.ids import IntArray


# The files by which the tasks of a build give each other the documents and terms of a chunk of texts.


@dataclass(frozen=True)
class ChunkFiles:
    """The files of a chunk in the folder of spill files."""

    folder: Path
    name: str

    def stream(self, shard: int) -> Path:
        """The documents of a shard."""
        return self.folder / f"{self.name}.{shard:03d}"

    @property
    def term_lines(self) -> Path:
        """The terms, by the chunk's own numbers."""
        return self.folder / f"{self.name}.lines"

    @property
    def documents_with(self) -> Path:
        """The number of documents with each term."""
        return self.folder / f"{self.name}.with.npy"

    @property
    def first_shards(self) -> Path:
        """The first shard of each row."""
        return self.folder / f"{self.name}.first.npy"

    @property
    def term_numbers(self) -> Path:
        """The number in the index of each term, which is known when all chunks are counted."""
        return self.folder / f"{self.name}.numbers.npy"


COUNTED = "counted"
ALL = 0  # the shard of every document, if the index has no shards


class Counted(NamedTuple):
    """What a chunk counts: documents and tokens."""

    documents: int
    tokens: int


@dataclass(frozen=True)
class ChunkPlan:
    """What chunks need: the repository, the folders of the index's arrays and of spill files, the tokeniser's name."""

    repository: OpenRepository
    arrays: Path
    spill: Path
    tokens: str
    shards: int | None

    def files(self, piece: Piece) -> ChunkFiles:
        """The files of a chunk."""
        return ChunkFiles(self.spill, f"{piece.table}-{piece.first:012d}")

    def row_numbers(self, side: str) -> Path:
        """The number of each row of a side in the index."""
        return self.spill / f"{side}.rows.npy"


def split_chunk(piece: Piece, plan: ChunkPlan) -> Iterator[Note]:
    """Write the files of a chunk; what it counts."""
    with task_files(plan.spill) as folder:
        files = ChunkFiles(folder, plan.files(piece).name)
        splitter = _Splitter(piece, plan)
        splitter.split(files)
        splitter.save(files)
    yield Note(COUNTED, Counted(splitter.counted.documents, splitter.counted.tokens))


class _Splitter:
    """Splits the texts of a chunk into terms and its documents into shards."""

    def __init__(self, piece: Piece, plan: ChunkPlan) -> None:
        self._piece, self._plan = piece, plan
        self._vocabulary = Vocabulary(tokeniser(plan.tokens))
        self._rows = np.load(plan.row_numbers(piece.table), mmap_mode="r")[piece.first : piece.first + piece.rows]
        self._first_shards = np.zeros(piece.rows, dtype=np.uint16)
        self.counted = DocumentFrequencies()

    def split(self, files: ChunkFiles) -> None:
        """Write the documents to streams, one for each shard."""
        done = 0
        with shard_streams([files.stream(shard) for shard in range(self._plan.shards or 1)]) as streams:
            for ids, texts in read_piece(self._plan.repository, self._piece):
                numbers = self._rows[done : done + len(ids)].astype(np.int64)
                terms, lengths = self._numbered(texts)
                self.counted.add(terms, lengths, len(self._vocabulary))
                places, shards = self._placed(ids, numbers)
                self._first_shards[done : done + len(ids)] = shards[np.unique(places, return_index=True)[1]]
                streams.add(document_batch(numbers, ids, texts, terms, lengths), places, shards)
                done += len(ids)

    def save(self, files: ChunkFiles) -> None:
        """Write the terms, their counts, and the first shard of each row."""
        files.term_lines.write_bytes(self._vocabulary.lines())
        np.save(files.documents_with, self.counted.documents_with(len(self._vocabulary)))
        np.save(files.first_shards, self._first_shards)

    def _placed(self, ids: list[str], numbers: IntArray) -> tuple[IntArray, IntArray]:
        """The places of documents in a batch, as often as they have shards, and these."""
        if self._plan.shards is None:
            return np.arange(len(ids)), np.full(len(ids), ALL)
        if self._piece.table == SIDES[0]:
            return np.arange(len(ids)), shards_of(ids, self._plan.shards).astype(np.int64)
        shard_of_post = np.load(self._plan.arrays / f"{SIDES[0]}.shard.npy", mmap_mode="r")
        return shards_of_comments(numbers, links_in(self._plan.arrays), shard_of_post)

    def _numbered(self, texts: list[str]) -> tuple[NDArray[np.int32], IntArray]:
        """The terms of texts, and their number per text."""
        found = [self._vocabulary.numbers(block) for block in blocks(token_lines(texts, self._vocabulary.tokeniser))]
        terms, lengths = zip(*found, strict=True) if found else ((), ())
        return np.concatenate([np.zeros(0, np.int32), *terms]), np.concatenate([np.zeros(0, np.int64), *lengths])


# The chunks of all texts counted and numbered as one, by tasks of an engine; memory holds the terms of all texts.


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
