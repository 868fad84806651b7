"""Nouns as tables: to other libraries by Arrow's PyCapsule protocol, to a notebook as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import needs_extra
from kaiwa.report.document.html_parts import paragraph
from kaiwa.report.document.html_parts import table as html_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.report.text_tables import Cell

MOST_ROWS = 50
MOST_COLUMNS = 20
MOST_SIGNS = 500


@dataclass(frozen=True)
class Sheet:
    """What a notebook shows: words and a caption before a table, and how many rows are not in it."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    words: str = ""
    unseen: int = 0
    digits: int = 4

    def html(self) -> str:
        """The sheet as inert HTML that needs nothing from outside; what is beyond its size is counted, not shown."""
        rows = [[_clipped(cell) for cell in row[:MOST_COLUMNS]] for row in self.rows[:MOST_ROWS]]
        header = [str(_clipped(name)) for name in self.header[:MOST_COLUMNS]]
        more = len(self.rows) - len(rows) + self.unseen
        rest = f"... and {more:,} more rows" if more else ""
        before = "".join(paragraph(str(_clipped(words))) for words in (self.words, self.caption) if words)
        return before + html_table(header, rows, digits=self.digits) + (paragraph(rest) if rest else "")


class Shown:
    """Anything that a notebook shows as a sheet."""

    def _sheet(self) -> Sheet:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self._sheet().html()


class Tabular:
    """A table to others: ``polars.DataFrame(x)``, ``pandas.DataFrame.from_arrow(x)``, ``pyarrow.table(x)``."""

    def columns(self) -> Mapping[str, Sequence[object]]:
        """The columns by name."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as a stream of Arrow batches (the Arrow PyCapsule interface)."""
        with needs_extra("parquet"):
            import pyarrow as pa

        return pa.table(dict(self.columns())).__arrow_c_stream__(requested_schema)


def _clipped(cell: Cell) -> Cell:
    return f"{cell[:MOST_SIGNS]}..." if isinstance(cell, str) and len(cell) > MOST_SIGNS else cell
