"""A table as it is shown: as text, as HTML in a notebook, as LaTeX, and as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.report.document.html_parts import paragraph
from kaiwa.report.document.html_parts import table as html_table
from kaiwa.report.text_tables import table, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.report.text_tables import Cell

MAX_ROWS = 50
MAX_COLUMNS = 20
MAX_CHARACTERS = 500


@dataclass(frozen=True)
class Sheet:
    """A table with a caption; ``notes`` list what was left out, ``unseen`` counts rows that are not in it.

    ``printed`` are the rows as people read them, if they differ from the data.
    ``words`` precede the table in a notebook; ``text`` is what ``print`` shows, if that is more than the table;
    ``names`` are those of the columns in a data frame, if they are not those of the header;
    ``second`` is a further table, shown below the first.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    words: str = ""
    notes: tuple[str, ...] = ()
    unseen: int = 0
    digits: int = 4
    text: str = ""
    names: Sequence[str] = ()
    printed: Sequence[Sequence[Cell]] | None = None
    second: Sheet | None = None

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows as people read them."""
        return self.rows if self.printed is None else self.printed

    def html(self) -> str:
        """The sheet as static HTML without external files; rows beyond its size are counted, not shown."""
        rows = [[_clipped(cell) for cell in row[:MAX_COLUMNS]] for row in self.shown[:MAX_ROWS]]
        header = [str(_clipped(name)) for name in self.header[:MAX_COLUMNS]]
        before = [words for words in (self.words, self.caption) if words]
        more = len(self.rows) - len(rows) + self.unseen
        after = [*([f"... and {counted(more, 'more row')}"] if more else []), *self.notes]
        shown, under = ("".join(paragraph(str(_clipped(words))) for words in part) for part in (before, after))
        further = self.second.html() if self.second else ""
        return shown + html_table(header, rows, digits=self.digits) + under + further

    def plain(self) -> str:
        """The sheet for a terminal."""
        if self.text:
            return self.text
        more = [f"... and {counted(self.unseen, 'more row')}"] if self.unseen else []
        under = [visible(line) for line in (*more, self.caption, *self.notes) if line]
        further = ["", self.second.plain()] if self.second else []
        return "\n".join([table(self.header, self.shown, digits=self.digits), *under, *further])

    def latex(self) -> str:
        """The table as a LaTeX tabular; a comment counts rows that are not in it."""
        from kaiwa.report.latex_tables import latex_table

        more = f"% ... and {counted(self.unseen, 'more row')}\n" if self.unseen else ""
        return latex_table(self.header, self.shown, digits=self.digits) + more

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.names or self.header)}


def _clipped(cell: Cell) -> Cell:
    return f"{cell[:MAX_CHARACTERS]}..." if isinstance(cell, str) and len(cell) > MAX_CHARACTERS else cell
