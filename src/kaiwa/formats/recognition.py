"""A format: its noun, and how it is recognised, read and written; and the nouns that files contain."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from kaiwa.errors import InputError
from kaiwa.files.atomic import is_hidden
from kaiwa.files.inputs import open_input
from kaiwa.formats.fields import is_number
from kaiwa.formats.text_files import bare_name, numbered_lines, open_binary, read_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.dialogues import Tweet
    from kaiwa.formats.fields import Texts
    from kaiwa.formats.pairs import Batch
    from kaiwa.nouns.cells import Cells
    from kaiwa.nouns.factors import Factors
    from kaiwa.nouns.pair_ids import PairIds
    from kaiwa.nouns.qrels import IntentChances, Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.scores import Scores
    from kaiwa.nouns.votes import Votes


T = TypeVar("T")
W = TypeVar("W")


@dataclass(frozen=True)
class Content(Generic[T, W]):
    """What a file contains: its name, the words for it and its file in a message, and the command that takes the file.

    Reading gives a T and writing takes a W; they differ for scores, which may have gaps when they are read.
    """

    name: str
    wanted: str
    file: str
    use: str


RUNS: Content[list[Run], list[Run]] = Content(
    "run", "a run", "a run file", "score it: kaiwa score {path} --qrels QRELS"
)
QRELS: Content[Qrels, Qrels] = Content(
    "qrels", "qrels", "a qrels file", "score runs against it: kaiwa score RUN... --qrels {path}"
)
VOTES: Content[Votes, Votes] = Content(
    "votes", "votes", "a vote file", "turn its votes into qrels: kaiwa gains {path} -o QRELS"
)
SCORES: Content[Cells, Scores] = Content("scores", "scores", "a score file", "compare its runs: kaiwa compare {path}")
TOPICS: Content[dict[str, str], dict[str, str]] = Content(
    "topics", "topics", "a topic file", "answer its topics: kaiwa retrieve INDEX {path} -o RUN"
)
PAIRS: Content[Iterator[Batch], Iterator[Batch]] = Content(
    "pairs", "pairs", "a file of pairs", "make a repository from it: kaiwa clean {path} -o REPO"
)
TWEETS: Content[Iterator[Tweet], Iterator[Tweet]] = Content(
    "tweets", "tweets", "a file of tweets", "make a repository from it: kaiwa clean {path} -o REPO --rules twitter"
)
PAIR_IDS: Content[PairIds, PairIds] = Content(
    "ids of pairs", "ids of pairs", "a file of ids of pairs", "put the texts back: kaiwa convert {path} --texts FILE"
)
FACTORS: Content[Factors, Factors] = Content(
    "factors",
    "standardisation factors",
    "a file of standardisation factors",
    "standardise scores with it: kaiwa standardise SCORES --factors {path}",
)
CHANCES: Content[IntentChances, IntentChances] = Content(
    "chances",
    "probabilities of intents",
    "a file of intent probabilities",
    "score runs with it: kaiwa score RUN... --intents QRELS --chances {path}",
)


@dataclass(frozen=True)
class Format(Generic[T, W]):
    """One format of one noun.

    ``read`` takes a path and the noun's own options; ``read_together`` takes the paths of files that are only
    understood together. ``texts`` is None if the format is only read. ``shape`` shows a line of the file;
    ``description`` is one line of documentation. ``by_lines`` tells that lines are read one by one: ``read`` takes a
    ``span`` of the file, so that several processes can read it. ``by_groups`` tells that ``read`` takes a range of the
    row ``groups`` of a Parquet file. ``count`` gives the number of things in a file that are named after their numbers;
    ``read`` then takes the number of the ``first``, so that several files are numbered as one. ``columns`` gives the
    names of the columns of a file of pairs, in their order; none if it has all of them and no header. ``translations``
    gives those of its columns that are translations; ``read`` then takes the names of the ``translations`` to read.
    """

    name: str
    noun: Content[T, W]
    shape: str
    description: str
    recognise: Callable[[Head], Match]
    read: Callable[..., T]
    texts: Callable[[W], Texts] | None = None
    read_together: Callable[[Sequence[Path]], T] | None = None
    by_lines: bool = False
    by_groups: bool = False
    count: Callable[[Path], int] | None = None
    columns: Callable[[Path], tuple[str, ...]] | None = None
    translations: Callable[[Path], tuple[str, ...]] | None = None


# The beginning of a file, or the names in a folder, by which a format is recognised.


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
        files = (file for pattern in (f"*{ending}", f"*/*{ending}") for file in self.path.glob(pattern))
        return self.is_folder and any(file.is_file() and not is_hidden(file) for file in files)

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
