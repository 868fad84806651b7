"""Figures of a comparison as SVG text: the p-values of all pairs, and the means with their intervals."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.report.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kaiwa.compare.comparison import Comparison

SETTINGS: dict[Any, Any] = {  # Any: matplotlib types its keys as literals
    "svg.fonttype": "none",
    "svg.hashsalt": "kaiwa",
    "font.family": "sans-serif",
    "font.size": 9,
}
"""Text stays text, so that any script shows in the reader's own fonts; the salt keeps the bytes the same."""
INK, ACCENT, FAINT = "#1f2933", "#0b6e99", "#9aa5b1"


def heat_map_svg(comparison: Comparison) -> str:
    """P of every pair as a square of colours, runs from best to worst on both sides."""
    from matplotlib.colors import BoundaryNorm, ListedColormap

    names = [standing.run for standing in comparison.standings]
    place = {run: spot for spot, run in enumerate(names)}
    p = np.ones((len(names), len(names)))
    for pair in comparison.pairs:
        p[place[pair.a], place[pair.b]] = p[place[pair.b], place[pair.a]] = pair.p
    levels = sorted({0.0, comparison.alpha / 50, comparison.alpha / 5, comparison.alpha, 2 * comparison.alpha, 1.0})
    levels = [level for level in levels if level <= 1.0]
    shades = ListedColormap(["#08306b", "#2171b5", "#6baed6", "#d9e6f2", "#f7f7f7"][-(len(levels) - 1) :])
    side = max(3.2, 0.16 * len(names) + 1.6)
    figure, axes = canvas(side + 1.0, side)
    image = axes.imshow(p, cmap=shades, norm=BoundaryNorm(levels, shades.N), interpolation="nearest")
    size = _label_size(len(names))
    axes.set_xticks(range(len(names)), labels=_shown(names), rotation=90, fontsize=size, parse_math=False)
    axes.set_yticks(range(len(names)), labels=_shown(names), fontsize=size, parse_math=False)
    axes.set_title(f"{_plain(comparison.measure)}: p-values of all pairs", fontsize=10, color=INK, parse_math=False)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, ticks=levels)
    bar.ax.set_yticklabels([f"{level:g}" for level in levels], fontsize=8)
    return svg_text(figure)


def caterpillar_svg(comparison: Comparison) -> str:
    """Means best first with intervals that fail to overlap exactly where two runs differ significantly."""
    names = [standing.run for standing in comparison.standings]
    means = np.array([standing.mean for standing in comparison.standings])
    reach = np.array([standing.high - standing.mean for standing in comparison.standings])
    figure, axes = canvas(6.4, max(2.2, 0.2 * len(names) + 1.0))
    rows = np.arange(len(names))
    top = [standing.rank == 1 for standing in comparison.standings]
    colours = [ACCENT if first else INK for first in top]
    axes.hlines(rows, means - reach, means + reach, colors=colours, linewidth=1.4)
    axes.scatter(means, rows, s=16, c=colours, zorder=3)
    axes.axvline(means[0] - reach[0], color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_yticks(rows, labels=_shown(names), fontsize=_label_size(len(names)), parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(f"mean {_plain(comparison.measure)}", color=INK, parse_math=False)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    return svg_text(figure)


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure of so many inches in the house's style, and its axes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.add_subplot()


def svg_text(figure: Figure) -> str:
    """The figure as SVG whose bytes depend on nothing but the figure."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context(SETTINGS), warnings.catch_warnings():
        # the reader's fonts draw the text; that matplotlib's own lack a glyph does not matter
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def _shown(names: list[str]) -> list[str]:
    return [_plain(name) for name in names]


def _plain(name: str, *, longest: int = 40) -> str:
    text = visible(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _label_size(count: int) -> float:
    return 8.0 if count <= 40 else max(4.0, 8.0 * 40 / count)  # noqa: PLR2004
