"""What each task of a cleaning reads: files as a whole, spans of lines, row groups, or a copy of a part.

A plain file of lines is split into spans, a Parquet file into row groups. Other files are understood from their
beginning only. If such a file is large, one task copies it (``input_copies``), and several tasks read the copy.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from kaiwa.build.repository.pair_copies import copied_pairs
from kaiwa.disk.foreign_parquet import foreign_size
from kaiwa.errors import InputError
from kaiwa.formats.format import PAIRS, TWEETS
from kaiwa.formats.format_table import FORMATS
from kaiwa.formats.readers import format_of, read_together
from kaiwa.formats.text.blocks import Span, lines_before, spans_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch

SPAN_BYTES = 1 << 26
_COMPRESSION = 3  # a compressed file decompresses to about this many times its size
_PACKED = {".gz", ".zst"}


@dataclass(frozen=True)
class ReadTask:
    """The paths that a task reads, their format ("" if they are only understood together), and its part of one file.

    ``copy`` is read instead of the paths: the lines of a compressed file, or the pairs of a part.
    """

    number: int
    paths: tuple[Path, ...]
    format: str
    span: Span | None = None
    groups: range | None = None
    copy: Path | None = None
    needs_copy: bool = False

    @property
    def is_tweets(self) -> bool:
        """Whether the file contains tweets, not pairs."""
        return bool(self.format) and FORMATS[self.format].noun is TWEETS

    def read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        """What the files contain; an error names the line in the whole file."""
        try:
            yield from self._read()
        except InputError:
            if (known := self._with_lines()) is not self:
                for _ in known._read():  # noqa: SLF001  its own
                    pass
            raise

    def _with_lines(self) -> ReadTask:
        """The task whose errors name the file and the lines that the user knows; itself, if its own do."""
        if self.span is None:
            return self
        if self.copy is not None:
            return replace(self, span=None, copy=None)
        before = lines_before(self.paths[0], self.span)
        return replace(self, span=replace(self.span, first_line=1 + before)) if before else self

    def line(self, number: int) -> int:
        """The line in the file of a line of this task; 0 if it is not known."""
        return number and number + (lines_before(self.copy or self.paths[0], self.span) if self.span else 0)

    def _read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        if self.copy is not None and self.span is None:
            return copied_pairs(self.copy)
        if not self.format:
            return read_together(PAIRS, self.paths)
        part: dict[str, Any] = {"span": self.span, "groups": self.groups}  # Any: a span, or a range
        chosen = {name: value for name, value in part.items() if value is not None}
        found: Iterator[Batch] = FORMATS[self.format].read(self.copy or self.paths[0], **chosen)
        return found

    @property
    def is_compressed_lines(self) -> bool:
        """Whether it reads a compressed file of lines, whose copy can be split into spans."""
        return bool(self.format) and FORMATS[self.format].by_lines and self.paths[0].suffix in _PACKED


def read_tasks(paths: Sequence[Path], *, several: bool) -> list[ReadTask]:
    """The tasks that read these paths: one, or ``several`` if there is much to read.

    One task that ``needs_copy`` stands for those that will read the copy.
    """
    found = format_of(paths[0], PAIRS, TWEETS) if len(paths) == 1 else None
    whole = ReadTask(0, tuple(paths), found.name if found else "")
    if not several or bytes_in(paths) <= SPAN_BYTES:
        return [whole]
    if found and found.by_lines and paths[0].is_file() and paths[0].suffix not in _PACKED:
        return in_spans(whole, paths[0])
    groups = _group_ranges(foreign_size(paths[0]).group_bytes) if found and found.by_groups else []
    if len(groups) > 1:
        return [replace(whole, number=number, groups=one) for number, one in enumerate(groups)]
    return [replace(whole, needs_copy=True)]


def in_spans(whole: ReadTask, file: Path) -> list[ReadTask]:
    """A task for each span of a file of lines: the input of the task, or its copy."""
    return [replace(whole, number=number, span=span) for number, span in enumerate(spans_of(file, SPAN_BYTES))]


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
    return sum(file.stat().st_size * (_COMPRESSION if file.suffix in {*_PACKED, ".parquet"} else 1) for file in files)
