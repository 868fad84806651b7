"""One offline HTML page: sections, tables, figures and notes, with no reference to anything outside it.

Every text that comes from a file is escaped and its control characters shown, so that a run name or a
comment can do nothing but be read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from kaiwa.report.text import Cell, show, visible

if TYPE_CHECKING:
    from collections.abc import Sequence


_LONG_CELL = 28
"""Text longer than this may break into lines inside its cell."""


@dataclass(frozen=True)
class Section:
    """A titled part of the page; ``body`` is HTML that this module made."""

    title: str
    body: str

    @property
    def anchor(self) -> str:
        """The section's place in the page's links."""
        return re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or "section"


def page(title: str, sections: Sequence[Section], *, lead: str = "", banner: str = "", footer: str = "") -> str:
    """The whole page."""
    links = "".join(f'<li><a href="#{one.anchor}">{text(one.title)}</a></li>' for one in sections)
    parts = "".join(
        f'<section id="{one.anchor}" aria-labelledby="{one.anchor}-title">'
        f'<h2 id="{one.anchor}-title">{text(one.title)}</h2>{one.body}</section>'
        for one in sections
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{text(title)}</title><style>{_style()}</style></head><body>"
        f"<header><h1>{text(title)}</h1>{f'<p class=lead>{text(lead)}</p>' if lead else ''}"
        f"{f'<p class=banner role=note>{text(banner)}</p>' if banner else ''}"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav></header>'
        f"<main>{parts}</main>{f'<footer>{text(footer)}</footer>' if footer else ''}</body></html>\n"
    )


def text(words: str) -> str:
    """Any text made inert.

    >>> text("<b>")
    '&lt;b&gt;'
    """
    return escape(visible(words), quote=True)


def paragraph(words: str, *, kind: str = "") -> str:
    """A paragraph; ``kind`` is a class of the style sheet."""
    return f"<p{f' class={kind}' if kind else ''}>{text(words)}</p>"


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, caption: str = "", digits: int = 4) -> str:
    """A table that scrolls sideways on a small screen; numbers to the right, the first column as row headings."""
    numeric = [
        bool(rows) and all(isinstance(row[place], int | float | None) for row in rows) for place in range(len(header))
    ]
    head = "".join(
        f"<th scope=col{_right(right)}>{text(name)}</th>" for name, right in zip(header, numeric, strict=True)
    )
    body = "".join(f"<tr>{_row(row, numeric, digits)}</tr>" for row in rows)
    title = f"<caption>{text(caption)}</caption>" if caption else ""
    whole = f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class=scroll tabindex=0 role=region aria-label="{text(caption or header[0])}">{whole}</div>'


def figure(svg: str, caption: str) -> str:
    """A drawing that the project made, with its caption as its name for a screen reader."""
    drawing = svg[svg.index("<svg") :]
    named = drawing.replace("<svg", f'<svg role="img" aria-label="{text(caption)}"', 1)
    return f"<figure>{named}<figcaption>{text(caption)}</figcaption></figure>"


def details(summary: str, body: str) -> str:
    """A part the reader opens when wanted; printed open."""
    return f"<details><summary>{text(summary)}</summary>{body}</details>"


def _style() -> str:
    return files("kaiwa.report").joinpath("page.css").read_text(encoding="utf-8")


def _row(row: Sequence[Cell], numeric: Sequence[bool], digits: int) -> str:
    cells = [f"<th scope=row{_right(numeric[0])}>{text(show(row[0], digits=digits))}</th>"]
    cells += [
        f"<td{_right(right) or _wrapped(cell)}>{text(show(cell, digits=digits))}</td>"
        for cell, right in zip(row[1:], numeric[1:], strict=True)
    ]
    return "".join(cells)


def _wrapped(cell: Cell) -> str:
    return " class=wrap" if isinstance(cell, str) and len(cell) > _LONG_CELL else ""


def _right(is_number: bool) -> str:  # noqa: FBT001  a column either holds numbers or not
    return " class=n" if is_number else ""
