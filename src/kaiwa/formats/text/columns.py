"""Whitespace-separated fields, found for a block at once.

Fields are separated by tabs or spaces. Lines that are blank or start with ``#`` (ir_metadata) are ignored.
A block in which every line has the expected number of fields takes a few passes over its bytes; any other
block is read line by line, to report the invalid line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import InputError, counted
from kaiwa.formats.text.decimals import FEW, decimals, fixed_point

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.formats.text.blocks import Block
    from kaiwa.model.ids import FloatArray, IdArray, IntArray

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
