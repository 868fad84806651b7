r"""Tables for a paper: LaTeX tabulars with booktabs rules that fit the page.

Only ``booktabs`` is needed. Columns are as wide as their content while it fits; else long texts get ``p{}`` columns,
then a smaller size is chosen, then the remaining columns follow in a further tabular. A table longer than a page is
several tabulars too, so that no row is lost below the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from kaiwa.report.latex_text import breakable, clipped, definitions, latex_escape, points
from kaiwa.report.text_tables import is_numeric, show, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.report.text_tables import Cell

PAGE = 343.0
"""The width in points that tables are made for: a line of LaTeX's article at 10 pt (345 pt), less a margin."""
PAGE_LINES = 40
APART = "\n\n\\noindent\n"
"""Between two tabulars, the second of which begins at the margin."""
_SHORT = 60.0
"""A column of texts can be made this narrow, in points at 10 pt."""
_HEADING = 45.0
"""A heading wider than its column breaks into lines of at least this width."""


@dataclass(frozen=True)
class _Size:
    """A size of type: its command, its scale to 10 pt, and the space on each side of a column."""

    command: str
    scale: float
    gap: float


_SIZES = (
    _Size("", 1.0, 6),
    _Size(r"\small", 0.92, 4),
    _Size(r"\footnotesize", 0.84, 3),
    _Size(r"\scriptsize", 0.76, 2),
)


@dataclass(frozen=True)
class _Column:
    """A heading, its cells as text, whether they are numbers, and the width of the widest in points."""

    name: str
    cells: Sequence[str]
    numeric: bool
    natural: float

    @property
    def least(self) -> float:
        """The smallest width that the column can have."""
        return self.natural if self.numeric else min(self.natural, _SHORT)


def latex_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, digits: int = 4) -> str:
    r"""The rows as a LaTeX tabular, or as several if they do not fit one page.

    >>> print(latex_table(["run", "mean"], [["A_1", 0.5], ["B", -0.25]]), end="")
    \begin{tabular}{lr}
    \toprule
    run & mean \\
    \midrule
    A\_1 & 0.5000 \\
    B & $-$0.2500 \\
    \bottomrule
    \end{tabular}
    """
    columns = [_column(name, [row[place] for row in rows], digits) for place, name in enumerate(header)]
    size = next((one for one in _SIZES if _least(columns, one) <= PAGE), _SIZES[-1])
    parts = [part for chosen in _beside(columns, size) for part in _tabulars(chosen, size, len(rows))]
    body = APART.join(parts)
    if size.command:
        body = f"{{{size.command}\\setlength{{\\tabcolsep}}{{{size.gap:g}pt}}%\n{body}%\n}}"
    return "\n".join([*definitions(body), body]) + "\n"


def _column(name: str, cells: Sequence[Cell], digits: int) -> _Column:
    name, shown = visible(name), [clipped(visible(show(cell, digits=digits))) for cell in cells]
    heading = max([min(points(name), _HEADING), *map(points, name.split(" "))])
    return _Column(name, shown, is_numeric(cells), max([heading, *map(points, shown)]))


def _least(columns: Sequence[_Column], size: _Size) -> float:
    return sum(one.least * size.scale + 2 * size.gap for one in columns)


def _beside(columns: Sequence[_Column], size: _Size) -> Iterator[list[_Column]]:
    """The columns in as few groups as fit a line; each group begins with the first column."""
    group = [columns[0]]
    for one in columns[1:]:
        if len(group) > 1 and _least([*group, one], size) > PAGE:
            yield group
            group = [columns[0]]
        group.append(one)
    yield group


def _tabulars(columns: Sequence[_Column], size: _Size, rows: int) -> Iterator[str]:
    """The columns as tabulars of at most a page each."""
    widths = _widths(columns, size)
    first, used = 0, 0
    for row in range(rows):
        lines = max(_lines(one.cells[row], wide, size) for one, wide in zip(columns, widths, strict=True))
        if used and used + lines > PAGE_LINES / size.scale:
            yield _tabular(columns, widths, size, range(first, row))
            first, used = row, 0
        used += lines
    yield _tabular(columns, widths, size, range(first, rows))


def _widths(columns: Sequence[_Column], size: _Size) -> list[float | None]:
    """The width of each column of long texts in points; None for a column as wide as its content."""
    room = PAGE - _least(columns, size)
    wish = [min(one.natural, PAGE) - min(one.least, PAGE) for one in columns]
    if room >= size.scale * sum(one.natural - one.least for one in columns):
        return [None] * len(columns)
    return [
        one.least * size.scale + room * more / sum(wish) if more else None
        for one, more in zip(columns, wish, strict=True)
    ]


def _lines(cell: str, wide: float | None, size: _Size) -> int:
    return ceil(1.1 * points(cell) * size.scale / wide) if wide and cell else 1


def _tabular(columns: Sequence[_Column], widths: Sequence[float | None], size: _Size, rows: range) -> str:
    placed = list(zip(columns, widths, strict=True))
    spec = "".join(_spec(one, wide) for one, wide in placed)
    end = r"\tabularnewline" if any(widths) else r"\\"  # raggedright text has its own \\
    head = [_heading(one, wide, size) for one, wide in placed]
    body = [[_cell(one, one.cells[row], wide, size) for one, wide in placed] for row in rows]
    lines = [f"{_row(cells)} {end}" for cells in (head, *body)]
    opening = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule", lines[0], r"\midrule"]
    return "\n".join([*opening, *lines[1:], r"\bottomrule", r"\end{tabular}"])


def _spec(column: _Column, wide: float | None) -> str:
    if wide is None:
        return "r" if column.numeric else "l"
    return rf"p{{{wide / PAGE:.3f}\linewidth}}"


def _row(cells: Sequence[str]) -> str:
    """The cells as a line; a first cell that LaTeX would take for an option of the line before is protected."""
    first = f"{{}}{cells[0]}" if cells[0].startswith(("[", "*")) else cells[0]
    return " & ".join([first, *cells[1:]])


def _heading(column: _Column, wide: float | None, size: _Size) -> str:
    if wide is not None:
        return _cell(column, column.name, wide, size)
    lines = [""]
    for word in column.name.split(" "):
        joined = f"{lines[-1]} {word}".strip()
        lines[-1:] = [joined] if points(joined) <= column.natural else [*filter(None, lines[-1:]), word]
    stacked = r"\\".join(map(latex_escape, lines))
    return stacked if len(lines) == 1 else rf"\shortstack[{'r' if column.numeric else 'l'}]{{{stacked}}}"


def _cell(column: _Column, text: str, wide: float | None, size: _Size) -> str:
    if column.numeric:
        return text.replace("-", "$-$").replace("<= ", r"$\le$ ").replace("< ", "$<$ ")
    return latex_escape(text) if wide is None else rf"\raggedright {breakable(text, wide / size.scale)}"
