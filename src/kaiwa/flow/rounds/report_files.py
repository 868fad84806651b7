"""The report as files: LaTeX tables, CSV and JSON of every number, PDF figures.

REPORT-files/report.json   everything in one object, and the list of the files
REPORT-files/data/*.csv    every table in full, numbers unrounded
REPORT-files/tables/*.tex  the tables of the page, booktabs
REPORT-files/figures/*.pdf the figures
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from kaiwa.disk.atomic_folders import atomic_folder, sweep
from kaiwa.disk.folder_marks import UNFINISHED, Mark
from kaiwa.formats.text.delimited import csv_text
from kaiwa.report.document.parts import Bullets, Data, Drawing, Paragraph, Table, all_parts, distinct
from kaiwa.report.figures.comparison_figures import pdf_bytes
from kaiwa.report.latex_tables import latex_table
from kaiwa.report.text_tables import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.report.document.parts import Section

MARK = Mark("report.json", "kaiwa report")


@dataclass(frozen=True)
class ReportHead:
    """The title of a report, its notice and lead, and the version that made it."""

    title: str
    notice: str
    lead: str
    version: str


def files_beside(page: Path) -> Path:
    """The folder of a page's files: ``report.html`` has ``report-files``."""
    return page.with_name(f"{page.stem}-files")


def remove_leftovers(page: Path) -> None:
    """Remove what a killed process left of the page's files."""
    sweep(files_beside(page), MARK)


def write_files(folder: Path, sections: Sequence[Section], head: ReportHead) -> None:
    """Write the folder, whole or not at all; an earlier one is replaced."""
    parts = [part for section in sections for part in all_parts(section.parts)]
    shown = [part for part in parts if isinstance(part, Table)]
    tables = [part.table if isinstance(part, Data) else part for part in parts if isinstance(part, Table | Data)]
    named = dict(zip(map(id, tables), distinct([one.name for one in tables]), strict=True))
    drawings = [part for part in parts if isinstance(part, Drawing)]
    with atomic_folder(folder, MARK) as new:
        for kind in ("data", "tables", "figures"):
            (new / kind).mkdir()
        for one in tables:
            _write(new / "data" / f"{named[id(one)]}.csv", csv_text(one.header, one.rows))
        for one in shown:
            _write(new / "tables" / f"{named[id(one)]}.tex", _latex(one))
        for name, drawing in zip(distinct([one.name for one in drawings]), drawings, strict=True):
            (new / "figures" / f"{name}.pdf").write_bytes(pdf_bytes(drawing.figure))
        values = _json(sections, head, {named[id(one)]: one for one in tables})
        files = [
            path.relative_to(new).as_posix() for path in new.rglob("*") if path.is_file() and path.name != UNFINISHED
        ]
        MARK.write(new, values, files)


def _latex(table: Table) -> str:
    caption = visible(table.caption).replace("\n", " ")
    return f"% {caption}\n" + latex_table(table.shown_header, table.shown, digits=table.digits)


def _json(sections: Sequence[Section], head: ReportHead, tables: dict[str, Table]) -> dict[str, Any]:  # Any: JSON
    return {
        **asdict(head),
        "words": {one.title: words for one in sections if (words := _words(one))},
        "tables": {
            name: {
                "caption": one.caption,
                "header": list(one.header),
                "rows": [[_number(cell) for cell in row] for row in one.rows],
            }
            for name, one in tables.items()
        },
    }


def _words(section: Section) -> list[str]:
    found = list[str]()
    for part in all_parts(section.parts):
        if isinstance(part, Paragraph):
            found.append(part.text)
        elif isinstance(part, Bullets):
            found += part.items
    return found


def _number(cell: str | float | None) -> str | float | None:
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
