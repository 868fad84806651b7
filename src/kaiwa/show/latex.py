"""Tables for a paper: LaTeX tabulars with booktabs rules that fit the page.

Only ``booktabs`` is needed. Columns are as wide as their content while it fits; else long texts get ``p{}`` columns,
then a smaller size is chosen, then the remaining columns follow in a further tabular. A table longer than a page is
several tabulars too, so that no row is lost below the page.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

from kaiwa.show.text import is_numeric, show, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.show.text import Cell


# Text for LaTeX: escaped, measured and breakable; it compiles under pdflatex whatever its characters are.


LONGEST = 300
"""Longer texts are cut in a LaTeX table; the data files have them whole."""
_PIECE = re.compile(r"[^/_.,:;=@+-]{0,8}[/_.,:;=@+-]+|[^/_.,:;=@+-]{1,8}")
"""A part of a long word after which a line may break."""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",
    **{char: f"\\{char}" for char in "#$%&_{}"},
}
_LATIN = re.compile("[ -~¡-ª¬®-º¼-ÏÑ-Ýß-ïñ-ýÿ-ăĆ-ďĒ-ėĚ-ĥĨ-ĭİ-ķĹ-ľŁ-ňŌ-ťŨ-űŴ-ž‐-―‘’“”†‡•…‰€™←↑→↓]")
"""What pdflatex prints without a package, by compiling each character with TeX Live 2022."""
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff5e]")
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')|(?<=[?!])(?=`)")
_FAMILIES = {"gbsn": "gb2312", "min": "shift_jis", "bsmi": "big5", "mj": "euc_kr"}
"""Font families of the CJK package, and the character set that each covers."""
_NOTE = r"% Chinese, Japanese, Korean: \usepackage{CJKutf8} with pdflatex; a font that has them with XeLaTeX, LuaLaTeX"
_BRANCHES = {
    r"\kaiwacjk": (
        r"\providecommand{\kaiwacjk}[2]{\ifdefined\Umathcode#2\else\ifdefined\CJKfamily"
        r"\begin{CJK}{UTF8}{#1}#2\end{CJK}\else[?]\fi\fi}"
    ),
    r"\kaiwachar": (
        r"\providecommand{\kaiwachar}[1]{\ifdefined\Umathcode#1\else\ifnum\pdfstrcmp{\encodingdefault}{OT1}=0 [?]\else"
        r"\ifcsname u8:\detokenize{#1}\endcsname#1\else[?]\fi\fi\fi}"
    ),
}


def latex_escape(text: str) -> str:
    r"""The text for LaTeX: special characters escaped, control characters shown, nothing joined to a ligature.

    >>> print(latex_escape("D#-nDCG_10 & 5% <--"))
    D\#-nDCG\_10 \& 5\% \textless{}-{}-
    >>> print(latex_escape("会話-C-R1 会话 ж"))
    \kaiwacjk{min}{会話}-C-R1 \kaiwacjk{gbsn}{会话} \kaiwachar{ж}
    """
    kinds = groupby(visible(text), key=_kind)
    return "".join(_WRITTEN[kind]("".join(chars)) for kind, chars in kinds)


def definitions(text: str) -> list[str]:
    """The lines that define the commands which the LaTeX text uses; empty for most texts."""
    used = [line for name, line in _BRANCHES.items() if name in text]
    lines = [f"{line}%" for line in used]
    return [_NOTE, *lines] if r"\kaiwacjk" in text else lines


def clipped(text: str) -> str:
    """The text, cut with a mark at a space if it is too long for a table.

    >>> clipped("word " * 100)[-8:]
    'd word …'
    """
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST - 2]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST // 2 :] else cut) + " …"


def points(text: str) -> float:
    """About how wide the text is at 10 pt, in points; rather too wide.

    >>> points("iii"), points("MMM"), points("会話")
    (11.4, 31.2, 20.0)
    """
    return round(sum(map(_points_of, text)), 1)


def breakable(text: str, room: float) -> str:
    r"""The escaped text, in which a word wider than ``room`` points may break.

    >>> print(breakable("a short path/report_of_runs", 60))
    a short path/\allowbreak{}report\_\allowbreak{}of\_\allowbreak{}runs
    """
    words = text.split(" ")
    return " ".join(latex_escape(word) if points(word) <= room else _broken(word) for word in words)


def _broken(word: str) -> str:
    return r"\allowbreak{}".join(map(latex_escape, _PIECE.findall(word)))


def _kind(char: str) -> str:
    return "latin" if _LATIN.match(char) else "cjk" if _CJK.match(char) else "other"


def _latin(text: str) -> str:
    apart = _LIGATURES.sub("\x00", text)
    return "".join("{}" if char == "\x00" else _SPECIAL.get(char, char) for char in apart)


def _cjk(text: str) -> str:
    family = next((one for one, charset in _FAMILIES.items() if _encodes(text, charset)), None)
    if family:
        return rf"\kaiwacjk{{{family}}}{{{text}}}"
    return "".join(map(_cjk, text)) if len(text) > 1 else _other(text)


def _encodes(text: str, charset: str) -> bool:
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def _other(text: str) -> str:
    return "".join(rf"\kaiwachar{{{char}}}" for char in text)


_WRITTEN = {"latin": _latin, "cjk": _cjk, "other": _other}


def _points_of(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 10.0
    if char in "MW@%—" or not _LATIN.match(char):
        return 10.4
    if char in "ijlftI.,:;'|!()[] ":
        return 3.8
    if char in "mwOQHKN":
        return 8.4
    return 5.4 if char.islower() or char.isdigit() or char in "-_" else 7.9


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
