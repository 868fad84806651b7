"""What all drawings share: colours, sizes, names that fit, and figures of matplotlib as SVG or PDF."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from kaiwa.errors import needs_extra
from kaiwa.show.text import visible, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETTINGS: dict[Any, Any] = {  # Any: matplotlib types its keys as literals
    "svg.fonttype": "none",
    "svg.hashsalt": "kaiwa",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.size": 9,
}
"""Text stays text, so that any script shows in the reader's own fonts; the salt keeps the bytes the same.

Type 42 fonts are what publishers ask for in a PDF."""
INK, ACCENT, FAINT = "#1f2933", "#0b6e99", "#9aa5b1"
SHADES = ("#08306b", "#2171b5", "#6baed6", "#d9e6f2", "#f7f7f7")
"""From the smallest p-values to the largest."""
MOST_WIDE, MOST_HIGH = 7.2, 9.8
"""Inches that a drawing takes at most, so that A4 paper holds it at its natural size."""
LEGEND, AXIS = 1.1, 0.6
POINTS_PER_INCH = 72.0
_CJK = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Source Han Sans",
    "Hiragino Sans",
    "PingFang SC",
    "Yu Gothic",
    "SimHei",
)
"""Fonts that may draw Chinese and Japanese into a PDF, the first that are installed."""


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure of this size in inches, in the style of all figures, and its axes."""
    with needs_extra("figures"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


def svg_text(figure: Figure) -> str:
    """The figure as SVG; the bytes depend only on the figure."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context(SETTINGS), warnings.catch_warnings():
        # the reader's fonts draw the text; a glyph missing from matplotlib's fonts does not matter
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def pdf_bytes(figure: Figure) -> bytes:
    """The figure as PDF; the bytes depend only on the figure and the installed fonts."""
    from matplotlib import rc_context
    from matplotlib.font_manager import fontManager
    from matplotlib.text import Text

    out = io.BytesIO()
    installed = [name for name in _CJK if name in fontManager.get_font_names()]
    for text in figure.findobj(Text):
        if width(text.get_text()) > len(text.get_text()):
            text.set_fontfamily(["DejaVu Sans", *installed])
    with rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(out, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return out.getvalue()


def plain(name: str, *, longest: int = 40) -> str:
    """A name for a drawing: control characters shown, long names cut."""
    text = visible(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"
