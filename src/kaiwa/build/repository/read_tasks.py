"""What each task of a cleaning reads: files as a whole, or spans of a file whose lines are read one by one."""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
    """The paths that a task reads, their format ("" if they are only understood together), and the span of one file."""

    number: int
    paths: tuple[Path, ...]
    format: str
    span: Span | None = None

    @property
    def is_tweets(self) -> bool:
        """Whether the file contains tweets, not pairs."""
        return bool(self.format) and FORMATS[self.format].noun is TWEETS

    def read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        """What the files contain; an error names the line in the whole file."""
        read = 0
        try:
            for one in self._read():
                yield one
                read += 1
        except InputError:
            if self.span is None or not self.span.start:
                raise
            whole = replace(self.span, first_line=1 + lines_before(self.paths[0], self.span))
            for _ in replace(self, span=whole)._read():  # noqa: SLF001  its own
                pass
            raise

    def line(self, number: int) -> int:
        """The line in the file of a line of this task; 0 if it is not known."""
        return number and number + (lines_before(self.paths[0], self.span) if self.span else 0)

    def _read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        if not self.format:
            return read_together(PAIRS, self.paths)
        span = {"span": self.span} if self.span else {}
        found: Iterator[Batch] = FORMATS[self.format].read(self.paths[0], **span)
        return found


def read_tasks(paths: Sequence[Path], *, several: bool) -> list[ReadTask]:
    """The tasks that read these paths: one, or ``several`` where a file can be split."""
    if len(paths) > 1:
        return [ReadTask(0, tuple(paths), "")]
    found = format_of(paths[0], PAIRS, TWEETS)
    whole = ReadTask(0, tuple(paths), found.name)
    if not several or not found.by_lines or paths[0].suffix in _PACKED or not paths[0].is_file():
        return [whole]
    return [replace(whole, number=number, span=span) for number, span in enumerate(spans_of(paths[0], SPAN_BYTES))]


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
