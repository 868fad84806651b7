"""A piece of the input of a cleaning: a file as a whole, a span of its lines, some row groups, or a copy of a part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kaiwa.build.repository.pair_copies import copied_pairs
from kaiwa.errors import InputError
from kaiwa.formats.format import TWEETS
from kaiwa.formats.format_table import FORMATS
from kaiwa.formats.text.blocks import Span, lines_before

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKED = {".gz", ".zst"}


@dataclass(frozen=True)
class InputPiece:
    """A file in its format, or a part of it; several paths are files that are only understood together.

    ``size`` is about the number of its bytes, decompressed. ``copy`` is read instead of the file: the lines of a
    compressed file, or the pairs of a part; ``needs_copy`` tells that it is still to be made. ``first`` is the number
    of the first dialogue of a file of dialogues.
    """

    paths: tuple[Path, ...]
    format: str
    size: int = 0
    span: Span | None = None
    groups: range | None = None
    copy: Path | None = None
    needs_copy: bool = False
    first: int = 1

    @property
    def file(self) -> Path:
        """The file that the lines of its pairs are counted in."""
        return self.paths[-1]

    @property
    def is_tweets(self) -> bool:
        """Whether it contains tweets, not pairs."""
        return FORMATS[self.format].noun is TWEETS

    @property
    def is_compressed_lines(self) -> bool:
        """Whether it is a compressed file of lines, whose copy can be split into spans."""
        return FORMATS[self.format].by_lines and self.file.suffix in PACKED

    def read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        """What it contains; an error names the line in the whole file."""
        try:
            yield from self._read()
        except InputError:
            if (known := self._with_lines()) is not self:
                for _ in known._read():  # noqa: SLF001  its own
                    pass
            raise

    def line(self, number: int) -> int:
        """The line in the file of a line of this piece; 0 if it is not known."""
        return number and number + (lines_before(self.copy or self.file, self.span) if self.span else 0)

    def _with_lines(self) -> InputPiece:
        """The piece whose errors name the file and the lines that the user knows; itself, if its own do."""
        if self.span is None:
            return self
        if self.copy is not None:
            return replace(self, span=None, copy=None)
        before = lines_before(self.file, self.span)
        return replace(self, span=replace(self.span, first_line=1 + before)) if before else self

    def _read(self) -> Iterator[Any]:  # Any: batches of pairs, or tweets
        if self.copy is not None and self.span is None:
            return copied_pairs(self.copy)
        row = FORMATS[self.format]
        found: Iterator[Any]  # Any: as above
        if len(self.paths) > 1 and row.read_together is not None:
            found = row.read_together(self.paths)
        else:
            found = row.read(self.copy or self.file, **self._part())
        return found

    def _part(self) -> dict[str, Any]:  # Any: a span, a range or a number
        """The options of a reader that reads a part, or one of several files."""
        part = {"span": self.span, "groups": self.groups, "first": self.first if self.first > 1 else None}
        return {name: value for name, value in part.items() if value is not None}
