"""Whitespace-separated fields, found for a block at once; and names that such files can hold.

Fields are separated by tabs or spaces. Lines that are blank or start with ``#`` (ir_metadata) are ignored.
A block in which every line has the expected number of fields takes a few passes over its bytes; any other
block is read line by line, to report the invalid line.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import InputError, counted
from kaiwa.formats.text_files import numbered_lines, read_blocks, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.text_files import Block
    from kaiwa.nouns.ids import FloatArray, IdArray, IntArray


# Arrays of printed numbers as floats, each exactly as ``float()`` reads it.


_EXACT_DIGITS = 15
"""An integer of this many digits and a power of ten up to 1e22 are exact in binary64, so one division
rounds correctly (Clinger 1990, the fast path of strtod)."""

FEW = 4096
"""Up to this many numbers, reading them one by one is faster than a pass over every column of digits."""

_ZERO, _NINE, _DOT, _MINUS, _PLUS = (ord(char) for char in "09.-+")


def decimals(text: IdArray) -> FloatArray:
    """The numbers printed in a packed column; NaN where a field is not a number.

    >>> decimals(np.array([b"1.5", b"-2", b"1e-3", b"x"]))
    array([ 1.5e+00, -2.0e+00,  1.0e-03,      nan])
    """
    if len(text) <= FEW:
        return _few(text.tolist())
    places = np.ascontiguousarray(text.view(np.uint8).reshape(len(text), -1).T)
    signed = (places[0] == _MINUS) | (places[0] == _PLUS)
    mantissa = np.zeros(len(text), dtype=np.int64)
    digits = np.zeros(len(text), dtype=np.int64)
    decimal_places = np.zeros(len(text), dtype=np.int64)
    dotted = np.zeros(len(text), dtype=bool)
    plain = np.ones(len(text), dtype=bool)
    for place, chars in enumerate(places):
        digit = (chars >= _ZERO) & (chars <= _NINE)
        dot = chars == _DOT
        plain &= digit | (dot & ~dotted) | (chars == 0) | (signed if place == 0 else False)
        mantissa = np.where(digit, mantissa * 10 + (chars - np.uint8(_ZERO)), mantissa)
        digits += digit
        decimal_places += digit & dotted
        dotted |= dot
    plain &= (digits > 0) & (digits <= _EXACT_DIGITS)
    values = mantissa / 10.0 ** np.minimum(decimal_places, _EXACT_DIGITS)
    values[places[0] == _MINUS] *= -1.0
    for row in np.flatnonzero(~plain).tolist():
        values[row] = _slow(text[row])
    return values


def fixed_point(data: Bytes, starts: IntArray, ends: IntArray) -> FloatArray | None:
    """The numbers between the bounds if all have the same number of decimals, as in a printed column; else None.

    Fields are aligned at their right ends, so that one column of bytes holds one decimal place.

    >>> text = np.frombuffer(b" 1.25 -0.50 10.00 ", dtype=np.uint8)
    >>> fixed_point(text, np.array([1, 6, 12]), np.array([5, 11, 17]))
    array([ 1.25, -0.5 , 10.  ])
    """
    sizes = ends - starts
    wide, shortest = int(sizes.max(initial=1)), int(sizes.min(initial=_EXACT_DIGITS))
    if not len(starts) or wide > _EXACT_DIGITS or int(ends[0]) < wide:
        return None
    places = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(data, wide)[ends - wide].T)
    first = places[:, 0]
    dots = np.flatnonzero(first == _DOT)
    dot = int(dots[-1]) if len(dots) else wide
    negative = data[starts] == _MINUS
    signs = negative | (data[starts] == _PLUS)
    mantissa = np.zeros(len(starts), dtype=np.int64)
    for place in range(wide):
        if place == dot:
            if (places[place] != _DOT).any():
                return None
            continue
        digit = places[place] - np.uint8(_ZERO)  # any other character gives more than nine
        if place <= wide - shortest:  # only here can a field start later, or have its sign
            digit[(sizes < wide - place) | (signs & (sizes == wide - place))] = 0
        if (digit > 9).any():  # noqa: PLR2004  the digits
            return None
        mantissa *= 10
        mantissa += digit
    if (sizes - signs - (dot < wide) < 1).any() or (dot < wide and (sizes < wide - dot).any()):
        return None
    values: FloatArray = mantissa / 10.0 ** max(wide - dot - 1, 0)
    values[negative] *= -1.0
    return values


def _few(fields: list[bytes]) -> FloatArray:
    try:
        if b"_" not in b"".join(fields):
            return np.array(list(map(float, fields)), dtype=np.float64)
    except ValueError:
        pass  # some field is not a number: find it
    return np.array([_slow(field) for field in fields], dtype=np.float64)


def _slow(field: bytes) -> float:
    try:
        return float("nan") if b"_" in field else float(field)
    except ValueError:
        return float("nan")


Bytes = NDArray[np.uint8]

MAX_ID_BYTES = 512
_FEW_ROWS = 4096  # below this, plain indexing is faster than setting up a window
_FIRST_LINE = re.compile(rb"^[ \t]*[^#\s][^\n]*", re.MULTILINE)
_NEWLINE, _TAB, _SPACE, _HASH = 10, 9, 32, 35


@dataclass(frozen=True)
class Columns:
    """The fields of a block: where each starts and ends ("lines x fields"), and each row's line number.

    ``data`` is followed by MAX_ID_BYTES zeros, so that its last field can be cut like any other.
    """

    path: Path
    data: Bytes
    starts: IntArray
    ends: IntArray
    lines: IntArray

    def __len__(self) -> int:
        return len(self.lines)

    def ids(self, place: int) -> IdArray:
        """One column as packed ids."""
        start = self.starts[:, place]
        sizes = self.ends[:, place] - start
        wide = int(sizes.max(initial=1))
        if wide > MAX_ID_BYTES:
            row = int(sizes.argmax())
            what = f"field {place + 1} is {wide:,} bytes long"
            raise self.fault(row, what, f"an id has at most {MAX_ID_BYTES} bytes")
        if len(start) <= _FEW_ROWS:
            field = self.data[start[:, None] + np.arange(wide)]
        else:
            field = np.lib.stride_tricks.sliding_window_view(self.data, wide)[start]
        for beyond in range(int(sizes.min(initial=wide)), wide):
            field[:, beyond] *= sizes > beyond
        packed: IdArray = field.view(f"S{wide}").ravel()
        return packed

    def are(self, place: int, text: bytes) -> bool:
        """Whether every field of a column is this text; byte by byte, which is faster than cutting out the fields."""
        start = self.starts[:, place]
        if (self.ends[:, place] - start != len(text)).any():
            return False
        return all((self.data[at:][start] == byte).all() for at, byte in enumerate(text))

    def floats(self, place: int, what: str) -> FloatArray:
        """One column as finite numbers; ``what`` names the column in the error."""
        if len(self) > FEW:
            printed = fixed_point(self.data, self.starts[:, place], self.ends[:, place])
            if printed is not None:
                return printed
        text = self.ids(place)
        values = decimals(text)
        bad = ~np.isfinite(values)
        if bad.any():
            row = int(bad.argmax())
            raise self.fault(
                row, f"{what} {text[row].decode()!r} is not a finite number", f"write the {what} in digits"
            )
        return values

    def fault(self, row: int, what: str, fix: str) -> InputError:
        """The error for a row, with its line."""
        return InputError.at(self.path, what, fix, line=int(self.lines[row]))


def split_fields(block: Block, path: Path, *, fields: int, form: str, more: bool = False) -> Columns:
    """The block's fields; ``form`` is the expected line, for the error about a line with another number of fields.

    With ``more``, text after the last expected field of a line is ignored, as in trec_eval.
    """
    data = np.frombuffer(block.data, dtype=np.uint8)
    newlines = np.flatnonzero(data == _NEWLINE)
    _refuse_controls(data, len(newlines), block, path)
    gaps = np.flatnonzero(data <= _SPACE)
    spans = _single_gaps(gaps, newlines, data, fields)
    if spans is not None:
        lines = block.first_line + np.arange(len(newlines))
    else:
        spans, lines = _full_lines(gaps, newlines, block, path, fields=fields, form=form, more=more)
    by_line = spans.reshape(-1, fields, 2)
    return Columns(path, np.append(data, np.zeros(MAX_ID_BYTES, np.uint8)), by_line[:, :, 0], by_line[:, :, 1], lines)


def count_fields(block: Block) -> int:
    """The number of fields of the first line that has any; 0 if no line has."""
    line = _FIRST_LINE.search(block.data)
    return len(line[0].split()) if line else 0


def _refuse_controls(data: Bytes, newlines: int, block: Block, path: Path) -> None:
    if np.count_nonzero(data < _SPACE) == newlines + np.count_nonzero(data == _TAB):
        return
    invalid = (data < _SPACE) & (data != _TAB) & (data != _NEWLINE)
    place = int(invalid.argmax())
    line = block.first_line + block.data.count(b"\n", 0, place)
    raise InputError.at(path, f"control character 0x{data[place]:02x}", "remove it", line=line)


def _single_gaps(gaps: IntArray, newlines: IntArray, data: Bytes, fields: int) -> IntArray | None:
    """Where each field starts and ends, if every line has its fields with one blank between them; else None."""
    if len(gaps) != fields * len(newlines) or not len(gaps) or (gaps[fields - 1 :: fields] != newlines).any():
        return None
    spans = np.empty((len(gaps), 2), dtype=np.int64)
    spans[0, 0] = 0
    spans[1:, 0] = gaps[:-1] + 1
    spans[:, 1] = gaps
    empty = spans[:, 1] <= spans[:, 0]
    return None if empty.any() or (data[spans[::fields, 0]] == _HASH).any() else spans


def _full_lines(
    gaps: IntArray, newlines: IntArray, block: Block, path: Path, *, fields: int, form: str, more: bool
) -> tuple[IntArray, IntArray]:
    """The spans and numbers of the lines with fields; a line with a wrong number of fields is an error."""
    data = np.frombuffer(block.data, dtype=np.uint8)
    bounds = np.stack((np.concatenate(([0], gaps[:-1] + 1)), gaps), axis=1)
    spans = bounds[bounds[:, 1] > bounds[:, 0]]
    until = np.searchsorted(spans[:, 0], newlines)
    since = np.concatenate(([0], until[:-1]))
    counts = until - since
    held = counts > 0
    held[held] = data[spans[since[held], 0]] != _HASH
    wrong = held & ((counts < fields) if more else (counts != fields))
    if wrong.any():
        row = int(wrong.argmax())
        what = f"expected {counted(fields, 'field')}, found {counts[row]}"
        raise InputError.at(path, what, f"a line reads: {form}", line=block.first_line + row)
    first = since[held]
    return spans[first[:, None] + np.arange(fields)].reshape(-1, 2), block.first_line + np.flatnonzero(held)


# CSV tables: rows of text cells with line numbers, quoted or not, with LF, CRLF or CR line ends.


Row = tuple[int, list[str]]


COLUMNS = {
    "measure": ("measure", "metric"),
    "topic": (
        "topic",
        "query_id",
        "qid",
        "q_id",
        "topic_id",
        "sample_id",
        "sample",
        "id",
        "__index_level_0__",  # an index of pandas
    ),
    "run": ("run", "system", "run_id", "model", "name"),
    "comment": ("comment", "doc_id", "docno", "docid", "comment_id"),
    "score": ("score", "value"),
    "gain": ("gain", "grade", "relevance", "label"),
    "text": ("text", "query", "post"),
    "rank": ("rank",),
    "assessor": ("assessor", "annotator"),
    "repeat": ("repeat", "epoch"),
    "level": ("level", "label", "vote"),
}
"""The usual names of columns, of files and data frames: ours first, then those of other tools."""
SEPARATORS = (",", ";", "\t")
_FORMULA = re.compile(r"'*(?:[=＝]|[-+@＋－＠](?![\w.:@-]*$))")
"""What a spreadsheet computes; ``-x7``, ``@ann`` and numbers are harmless, and stay as they are."""


def usual_column(column: str, names: Sequence[str]) -> str | None:
    """Which of the names is that of the column, in any case of letters; None if none is.

    >>> usual_column("topic", ["name", "QID", "value"]), usual_column("gain", ["score"])
    ('QID', None)
    """
    small = {name.lower(): name for name in reversed(names)}
    return next((small[name] for name in COLUMNS[column] if name in small), None)


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


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str | float | None]], *, delimiter: str = ",") -> str:
    r"""The rows as CSV under their header, numbers with every digit, None as an empty cell.

    >>> csv_text(["run", "score"], [["A", 0.1], ["B, old", None]])
    'run,score\nA,0.1\n"B, old",\n'

    What a spreadsheet would compute follows an apostrophe.

    >>> csv_text(["run"], [["=1+1"], ["-x7"]])
    "run\n'=1+1\n-x7\n"
    """
    lines = [header, *rows]
    marked = ([_marked(cell) if isinstance(cell, str) else cell for cell in line] for line in lines)
    return plain_csv_text(marked, delimiter=delimiter)


def plain_csv_text(rows: Iterable[Sequence[str | float | None]], *, delimiter: str = ",") -> str:
    """The rows as CSV, cells as they are."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", delimiter=delimiter).writerows(rows)
    return out.getvalue()


