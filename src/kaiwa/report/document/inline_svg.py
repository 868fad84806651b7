"""A drawing as part of a page: small, without external names, in the page's own colours."""

from __future__ import annotations

import re

from kaiwa.report.figures.comparison_figures import ACCENT, FAINT, INK, SHADES

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
