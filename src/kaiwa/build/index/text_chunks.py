"""The texts of a repository in chunks: each is tokenised, counted and split into shards by a task of its own.

A chunk numbers its terms by itself. ``chunk_merging`` numbers those of all chunks as one pass over all texts would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.build.index.chunk_files import ChunkFiles
from kaiwa.build.index.shard_build import links_in
from kaiwa.build.index.shard_split import document_batch, shard_streams, shards_of, shards_of_comments
from kaiwa.build.index.term_numbers import blocks, token_lines
from kaiwa.disk.task_files import task_files
from kaiwa.engine.dataset import Note
from kaiwa.formats.collection.table_pieces import read_piece
from kaiwa.retrieve.index.document_terms import DocumentFrequencies
from kaiwa.retrieve.index.inverted_index import SIDES
from kaiwa.retrieve.index.vocabulary import Vocabulary
from kaiwa.retrieve.text.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.formats.collection.repository import Repository
    from kaiwa.formats.collection.table_pieces import Piece
    from kaiwa.model.ids import IntArray

COUNTED = "counted"
ALL = 0  # the shard of every document, if the index has no shards


class Counted(NamedTuple):
    """What a chunk counts: documents and tokens."""

    documents: int
    tokens: int


@dataclass(frozen=True)
class ChunkPlan:
    """What chunks need: the repository, the folders of the index's arrays and of spill files, the tokeniser's name."""

    repository: Repository
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
