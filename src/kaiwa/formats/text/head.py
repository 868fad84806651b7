"""The beginning of a file, or the names in a folder, by which a format is recognised."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import is_hidden
from kaiwa.disk.input_files import open_input
from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import bare_name, numbered_lines, open_binary, read_blocks
from kaiwa.formats.text.delimited import is_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

LINES = 40
_HEAD_BYTES = 1 << 14
_START_BYTES = 1 << 16
_LONGEST_ID = 12  # of an id that is not ASCII


class Match(IntEnum):
    """How well the beginning of a file fits a format."""

    NO = 0
    POSSIBLE = 1
    SURE = 2


@dataclass(frozen=True)
class Head:
    """The first lines of a file, without blank and ``#`` lines; none for a folder or an unreadable file."""

    path: Path

    @cached_property
    def name(self) -> str:
        """The file's name without the suffix of a compression, in lower case."""
        return bare_name(self.path).lower()

    @cached_property
    def is_folder(self) -> bool:
        """Whether the path is a folder."""
        return self.path.is_dir()

    def has_files(self, ending: str) -> bool:
        """Whether the folder, or a folder in it, has files with this suffix."""
        patterns = (f"*{ending}", f"*/*{ending}")
        return self.is_folder and any(not is_hidden(file) for pattern in patterns for file in self.path.glob(pattern))

    @cached_property
    def lines(self) -> list[str]:
        """The first lines, each complete."""
        if self.is_folder:
            return []
        try:
            block = next(iter(read_blocks(self.path, block_bytes=_HEAD_BYTES)))
        except InputError:  # the chosen reader reports what is wrong
            return []
        kept = (line for _, line in numbered_lines(block) if line.strip() and not line.lstrip().startswith("#"))
        return [line for line, _ in zip(kept, range(LINES), strict=False)]

    @cached_property
    def start(self) -> str:
        """The first characters, also of a file whose first line is very long; empty if it is not text."""
        if self.is_folder:
            return ""
        try:
            with open_binary(self.path) as stream:
                return stream.read(_START_BYTES).decode(errors="ignore")
        except InputError:  # the chosen reader reports what is wrong
            return ""

    @property
    def has_objects(self) -> bool:
        """Whether it begins as JSON objects do, alone, in lines or in an array."""
        return self.start.lstrip("\ufeff \n\r\t[").startswith("{")

    @cached_property
    def fields(self) -> list[list[str]]:
        """The fields of the first lines, between tabs or spaces."""
        return [line.split() for line in self.lines]

    @cached_property
    def columns(self) -> list[tuple[str, ...]]:
        """The fields by column; none if the lines differ in their number of fields."""
        if len(set(map(len, self.fields))) != 1:
            return []
        return list(zip(*self.fields, strict=True))

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells of the first lines: between commas if the first line has one, else between tabs or spaces."""
        if not self.lines or "," not in self.lines[0]:
            return [[cell.strip('"') for cell in row] for row in self.fields]
        reader = csv.reader((f"{line}\n" for line in self.lines), skipinitialspace=True)
        try:
            return [[cell.strip() for cell in row] for row in reader]
        except csv.Error:  # the chosen reader reports what is wrong
            return []

    @cached_property
    def header(self) -> list[str]:
        """The cells of the first line in lower case."""
        return [cell.lower() for cell in self.rows[0]] if self.rows else []


def is_zip(path: Path) -> bool:
    """Whether the file starts as a zip file does."""
    try:
        with open_input(path) as stream:
            return stream.read(4) == b"PK\x03\x04"
    except OSError:  # the chosen reader reports what is wrong
        return False


def partly(fitting: Iterable[bool]) -> Match:
    """POSSIBLE when at least half of the lines fit, as in a damaged file; its reader reports the invalid line."""
    fits = list(fitting)
    return Match.POSSIBLE if fits and 2 * sum(fits) >= len(fits) else Match.NO


def is_text(cell: str) -> bool:
    """Whether the cell can only be a text, not an id: several words, or many characters that are not ASCII.

    >>> [is_text(cell) for cell in ("q1", "会話-1", "enjoy the sun", "今天的天气真的很不错，去看海吗")]
    [False, False, True, True]
    """
    return len(cell.split()) > 1 or (not cell.isascii() and len(cell) > _LONGEST_ID)


def are_numbers(cells: Iterable[str]) -> bool:
    """Whether every cell is a number."""
    return all(map(is_number, cells))


def are_fractions(cells: Sequence[str]) -> bool:
    """Whether the cells are the numbers of a table: each a number, some with a decimal point."""
    return are_numbers(cells) and any("." in cell for cell in cells)


def are_whole(cells: Iterable[str]) -> bool:
    """Whether every cell is a whole number.

    >>> are_whole(["301", "-1"]), are_whole(["301", "0.5"])
    (True, False)
    """
    return all(cell.isascii() and cell.removeprefix("-").isdigit() for cell in cells)


def are_ids(topics: Sequence[str], items: Sequence[str]) -> bool:
    """Whether two columns can only be the ids of topics and items, not numbers of a table.

    Ids have letters; or they are whole numbers, no (topic, item) is duplicate, and some item is longer than a grade.

    >>> are_ids(["q1", "q1"], ["7", "8"]), are_ids(["301", "301"], ["17", "4"]), are_ids(["1", "0"], ["0", "1"])
    (True, True, False)
    """
    both = [*topics, *items]
    if not are_numbers(both):
        return not any("." in cell and is_number(cell) for cell in both)
    distinct = len(set(zip(topics, items, strict=True))) == len(topics)
    return are_whole(both) and distinct and any(len(cell) > 1 for cell in items)
