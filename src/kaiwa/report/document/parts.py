"""The parts of a report: texts, tables and drawings, before they become a page, LaTeX tables or data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

    from kaiwa.report.text_tables import Cell


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; ``kind`` is a class of the style sheet."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows under a heading; ``name`` becomes the name of its files. The page shows ``digits`` places, the data all.

    ``printed`` are the rows of the page and of LaTeX if they differ from the data, such as limits cut at the scale;
    ``printed_header`` is the heading over them if it differs too.
    """

    name: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    printed: Sequence[Sequence[Cell]] | None = None
    printed_header: Sequence[str] | None = None

    @property
    def shown_header(self) -> Sequence[str]:
        """The heading as people read it."""
        return self.header if self.printed_header is None else self.printed_header

    @property
    def shown(self) -> Sequence[Sequence[Cell]]:
        """The rows as people read them."""
        return self.rows if self.printed is None else self.printed


@dataclass(frozen=True)
class Data:
    """A table too long for the page: it is only in the files."""

    table: Table


@dataclass(frozen=True)
class Drawing:
    """A figure, drawn when asked for; ``name`` becomes the name of its file."""

    name: str
    caption: str
    draw: Callable[[], Figure]

    @cached_property
    def figure(self) -> Figure:
        """The figure, drawn once for the page and the files."""
        return self.draw()


@dataclass(frozen=True)
class Details:
    """Parts that the reader can open; printed open."""

    summary: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Columns:
    """Parts beside each other if the page is wide enough."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class RawHtml:
    """HTML that the report made, with every text escaped; ``script`` is the only script that the page runs."""

    html: str
    script: str = ""


Part = Paragraph | Bullets | Table | Data | Drawing | Details | Columns | RawHtml


@dataclass(frozen=True)
class Section:
    """A titled part of the report."""

    title: str
    parts: tuple[Part, ...]


def all_parts(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, including those inside others."""
    for part in parts:
        yield part
        if isinstance(part, Details | Columns):
            yield from all_parts(part.parts)


def slug(name: str) -> str:
    """A name that a file or an anchor can have.

    >>> slug("nERR@10"), slug("P+"), slug("D#-nDCG"), slug("../会話 1")
    ('nerr-10', 'p-plus', 'd-sharp-ndcg', '会話-1')
    """
    spelt = name.lower().replace("+", "-plus").replace("#", "-sharp-")
    return re.sub(r"[\W_]+", "-", spelt).strip("-")[:60] or "unnamed"


def distinct(names: Sequence[str], *, taken: Sequence[str] = ()) -> list[str]:
    """The slugs of the names, duplicates and those that are taken numbered.

    >>> distinct(["P", "p", "Q"], taken=["q"])
    ['p', 'p-2', 'q-2']
    """
    made = list[str]()
    for name in names:
        plain, number = slug(name), 1
        while (candidate := plain if number == 1 else f"{plain}-{number}") in {*made, *taken}:
            number += 1
        made.append(candidate)
    return made
