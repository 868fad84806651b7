"""What each task of a cleaning reads: one large piece of the input, or several small files.

A plain file of lines is split into spans, a Parquet file into row groups. Other files are understood from their
beginning only. If such a file is large, one task copies it (``input_copies``), and several tasks read the copy.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from kaiwa.build.repository.input_pieces import PACKED, InputPiece
from kaiwa.disk.foreign_parquet import foreign_size
from kaiwa.errors import InputError
from kaiwa.formats.format_table import FORMATS
from kaiwa.formats.text.blocks import spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.build.repository.raw_files import RawFile

SPAN_BYTES = 1 << 26
_COMPRESSION = 3  # a compressed file decompresses to about this many times its size


@dataclass(frozen=True)
class ReadTask:
    """The pieces of the input that a task reads, one after the other."""

    number: int
    pieces: tuple[InputPiece, ...]


def read_tasks(pieces: Sequence[InputPiece], *, several: bool) -> list[ReadTask]:
    """One task; or ``several``, each with consecutive pieces of together about the bytes of a span."""
    groups, size = [list(pieces[:1])], pieces[0].size
    for piece in pieces[1:]:
        size += piece.size
        if several and size > SPAN_BYTES:
            groups.append([])
            size = piece.size
        groups[-1].append(piece)
    return [ReadTask(number, tuple(group)) for number, group in enumerate(groups)]


def planned_pieces(files: Sequence[RawFile], *, several: bool) -> list[InputPiece]:
    """The pieces of the files, in their order; for ``several`` tasks a large file is split, or marked to be copied."""
    wholes = [InputPiece(file.paths, file.format, bytes_in(file.paths)) for file in files]
    return [piece for whole in wholes for piece in (_split(whole) if several and whole.size > SPAN_BYTES else [whole])]


def _split(whole: InputPiece) -> list[InputPiece]:
    row = FORMATS[whole.format]
    if row.by_lines and whole.file.is_file() and whole.file.suffix not in PACKED:
        return in_spans(whole, whole.file)
    sizes = foreign_size(whole.file).group_bytes if row.by_groups else ()
    if len(ranges := _group_ranges(sizes)) > 1:
        return [replace(whole, groups=one, size=sum(sizes[one.start : one.stop])) for one in ranges]
    return [replace(whole, needs_copy=True)]


def in_spans(whole: InputPiece, file: Path) -> list[InputPiece]:
    """A piece for each span of a file of lines: the file of the piece, or its copy."""
    return [replace(whole, span=span, size=span.end - span.start) for span in spans_of(file, SPAN_BYTES)]


def _group_ranges(sizes: Sequence[int]) -> list[range]:
    """Consecutive row groups of about the bytes of a span."""
    ends = accumulate(sizes)
    places = [(end - size) // SPAN_BYTES for size, end in zip(sizes, ends, strict=True)]
    found = [list(own) for _, own in groupby(range(len(sizes)), key=places.__getitem__)]
    return [range(own[0], own[-1] + 1) for own in found]


def refuse_pipes(paths: Sequence[Path]) -> None:
    """Refuse what other processes cannot read."""
    for path in paths:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            fix = "write it to a file, or leave the engine local"
            raise InputError.at(path, "is a pipe, which other processes cannot read", fix)


def bytes_in(paths: Sequence[Path]) -> int:
    """About how many bytes the files have, decompressed."""
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path]) if file.is_file()]
    return sum(file.stat().st_size * (_COMPRESSION if file.suffix in {*PACKED, ".parquet"} else 1) for file in files)
