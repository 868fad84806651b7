"""Tables and lists of names as aligned text for a terminal."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence


Cell = str | int | float | None

MISSING = "n/a"
_SENTENCES = re.compile(r"\s*(?:-(?: \S+)+|[^%\\{\s]\S*(?: \S+){4,}(?<=[.:;?!\"')]))")
"""A line of sentences: words with one space between them and a stop, or a point of a list. The cells of a table are
further apart, and LaTeX begins with other characters."""
_FEW = 5
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""The characters with the Unicode property Bidi_Control (PropList.txt)."""


@dataclass(frozen=True)
class Rows:
    """A table's heading and rows; floats are shown to ``digits`` places."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4

    def text(self) -> str:
        """The table for a terminal."""
        return table(self.header, self.rows, digits=self.digits)


class PValue(float):
    """A p-value as a cell: one at the smallest p of its trials is printed as an upper limit, never as 0.

    >>> [show(PValue(p, smallest=1 / 5001)) for p in (0.25, 1 / 5001)], show(PValue(1e-9))
    (['0.2500', '<= 0.0002'], '< 0.0001')
    """

    limit: float

    def __new__(cls, p: float, *, smallest: float = 0.0) -> Self:
        """The p of a test whose trials have this smallest p; 0 for a test without trials."""
        made = super().__new__(cls, p)
        made.limit = max(p, smallest) if p <= smallest * (1 + 1e-9) else 0.0
        return made

    def shown(self, digits: int) -> str:
        """The number to so many digits, or its upper limit, rounded up."""
        if self.limit:
            places = max(digits, -floor(log10(self.limit)))
            return f"<= {ceil(self.limit * 10**places - 1e-6) / 10**places:.{places}f}"
        return f"< {10.0**-digits:.{digits}f}" if self < 0.5 * 10.0**-digits else f"{float(self):.{digits}f}"


def show(cell: Cell, *, digits: int = 4) -> str:
    """A cell as text: floats to ``digits`` places, whole numbers in groups of three digits, None as n/a.

    >>> [show(0.25), show(7000), show(None), show("P+")]
    ['0.2500', '7,000', 'n/a', 'P+']
    """
    if cell is None:
        return MISSING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, PValue):
        return cell.shown(digits)
    return f"{cell:.{digits}f}" if isinstance(cell, float) else f"{cell:,}"


def width(text: str) -> int:
    """How many terminal columns the text takes: two for a Chinese or Japanese character, none for a mark or joiner.

    >>> width("会話 R1"), width("e\u0301")
    (7, 1)
    """
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrapped(text: str, columns: int) -> str:
    """The text with its sentences broken into lines of at most so many columns; tables and code stay as they are.

    >>> print(wrapped("  - Four runs were compared over all six pairs.", 24))
      - Four runs were
        compared over all
        six pairs.
    >>> print(wrapped("a  table with wide columns, four of them.", 24))
    a  table with wide columns, four of them.
    """
    return "\n".join(part for line in text.split("\n") for part in _broken(line, columns))


def _broken(line: str, columns: int) -> list[str]:
    if width(line) <= columns or not _SENTENCES.fullmatch(line):
        return [line]
    words = line.split()
    start = line[: line.index(words[0])]
    following = start + ("  " if words[0] == "-" else "")
    lines = [start + words[0]]
    for word in words[1:]:
        joined = f"{lines[-1]} {word}"
        lines[-1:] = [joined] if width(joined) <= columns else [lines[-1], following + word]
    return lines


def visible(text: str) -> str:
    r"""The text with control and bidirectional characters escaped; spaces and joiners of every script stay.

    >>> visible("ab\x1b[31m\u202e")
    'ab\\x1b[31m\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(char.encode("unicode_escape").decode() if _is_control(char) else char for char in text)


def _is_control(char: str) -> bool:
    """Whether the character moves the cursor, ends a line, changes the direction, or cannot be encoded."""
    return char in _BIDI_CONTROLS or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}


def few(names: Sequence[str]) -> str:
    """The first few names, and how many more there are.

    >>> few(["1", "2"]), few([str(number) for number in range(9)])
    ('1, 2', '0, 1, 2, 3, 4 and 4 more')
    """
    rest = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {rest:,} more" if rest > 0 else "")


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, digits: int = 4) -> str:
    """The rows as aligned text: words to the left, numbers to the right.

    >>> print(table(["run", "nG@1"], [["T1-C-R1", 0.5], ["会話", 0.25]]))
    run        nG@1
    -------  ------
    T1-C-R1  0.5000
    会話     0.2500
    """
    shown = [[visible(show(cell, digits=digits)) for cell in row] for row in rows]
    heading = [visible(name) for name in header]
    wide = [max(map(width, column)) for column in zip(heading, *shown, strict=True)]
    numeric = [is_numeric([row[place] for row in rows]) for place in range(len(header))]
    lines = [heading, ["-" * span for span in wide], *shown]
    return "\n".join(_line(line, wide, numeric) for line in lines)


def is_numeric(column: Sequence[Cell]) -> bool:
    """Whether the cells are numbers; missing and empty ones may be among them."""
    return bool(column) and all(cell in {None, ""} or isinstance(cell, int | float) for cell in column)


def _line(cells: Sequence[str], wide: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = [
        " " * (span - width(cell)) + cell if right else cell + " " * (span - width(cell))
        for cell, span, right in zip(cells, wide, numeric, strict=True)
    ]
    return "  ".join(padded).rstrip()


# Limits of intervals as people read them: cut at the ends of the scale. JSON, CSV and data frames keep them uncut.


@dataclass(frozen=True)
class Scale:
    """The smallest and the largest value of a statistic; infinite where there is none or it is not known."""

    low: float = -inf
    high: float = inf

    def cut(self, limit: float) -> float:
        """The limit, no further than the scale goes.

        >>> UNIT.cut(-0.02), UNIT.cut(0.5), Scale().cut(-0.02)
        (0.0, 0.5, -0.02)
        """
        return min(max(limit, self.low), self.high)

    def shown(self, limit: float) -> float | None:
        """The limit as it is printed: cut, or None if it is infinite because no difference can be significant.

        >>> UNIT.shown(-0.02), UNIT.shown(inf)
        (0.0, None)
        """
        return self.cut(limit) if isfinite(limit) else None

    def note(self, limits: Sequence[float], *, uncut: str) -> list[str]:
        """A sentence on where limits were cut, and what has them ``uncut``; none if no limit was cut.

        >>> UNIT.note([-0.02, 0.5], uncut="the data files have")
        ['Limits are cut at 0, the end of the scale; the data files have them uncut.']
        """
        below = any(-inf < limit < self.low for limit in limits)
        above = any(self.high < limit < inf for limit in limits)
        ends = [f"{end:g}" for end, is_passed in ((self.low, below), (self.high, above)) if is_passed]
        which = "the end" if len(ends) == 1 else "the ends"
        return [f"Limits are cut at {' and '.join(ends)}, {which} of the scale; {uncut} them uncut."] if ends else []


def finite(limit: float) -> float | None:
    """The limit, or None if it is infinite: the test has too few topics to find any difference significant."""
    return limit if isfinite(limit) else None


UNIT, CORRELATION = Scale(0.0, 1.0), Scale(-1.0, 1.0)
