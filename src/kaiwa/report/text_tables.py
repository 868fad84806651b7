"""Tables and lists of names: rows as aligned text for a terminal, or as LaTeX for a paper."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = str | int | float | None

MISSING = "n/a"
_FEW = 5


def show(cell: Cell, *, digits: int = 4) -> str:
    """A cell as text: floats to ``digits`` places, whole numbers in groups of three digits, None as n/a.

    >>> [show(0.25), show(7000), show(None), show("P+")]
    ['0.2500', '7,000', 'n/a', 'P+']
    """
    if cell is None:
        return MISSING
    if isinstance(cell, str):
        return cell
    return f"{cell:.{digits}f}" if isinstance(cell, float) else f"{cell:,}"


def width(text: str) -> int:
    """How many terminal columns the text takes; Chinese and Japanese characters take two.

    >>> width("会話 R1")
    7
    """
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def visible(text: str) -> str:
    r"""The text with control and bidirectional characters escaped.

    >>> visible("ab\x1b[31m\u202e")
    'ab\\x1b[31m\\u202e'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


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
    numeric = [_is_numeric([row[place] for row in rows]) for place in range(len(header))]
    lines = [heading, ["-" * span for span in wide], *shown]
    return "\n".join(_line(line, wide, numeric) for line in lines)


def latex_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, digits: int = 4) -> str:
    """The rows as a LaTeX tabular with booktabs rules."""
    numeric = [_is_numeric([row[place] for row in rows]) for place in range(len(header))]
    spec = "".join("r" if is_number else "l" for is_number in numeric)
    body = [" & ".join(latex_escape(show(cell, digits=digits)) for cell in row) + r" \\" for row in rows]
    head = " & ".join(map(latex_escape, header)) + r" \\"
    lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def latex_escape(text: str) -> str:
    r"""The text with LaTeX's special characters escaped.

    >>> latex_escape("D#-nDCG_10 & 5%")
    'D\\#-nDCG\\_10 \\& 5\\%'
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(char, f"\\{char}" if char in "#$%&_{}" else char) for char in visible(text))


def _is_numeric(column: Sequence[Cell]) -> bool:
    return bool(column) and all(cell in {None, ""} or isinstance(cell, int | float) for cell in column)


def _line(cells: Sequence[str], wide: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = [
        " " * (span - width(cell)) + cell if right else cell + " " * (span - width(cell))
        for cell, span, right in zip(cells, wide, numeric, strict=True)
    ]
    return "  ".join(padded).rstrip()
