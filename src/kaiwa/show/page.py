"""One offline HTML page of a report's sections, with no reference to anything outside it."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from kaiwa.show.figures import ACCENT, FAINT, INK, SHADES, svg_text
from kaiwa.show.text import Cell, show, visible, width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure


# The parts of a report: texts, tables and drawings, before they become a page, LaTeX tables or data.


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


# A drawing as part of a page: small, without external names, in the page's own colours.


_COLOURS = {
    INK: "var(--ink)",
    ACCENT: "var(--mark)",
    FAINT: "var(--faint)",
    "#000000": "var(--ink)",
    "#ffffff": "var(--paper)",
    **{shade: f"var(--p{place})" for place, shade in enumerate(SHADES)},
}
"""Each colour of the figures, and the style sheet's variable for it in light and in dark."""
_COLOUR = re.compile("|".join(_COLOURS))
_TAG = re.compile(r"<[^>]*>")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_UNWANTED = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>| xmlns(?::\w+)?=\"[^\"]*\"", re.DOTALL)
_FONT = re.compile(r"font: ([\d.]+px)[^;\"]*|font-family:[^;\"]*;?")
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r"(url\(#|href=\"#)([^)\"]+)")


def inline_svg(svg: str, *, prefix: str) -> str:
    r"""The drawing as part of a page; ``prefix`` distinguishes its ids from those of other drawings.

    >>> inline_svg('<?xml ?><svg xmlns="x"><path id="a" d="M 1.23 2 \nL 3 4" style="fill: #000000"/></svg>', prefix="f")
    '<svg><path d="M1.2 2L3 4" style="fill: var(--ink)"/></svg>'
    """
    drawing = _UNWANTED.sub("", svg[svg.index("<svg") :])
    wanted = {name for _, name in _REFERENCE.findall(drawing)}
    return "".join(re.split(r"(?<=>)\s+(?=<)", _TAG.sub(lambda tag: _tag(tag[0], wanted, prefix), drawing))).strip()


def _tag(tag: str, wanted: set[str], prefix: str) -> str:
    tag = _ID.sub(lambda name: f' id="{prefix}-{name[1]}"' if name[1] in wanted else "", tag)
    tag = _REFERENCE.sub(rf"\g<1>{prefix}-\g<2>", tag)
    tag = _COLOUR.sub(lambda colour: _COLOURS[colour[0]], tag)
    tag = _FONT.sub(lambda font: f"font-size: {font[1]}" if font[1] else "", tag)
    tag = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), tag)
    return re.sub(r' d="([^"]*)"', lambda path: f' d="{_path(path[1])}"', tag)


def _path(steps: str) -> str:
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(steps.split()))


# HTML of the parts of a page: paragraphs, tables, figures and details.


_SHORT_CELL, _LONG_CELL, _LONGEST_NAME = 12, 28, 60
"""Text longer than the first may break into lines on a phone, than the second on any screen; a name is no longer than
the third."""
_LONG_TEXT = 280
"""Text that takes more columns than this is folded to a few lines."""
_MANY_ROWS = 40
"""A table with more rows scrolls in a box of its own."""
_TALL_DRAWING = 700.0
"""A drawing that is higher, in points, scrolls in a box of its own."""
_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9f]")
_HYPHENED = re.compile(r"(?<!\S)[\w.]+(?:-[\w.]+){1,4}(?![\w-])")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def text(words: str) -> str:
    """The text escaped for HTML.

    >>> text("<b>")
    '&lt;b&gt;'
    """
    return escape(visible(words), quote=True)


def lang(words: str, *, han: str = "zh") -> str:
    """The ``lang`` attribute of a Chinese or Japanese text; empty for others. ``han`` is Han without kana.

    >>> lang("会話です"), lang("会话"), lang("talk")
    (' lang=ja', ' lang=zh', '')
    """
    language = language_of(words, han=han)
    return f" lang={language}" if language else ""


def language_of(words: str, *, han: str = "zh") -> str:
    """The language of a Chinese or Japanese text; empty for others. ``han`` is Han without kana.

    >>> language_of("会話です"), language_of("会话"), language_of("talk")
    ('ja', 'zh', '')
    """
    return "ja" if _KANA.search(words) else han if _HAN.search(words) else ""


def is_long(words: str) -> bool:
    """Whether the page folds the text to a few lines.

    >>> is_long("a post " * 10), is_long("a post " * 100)
    (False, True)
    """
    return width(words) > _LONG_TEXT


