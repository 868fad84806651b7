"""One offline HTML page of a report's sections, with no reference to anything outside it."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from kaiwa.report.document.html_parts import bullets, details, figure, paragraph, table, text
from kaiwa.report.document.parts import (
    Bullets,
    Columns,
    Details,
    Drawing,
    Paragraph,
    RawHtml,
    Table,
    all_parts,
    distinct,
    slug,
)
from kaiwa.report.figures.comparison_figures import svg_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.report.document.parts import Part, Section

_CONTENT = "content"


def page(
    title: str,
    sections: Sequence[Section],
    *,
    lead: str = "",
    banners: Sequence[str] = (),
    footer: str = "",
    han: str = "zh",
) -> str:
    """The whole page; ``han`` is the language of text in Chinese characters alone."""
    raw = [part for one in sections for part in all_parts(one.parts) if isinstance(part, RawHtml)]
    anchors = distinct([one.title for one in sections], taken=[_CONTENT, *_ids(raw)])
    links = "".join(
        f'<li><a href="#{anchor}">{text(one.title)}</a></li>' for anchor, one in zip(anchors, sections, strict=True)
    )
    body = "".join(
        f'<section id="{anchor}" aria-labelledby="{anchor}_title"><h2 id="{anchor}_title">{text(one.title)}</h2>'
        f"{_html(one.parts, han)}</section>"
        for anchor, one in zip(anchors, sections, strict=True)
    )
    script = "".join(part.script for part in raw)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">'
        f"<title>{text(title)}</title><style>{_style()}</style></head><body>"
        f'<a class=skip href="#{_CONTENT}">Skip to the results</a>'
        f"<header><h1>{text(title)}</h1>{paragraph(lead, kind='lead') if lead else ''}"
        f"{''.join(f'<p class=banner role=note>{text(banner)}</p>' for banner in banners)}"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav></header>'
        f'<main id="{_CONTENT}">{body}</main>{f"<footer>{text(footer)}</footer>" if footer else ""}'
        f"{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )


def _ids(parts: Sequence[RawHtml]) -> list[str]:
    """The ids that the page's own script looks for; no section may have one of them."""
    return [name for part in parts for name in re.findall(r' id="([^"]*)"', part.html)]


def _html(parts: Sequence[Part], han: str) -> str:
    return "".join(_part(part, han) for part in parts)


def _part(part: Part, han: str) -> str:
    html = ""  # data goes to the files alone
    match part:
        case Paragraph():
            html = paragraph(part.text, kind=part.kind, han=han)
        case Bullets():
            html = bullets(part.items, han=han)
        case Table():
            html = table(part.shown_header, part.shown, caption=part.caption, digits=part.digits, han=han, folds=True)
        case Drawing():
            html = figure(svg_text(part.figure), part.caption, prefix=slug(part.name))
        case Details():
            html = details(part.summary, _html(part.parts, han))
        case Columns():
            html = f"<div class=beside>{_html(part.parts, han)}</div>"
        case RawHtml():
            html = part.html
    return html


def _policy(script: str) -> str:
    """Nothing from outside, and no script but the page's own, identified by its hash."""
    own = b64encode(sha256(script.encode()).digest()).decode()
    return "default-src 'none'; style-src 'unsafe-inline'" + (f"; script-src 'sha256-{own}'" if script else "")


def _style() -> str:
    return files("kaiwa.report.document").joinpath("page.css").read_text(encoding="utf-8")
