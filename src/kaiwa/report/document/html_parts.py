"""HTML of the parts of a page: paragraphs, tables, figures and details.

Every text that comes from a file is escaped and its control characters shown, so that a run name or a
comment cannot become markup.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from kaiwa.report.document.inline_svg import inline_svg
from kaiwa.report.text_tables import Cell, show, visible, width

if TYPE_CHECKING:
    from collections.abc import Sequence


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