def _marked(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _unmarked(text: str) -> str:
    return text[1:] if _FORMULA.match(text) else text


# Names written into the files of other tools.


Texts = dict[str, str]
"""Texts by file name; a format of one file has one text, whose name is empty."""

_SPLITS = re.compile(r"[\s\x00-\x1f\ud800-\udfff]")
"""What separates fields, what a reader refuses in a field, and what UTF-8 cannot write."""
_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x85\u2028\u2029\ud800-\udfff]")
"""What ends a line for some reader or editor, what a reader refuses in a line, and what UTF-8 cannot write."""
_SKIPPED = re.compile("#|\ufeff|<SYSDESC>")
"""A line that begins so is a comment, the description of a run, or the mark at the beginning of a file."""
_LONGEST_CELL = 100_000
_LONGEST_FILE_NAME = 255
_SHOWN = 60


def word(kind: str, name: str, *, first: bool = False, forbidden: str = "") -> str:
    r"""The name; an error if it cannot be a field between blanks, or with ``first`` the first field of a line.

    >>> word("comment", "#7"), word("topic", "会話-1", first=True)
    ('#7', '会話-1')
    >>> word("run", "my run")
    Traceback (most recent call last):
    kaiwa.errors.InputError: run 'my run': contains a blank or a control character, which ends a field; rename it
    """
    if not name:
        raise _refused(kind, name, "is empty")
    if _SPLITS.search(name):
        raise _refused(kind, name, "contains a blank or a control character, which ends a field")
    if len(name) * 4 > MAX_ID_BYTES and len(name.encode()) > MAX_ID_BYTES:
        raise _refused(kind, name, f"is longer than {MAX_ID_BYTES} bytes")
    if first and (begin := _SKIPPED.match(name)):
        raise _refused(kind, name, f"begins with {begin[0]!r}, and readers skip such a line")
    if sign := next((sign for sign in forbidden if sign in name), ""):
        raise _refused(kind, name, f"contains {sign!r}, which ends a name in this format")
    return name


