"""The files by which the tasks of a build give each other the documents and terms of a chunk of texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
