"""Figures of a comparison, as SVG or PDF: the p-values of all pairs, and the means with their intervals."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.report.printed_limits import scale_of
from kaiwa.report.text_tables import visible, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path
    from numpy.typing import NDArray

    from kaiwa.compare.comparison import Comparison
    from kaiwa.model.ids import FloatArray

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
_LEVELS = (1 / 50, 1 / 5, 1.0, 2.0)
"""Where the shades of p change, in units of alpha."""
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


def heat_map_svg(comparison: Comparison) -> str:
    """The square of p-values as SVG."""
    return svg_text(heat_map(comparison))


def caterpillar_svg(comparison: Comparison) -> str:
    """The means with their intervals as SVG."""
    return svg_text(caterpillar(comparison))


def heat_map(comparison: Comparison) -> Figure:
    """P of every pair as a square of shades, runs from best to worst on both sides."""
    with needs_extra("figures"):
        from matplotlib.patches import Patch, PathPatch

    names = [standing.run for standing in comparison.standings]
    p = _square(comparison, names)
    room = min(0.065 * max(map(width, _shown(names))), MOST_WIDE / 3)
    square = min(max(2.2, 0.16 * len(names)), MOST_WIDE - room - LEGEND)
    figure, axes = canvas(square + room + LEGEND, square + room)
    levels = [level for level in (*_LEVELS, 1.0 / comparison.alpha) if level * comparison.alpha <= 1.0]
    bounds = [-1.0, *(level * comparison.alpha for level in levels)]
    keys = list[Patch]()
    for shade, low, high in zip(SHADES[-len(levels) :], bounds, bounds[1:], strict=False):
        cells = (p > low) & (p <= high)
        axes.add_patch(PathPatch(_cells(cells), facecolor=shade, edgecolor="none", antialiased=False))
        label = f"p ≤ {high:g}" if high < 1.0 else f"p > {low:g}"
        keys.append(Patch(facecolor=shade, edgecolor=FAINT, linewidth=0.5, label=label))
    labels = _labels(names, square)
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5), aspect="equal")
    axes.set_xticks(labels.places, labels=labels.names, rotation=90, fontsize=labels.size, parse_math=False)
    axes.set_yticks(labels.places, labels=labels.names, fontsize=labels.size, parse_math=False)
    axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8)
    return figure


def _square(comparison: Comparison, names: list[str]) -> FloatArray:
    place = {run: spot for spot, run in enumerate(names)}
    p = np.ones((len(names), len(names)))
    for pair in comparison.pairs:
        p[place[pair.a], place[pair.b]] = p[place[pair.b], place[pair.a]] = pair.p
    return p


def _cells(chosen: NDArray[np.bool_]) -> Path:
    """The chosen cells as one outline, neighbours in a row joined: a hundred runs stay a small drawing."""
    from matplotlib.path import Path

    edges = np.diff(np.pad(chosen.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    left, right, top, bottom = starts - 0.5, ends - 0.5, rows - 0.5, rows + 0.5
    corners = np.stack([left, top, right, top, right, bottom, left, bottom, left, top], axis=1).reshape(-1, 2)
    codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(rows))
    return Path(corners, codes.astype(Path.code_type))


def caterpillar(comparison: Comparison) -> Figure:
    """Means, highest first, with intervals cut at the scale: two runs differ exactly if theirs do not overlap."""
    names = [standing.run for standing in comparison.standings]
    means = np.array([standing.mean for standing in comparison.standings])
    scale = scale_of(comparison)
    low, high = np.array([[scale.cut(one.low), scale.cut(one.high)] for one in comparison.standings]).T
    height = min(max(1.6, 0.2 * len(names)), MOST_HIGH - AXIS)
    figure, axes = canvas(4.8, height + AXIS)
    labels = _labels(names, height)
    rows = np.arange(len(names))
    top = [standing.rank == 1 for standing in comparison.standings]
    colours = [ACCENT if first else INK for first in top]
    axes.hlines(rows, low, high, colors=colours, linewidth=1.4)
    axes.scatter(means, rows, s=16, c=colours, zorder=3)
    axes.axvline((high if comparison.direction == "lower" else low)[0], color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_yticks(labels.places, labels=labels.names, fontsize=labels.size, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(f"mean {plain(comparison.label)}", color=INK, parse_math=False)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    return figure


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


def _shown(names: list[str]) -> list[str]:
    return [plain(name) for name in names]


def plain(name: str, *, longest: int = 40) -> str:
    """A name for a drawing: control characters shown, long names cut."""
    text = visible(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"


@dataclass(frozen=True)
class _Labels:
    """The names beside the rows of a drawing: all of them, or every second, third, ... if there is no room."""

    names: list[str]
    places: range
    size: float


def _labels(names: list[str], inches: float) -> _Labels:
    """The names along so many inches, never smaller than 6 pt, which can still be read on paper."""
    pitch = POINTS_PER_INCH * inches / len(names)
    size = min(8.0, max(6.0, pitch))
    places = range(0, len(names), ceil(size / pitch - 0.05))
    return _Labels([_shown(names)[place] for place in places], places, size)