def cell(kind: str, name: str, *, first: bool = False) -> str:
    r"""The name; an error if it cannot be a cell of a CSV file or of a line between tabs.

    >>> cell("run", "BM25, k1=0.9"), cell("topic", "#1")
    ('BM25, k1=0.9', '#1')
    >>> cell("topic", " q1")
    Traceback (most recent call last):
    kaiwa.errors.InputError: topic ' q1': begins or ends with a blank, which readers remove; rename it
    """
    if _BREAKS.search(name):
        raise _refused(kind, name, "contains a line end or a control character")
    if name != name.strip():
        raise _refused(kind, name, "begins or ends with a blank, which readers remove")
    if len(name) > _LONGEST_CELL:
        raise _refused(kind, name, f"is longer than {_LONGEST_CELL:,} characters")
    if first and (begin := _SKIPPED.match(name)):
        raise _refused(kind, name, f"begins with {begin[0]!r}, and readers skip such a line")
    return name


def file_name(name: str) -> str:
    """The name of a file or folder that is made of the name of a topic, run or measure; an error if it cannot be one.

    >>> file_name("T1-C-R1.txt")
    'T1-C-R1.txt'
    """
    if "/" in name or "\\" in name or name.startswith("."):
        raise _refused("file name", name, "contains a slash or begins with a point", "rename the topic, run or measure")
    if len(name.encode(errors="replace")) > _LONGEST_FILE_NAME:
        what = f"is longer than {_LONGEST_FILE_NAME} bytes"
        raise _refused("file name", name, what, "rename the topic, run or measure")
    return word("file name", name, first=True)


def lines(kind: str, names: Iterable[str]) -> str:
    """The names, one per line."""
    return "".join(f"{word(kind, name, first=True)}\n" for name in names)


def _refused(kind: str, name: str, what: str, fix: str = "rename it") -> InputError:
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
    return InputError.at(f"{kind} {shown!r}", what, fix)
