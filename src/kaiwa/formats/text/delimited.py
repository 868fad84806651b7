"""CSV tables: rows of text cells with line numbers, quoted or not, with LF, CRLF or CR line ends.

A spreadsheet takes a cell such as ``=HYPERLINK(...)`` for a formula. A name that it would take so is written after an
apostrophe, as a spreadsheet marks a text, and ``read_csv`` removes the apostrophe.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import numbered_lines, read_blocks, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Row = tuple[int, list[str]]


SEPARATORS = (",", ";", "\t")
_FORMULA = re.compile(r"'*(?:[=＝]|[-+@＋－＠](?![\w.:@-]*$))")
"""What a spreadsheet computes; ``-x7``, ``@ann`` and numbers are harmless, and stay as they are."""


def split_header(line: str) -> tuple[str, list[str]]:
    r"""The separator of a header (comma, semicolon or tab: the most frequent) and its names, in lower case.

    >>> split_header("Topic;comment;level")
    (';', ['topic', 'comment', 'level'])
    """
    separator = max(SEPARATORS, key=line.count)
    return separator, [name.strip().strip('"').strip().lower() for name in line.split(separator)]


def read_csv(path: Path, *, separator: str = ",") -> Iterator[Row]:
    """The rows of a file of separated cells with their line numbers; blank and ``#`` lines are ignored."""
    for line, cells in stream_csv(path, separator=separator):
        if not cells[0].startswith("#"):
            yield line, [_unmarked(cell) if cell[:1] == "'" else cell for cell in cells]


def stream_csv(path: Path, *, separator: str = ",") -> Iterator[Row]:
    """The rows of a file of any size, read block by block; blank lines are ignored."""
    lines = (f"{line}\n" for block in read_blocks(path) for _, line in numbered_lines(block))
    reader = csv.reader(lines, strict=True, skipinitialspace=True, delimiter=separator)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            raise InputError.at(path, f"is not CSV ({fault})", "check the quotes", line=reader.line_num) from None
        if any(cell.strip() for cell in cells):
            yield reader.line_num, [cell.strip() for cell in cells]


def stream_rows(path: Path, *, separator: str) -> Iterator[Row]:
    """The rows of a table of texts of any size; between tabs a quote is a character of the text."""
    if separator != "\t":
        yield from stream_csv(path, separator=separator)
        return
    for block in read_blocks(path):
        for number, line in numbered_lines(block):
            if line.strip():
                yield number, [cell.strip() for cell in line.split("\t")]


def read_spaced(path: Path) -> Iterator[Row]:
    """The rows of a file separated by tabs or spaces, quotes around a cell removed."""
    for line, cells in read_fields(path):
        yield line, [cell.strip('"') for cell in cells]


def read_fields(path: Path) -> Iterator[Row]:
    """The rows of a file separated by tabs or spaces, cells unchanged; blank and ``#`` lines are ignored."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.split()


def number(cell: str, path: Path, line: int, what: str) -> float:
    """The cell as a finite number; an error with its line if it is not one."""
    try:
        value = float(cell) if "_" not in cell else float("nan")
    except ValueError:
        value = float("nan")
    if value - value != 0:  # true for NaN and for the infinities
        shown = f"{cell!r} is not a finite number" if cell else "is missing"
        raise InputError.at(path, f"{what} {shown}", "fix the cell, or remove its topic or run", line=line)
    return value


def is_number(cell: str) -> bool:
    """Whether the cell can be read as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    r"""The rows as CSV under their header, numbers with every digit, None as an empty cell.

    >>> csv_text(["run", "score"], [["A", 0.1], ["B, old", None]])
    'run,score\nA,0.1\n"B, old",\n'

    What a spreadsheet would compute follows an apostrophe.

    >>> csv_text(["run"], [["=1+1"], ["-x7"]])
    "run\n'=1+1\n-x7\n"
    """
    lines = [header, *rows]
    return plain_csv_text([_marked(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)


def plain_csv_text(rows: Iterable[Sequence[str | float | None]]) -> str:
    """The rows as CSV, cells as they are."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _marked(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _unmarked(text: str) -> str:
    return text[1:] if _FORMULA.match(text) else text