def folded(words: str, *, han: str = "zh") -> str:
    """The text; a long one as a fold that shows its first lines and opens on demand, without any script.

    >>> folded("short"), folded("a post " * 100)[:36]
    ('<span>short</span>', '<details class=fold><summary><span>a')
    """
    span = f"<span{lang(words, han=han)}>{text(words)}</span>"
    return f"<details class=fold><summary>{span}</summary></details>" if is_long(words) else span


def paragraph(words: str, *, kind: str = "", han: str = "zh") -> str:
    """A paragraph; ``kind`` is a class of the style sheet."""
    return f"<p{f' class={kind}' if kind else ''}{lang(words, han=han)}>{text(words)}</p>"


def bullets(items: Sequence[str], *, han: str = "zh") -> str:
    """A list of sentences."""
    return "<ul class=points>" + "".join(f"<li{lang(one, han=han)}>{text(one)}</li>" for one in items) + "</ul>"


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    caption: str = "",
    digits: int = 4,
    han: str = "zh",
    folds: bool = False,
) -> str:
    """A table that scrolls sideways on a small screen; numbers to the right, the first column as row headings.

    ``folds`` is for a page with the style sheet, which shows the first lines of a long text.
    """
    numeric = [
        bool(rows) and all(isinstance(row[place], int | float | None) for row in rows) for place in range(len(header))
    ]
    head = "".join(
        f"<th scope=col{_right(right)}>{text(name)}</th>" for name, right in zip(header, numeric, strict=True)
    )
    body = "".join(f"<tr>{_row(row, numeric, digits, han, folds=folds)}</tr>" for row in rows)
    title = f"<caption><span>{text(caption)}</span></caption>" if caption else ""
    whole = f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    kind = '"scroll tall"' if len(rows) > _MANY_ROWS else "scroll"
    return f'<div class={kind} tabindex=0 role=region aria-label="{text(caption or header[0])}">{whole}</div>'


def figure(svg: str, caption: str, *, prefix: str) -> str:
    """A drawing of the report, with its caption as its name for a screen reader."""
    drawing = inline_svg(svg, prefix=prefix)
    across, up = (re.search(rf'{side}="([\d.]+)pt"', drawing) for side in ("width", "height"))
    natural = f' style="--natural:{across[1]}pt"' if across else ""
    named = drawing.replace("<svg", f'<svg role="img" aria-label="{text(caption)}"{natural}', 1)
    kind = '"drawing tall"' if up and float(up[1]) > _TALL_DRAWING else "drawing"
    return f"<figure><div class={kind} tabindex=0>{named}</div><figcaption>{text(caption)}</figcaption></figure>"


def details(summary: str, body: str) -> str:
    """A part that the reader can open; printed open."""
    return f"<details><summary>{text(summary)}</summary>{body}</details>"


def _row(row: Sequence[Cell], numeric: Sequence[bool], digits: int, han: str, *, folds: bool) -> str:
    cells = list[str]()
    for place, (cell, right) in enumerate(zip(row, numeric, strict=True)):
        words = show(cell, digits=digits)
        tag, scope = ("td", "") if place else ("th", " scope=row")
        inner = folded(words, han=han) if folds and is_long(words) else _cell(words)
        cells.append(f"<{tag}{scope}{_right(right) or _wrapped(cell)}{lang(words, han=han)}>{inner}</{tag}>")
    return "".join(cells)


def _cell(words: str) -> str:
    """The text of a cell, in which names such as ``Aoi-C-R1`` stay whole when lines break."""
    return _HYPHENED.sub(r"<span class=whole>\g<0></span>", text(words))


def _wrapped(cell: Cell) -> str:
    if not isinstance(cell, str) or len(cell) <= _SHORT_CELL:
        return ""
    if len(cell) <= _LONG_CELL:
        return " class=name"
    return ' class="name wrap"' if len(cell) <= _LONGEST_NAME else " class=wrap"


def _right(is_number: bool) -> str:  # noqa: FBT001  a column either holds numbers or not
    return " class=n" if is_number else ""


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
        f"<title>{text(title)}</title><style>{style() + style('page.css')}</style></head><body>"
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


def style(name: str = "base.css") -> str:
    """A style sheet of ours; the first one is shared with the pages of the server."""
    return files("kaiwa.show").joinpath(name).read_text(encoding="utf-8")
