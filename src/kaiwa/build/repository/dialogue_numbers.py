"""Dialogues of several files, numbered as those of one file: one without an id is named after its number."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from kaiwa.engine.dataset import Note
from kaiwa.formats.format_table import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.build.repository.input_pieces import InputPiece
    from kaiwa.engine.dataset import Engine

_COUNT = "count"


def with_numbers(engine: Engine, pieces: Sequence[InputPiece]) -> list[InputPiece]:
    """The pieces; each file of dialogues knows the number of its first one, after all files before it."""
    if len(pieces) == 1 or FORMATS[pieces[0].format].count is None:
        return list(pieces)
    counts: list[int] = engine.tables(counted_dialogues, pieces[:-1]).gathered().noted(_COUNT)
    return [replace(piece, first=first) for piece, first in zip(pieces, accumulate(counts, initial=1), strict=True)]


def counted_dialogues(piece: InputPiece) -> Iterator[Note]:
    """How many dialogues a file has."""
    if (count := FORMATS[piece.format].count) is not None:
        yield Note(_COUNT, count(piece.file))
