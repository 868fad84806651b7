"""Input that cannot be split is copied by one task for each file, so that several tasks can clean it.

A compressed file of lines is decompressed into one file, which is then split into spans: decompression is a few
hundredths of the work. What is understood from its beginning only (CSV, dialogues, files of posts and comments, a
Parquet file of one row group) is read as pairs, a fifth to a third of the work, and the pairs are written to files of
about the size of a span.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING

from kaiwa.build.repository import read_tasks
from kaiwa.build.repository.pair_copies import copy_pairs, small_batches
from kaiwa.engine.dataset import Note
from kaiwa.formats.text.blocks import read_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.build.repository.input_pieces import InputPiece
    from kaiwa.engine.dataset import Engine

    Numbered = tuple[int, InputPiece]  # a piece with its place in the input, which is in the names of its copies

_COPY = "copy"


def with_copies(engine: Engine, pieces: Sequence[InputPiece], folder: Path) -> list[InputPiece]:
    """The pieces in their order; those that need a copy are replaced by pieces of it, made in the folder."""
    needed = [(number, piece) for number, piece in enumerate(pieces) if piece.needs_copy]
    copies: dict[int, list[Path]] = {number: [] for number, _ in needed}
    if needed:
        for number, copy in engine.tables(copied, needed, folder, read_tasks.SPAN_BYTES).gathered().noted(_COPY):
            copies[number].append(copy)
    return [
        part
        for number, piece in enumerate(pieces)
        for part in (_copy_pieces(replace(piece, needs_copy=False), copies[number]) if piece.needs_copy else [piece])
    ]


def _copy_pieces(whole: InputPiece, copies: Sequence[Path]) -> list[InputPiece]:
    if whole.is_compressed_lines:
        return read_tasks.in_spans(replace(whole, copy=copies[0]), copies[0])
    return [replace(whole, copy=one, size=read_tasks.SPAN_BYTES) for one in copies] or [whole]


def copied(numbered: Numbered, folder: Path, most_bytes: int) -> Iterator[Note]:
    """The lines or the pairs of a piece, in files of the folder."""
    number, piece = numbered
    copies = (
        _copied_lines(numbered, folder) if piece.is_compressed_lines else _copied_parts(numbered, folder, most_bytes)
    )
    for copy in copies:
        yield Note(_COPY, (number, copy))


def _copied_lines(numbered: Numbered, folder: Path) -> Iterator[Path]:
    """The lines of a compressed file in a plain one."""
    number, piece = numbered
    copy = folder / f"lines-{number:06d}.spill"
    temporary = copy.with_name(f"{copy.name}.{token_hex(4)}")  # a task that Spark runs twice writes twice
    with temporary.open("wb") as file:
        for chunk in read_chunks(piece.file):
            file.write(chunk)
    temporary.replace(copy)
    yield copy


def _copied_parts(numbered: Numbered, folder: Path, most_bytes: int) -> Iterator[Path]:
    """The pairs of a file in several files."""
    number, piece = numbered
    batches = small_batches(piece.read())
    for part in count():
        copy = folder / f"part-{number:06d}-{part:06d}.spill"
        if not copy_pairs(batches, copy, most_bytes):
            return
        yield copy
