"""A run file read with its problems; only a file that is not text is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.fields import MAX_ID_BYTES
from kaiwa.formats.text_files import raw_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


MAX_LINES = 5_000_000
_FIELD = re.compile(r"[^ \t]+")
_TOPIC, _SECOND, _COMMENT, _RANK, _SCORE, _NAME = range(6)
FIELDS = 6
_REPEATED = (_TOPIC, _SECOND, _RANK, _NAME)


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line: its number, its text without the newline (invalid bytes as lone surrogates), and its fields."""

    number: int
    text: str
    fields: tuple[str, ...]

    @classmethod
    def of(cls, number: int, text: str, seen: dict[str, str] | None = None) -> RawLine:
        """The line with its fields, between tabs or spaces; a topic, rank or name that was ``seen`` is stored once."""
        fields = _FIELD.findall(text)
        if seen is not None and len(fields) >= FIELDS:
            for place in _REPEATED:
                fields[place] = seen.setdefault(fields[place], fields[place])
        return cls(number, text, tuple(fields))

    def with_text(self, text: str) -> RawLine:
        """The line with another text."""
        return RawLine.of(self.number, text)

    @property
    def is_ranked(self) -> bool:
        """Whether the line has the six fields of a ranked comment."""
        return len(self.fields) >= FIELDS

    @property
    def long_field(self) -> int | None:
        """The place of the first of the six fields that is longer than readers accept; None if there is none."""
        if len(self.text) <= MAX_ID_BYTES // 4:
            return None
        fields = (field.encode(errors="surrogateescape") for field in self.fields[:FIELDS])
        return next((place for place, field in enumerate(fields) if len(field) > MAX_ID_BYTES), None)

    topic = property(lambda self: self.fields[_TOPIC])
    second = property(lambda self: self.fields[_SECOND])
    comment = property(lambda self: self.fields[_COMMENT])
    rank = property(lambda self: self.fields[_RANK])
    score = property(lambda self: self.fields[_SCORE])
    name = property(lambda self: self.fields[_NAME])

    def column(self, place: int) -> int:
        """The column, from 1, at which a field starts."""
        starts = [match.start() + 1 for match in _FIELD.finditer(self.text)]
        return starts[place] if place < len(starts) else len(self.text) + 1


@dataclass(frozen=True)
class RawRun:
    """A run file's lines, and how it was saved: byte order mark, line ends, last newline."""

    path: Path
    lines: tuple[RawLine, ...]
    has_bom: bool
    carriage_returns: int
    ends_in_newline: bool

    @cached_property
    def description(self) -> RawLine | None:
        """The first line if it is a system description."""
        first = self.lines[0]
        return first if is_description(first) else None

    @cached_property
    def body(self) -> list[RawLine]:
        """The lines that should rank a comment: not the description, not blank, not a ``#`` line."""
        return [line for line in self.lines if line.fields and not is_description(line) and line.fields[0][0] != "#"]

    @cached_property
    def ranked(self) -> list[RawLine]:
        """The lines of the body that have six fields."""
        return [line for line in self.body if line.is_ranked]

    @cached_property
    def is_trec(self) -> bool:
        """Whether the file is a TREC run: no description, and a second field other than 0."""
        return self.description is None and any(line.second != "0" for line in self.ranked)

    @cached_property
    def stem(self) -> str:
        """The file's name without its suffixes: the name that an NTCIR run must have."""
        name = self.path.name
        for ending in (".gz", ".zst", ".txt"):
            name = name.removesuffix(ending)
        return name

    @cached_property
    def by_topic(self) -> dict[str, list[RawLine]]:
        """The ranked lines by topic, topics in order of first appearance."""
        groups: dict[str, list[RawLine]] = {}
        for line in self.ranked:
            groups.setdefault(line.topic, []).append(line)
        return groups


def is_description(line: RawLine) -> bool:
    """Whether the line is a ``<SYSDESC>`` line, closed or not."""
    return line.text.lstrip().startswith("<SYSDESC>")


def read_raw(path: Path) -> RawRun:
    """The file's lines, unchanged."""
    return raw_run(path, raw_lines(path))


def raw_run(path: Path, source: Iterable[bytes]) -> RawRun:
    """The run of these lines, each with its newline."""
    lines, returns, has_bom, complete = list[RawLine](), 0, False, True
    seen = dict[str, str]()
    for number, data in _numbered(path, source):
        if number == 1:
            has_bom = data.startswith(b"\xef\xbb\xbf")
        text = data.removeprefix(b"\xef\xbb\xbf") if number == 1 else data
        complete = text.endswith(b"\n")
        body = text.removesuffix(b"\n")
        returns += b"\r" in body
        lines.append(RawLine.of(number, body.rstrip(b"\r").decode(errors="surrogateescape"), seen))
    return RawRun(path, tuple(lines), has_bom, returns, complete)


def _numbered(path: Path, source: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    for number, data in enumerate(source, start=1):
        if number > MAX_LINES:
            raise InputError.at(path, f"more than {MAX_LINES:,} lines", "check that it is a run file")
        yield number, data
    if not number:
        raise InputError.at(path, "the file is empty", "give a file with at least one line")
