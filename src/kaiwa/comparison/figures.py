"""Figures of a comparison, as SVG or PDF: p-values of all pairs, means with intervals, every run on every topic."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.texts import scale_of
from kaiwa.errors import InputError, needs_extra
from kaiwa.nouns.matrix import BEST
from kaiwa.show.figures import (
    ACCENT,
    AXIS,
    FAINT,
    INK,
    LEGEND,
    MOST_HIGH,
    MOST_WIDE,
    POINTS_PER_INCH,
    SETTINGS,
    SHADES,
    canvas,
    plain,
    svg_text,
)
from kaiwa.show.text import width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path
    from numpy.typing import NDArray

    from kaiwa.comparison.leaderboard import Leaderboard
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.matrix import Matrix


_LEVELS = (1 / 50, 1 / 5, 1.0, 2.0)
"""Where the shades of p change, in units of alpha."""


def heat_map_svg(comparison: Leaderboard) -> str:
    """The square of p-values as SVG."""
    return svg_text(heat_map(comparison))


def caterpillar_svg(comparison: Leaderboard) -> str:
    """The means with their intervals as SVG."""
    return svg_text(caterpillar(comparison))


def heat_map(comparison: Leaderboard) -> Figure:
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


def _square(comparison: Leaderboard, names: list[str]) -> FloatArray:
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


def caterpillar(comparison: Leaderboard) -> Figure:
    """Means, highest first, with intervals cut at the scale: two runs differ exactly if theirs do not overlap."""
    names = [standing.run for standing in comparison.standings]
    means = np.array([standing.mean for standing in comparison.standings])
    scale = scale_of(comparison)
    limits = [[scale.cut(one.low), scale.cut(one.high)] for one in comparison.standings]
    low, high = np.array(limits).T if comparison.decidable else (means, means)
    height = min(max(1.6, 0.2 * len(names)), MOST_HIGH - AXIS)
    figure, axes = canvas(4.8, height + AXIS)
    labels = _labels(names, height)
    rows = np.arange(len(names))
    top = [standing.rank == 1 for standing in comparison.standings]
    colours = [ACCENT if first else INK for first in top]
    axes.hlines(rows, low, high, colors=colours, linewidth=1.4)
    axes.scatter(means, rows, s=16, c=colours, zorder=3)
    if comparison.decidable:
        best = (high if comparison.direction == "lower" else low)[0]
        axes.axvline(best, color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_yticks(labels.places, labels=labels.names, fontsize=labels.size, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(f"mean {plain(comparison.label)}", color=INK, parse_math=False)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    return figure


def _shown(names: list[str]) -> list[str]:
    return [plain(name) for name in names]


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


# Every run's score on every topic, raw beside std-AB: what standardisation does to hard and easy topics.


MAX_DOTS = 10_000
"""A panel with more scores shows bands instead of dots."""
MAX_TOPICS = 400
"""Maximum number of topics, evenly spaced, that the bands show."""
MARKS = (ACCENT, "#d1495b", "#b7791f", "#2f855a", "#6b46c1", "#1f2933")
"""The colours of marked runs, which differ in lightness too."""


@dataclass(frozen=True, eq=False)
class TopicPanels:
    """Figure 1 of Sakai (AIRS 2016): every run on every topic, raw and std-AB; the ``marked`` runs are in colour.

    ``middle`` and ``top`` are those of the std-AB scale.
    """

    raw: Matrix
    std_ab: Matrix
    marked: tuple[str, ...]
    middle: float = 0.5
    top: float = 1.0

    def __post_init__(self) -> None:
        if len(self.marked) > len(MARKS):
            raise InputError(f"{len(self.marked)} marked runs for {len(MARKS)} colours; mark fewer")

    @property
    def label_of(self) -> dict[str, str]:
        """What each marked run is called in the legend."""
        best = self.raw.runs[int(self.raw.oriented.mean(axis=0).argmax())]
        if self.marked == (best,):
            return {best: f"{BEST[self.raw.direction]} mean"}
        return {run: plain(run) for run in self.marked}


def topic_panels_svg(panels: TopicPanels) -> str:
    """Both panels as SVG."""
    return svg_text(topic_panels(panels))


def hardest_first(scores: Matrix) -> IntArray:
    """The topics' places by mean score over the runs, worst first; ties in the given order."""
    return np.argsort(scores.oriented.mean(axis=1), kind="stable")


def topic_panels(panels: TopicPanels) -> Figure:
    """Two panels over the same topics: raw scores, and std-AB scores."""
    with needs_extra("figures"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure

    order = hardest_first(panels.raw)
    margin = 0.02 * panels.top
    with rc_context(SETTINGS):
        figure = Figure(figsize=(MOST_WIDE, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True)
        for axes, one, title in ((left, panels.raw, "raw"), (right, panels.std_ab, "std-AB")):
            _panel(axes, one, order, panels.label_of)
            axes.set_title(f"{plain(panels.raw.label)}, {title}", fontsize=10, color=INK, parse_math=False)
            axes.set_xlabel("topics, hardest to easiest", color=INK)
            for edge in ("top", "right"):
                axes.spines[edge].set_visible(False)
        right.axhline(panels.middle, color=FAINT, linewidth=0.8, linestyle=":")
        right.set_ylim(-margin, panels.top + margin)
        keys = left.get_legend_handles_labels()
        legend = figure.legend(*keys, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


def _panel(axes: Axes, scores: Matrix, order: IntArray, marked: Mapping[str, str]) -> None:
    """One panel, topics across: each run a dot, or bands for too many dots."""
    by_topic = scores.values[order]
    topics = np.arange(1, len(by_topic) + 1)
    if by_topic.size <= MAX_DOTS:
        _dots(axes, by_topic)
    else:
        shown = np.unique(np.linspace(0, len(topics) - 1, min(len(topics), MAX_TOPICS)).round().astype(np.int64))
        topics, by_topic = topics[shown], by_topic[shown]
        low, first, third, high = np.quantile(by_topic, [0.0, 0.25, 0.75, 1.0], axis=1)
        axes.fill_between(topics, low, high, color=FAINT, alpha=0.35, linewidth=0, label="all runs")
        axes.fill_between(topics, first, third, color=FAINT, alpha=0.7, linewidth=0, label="middle half of the runs")
    axes.plot(topics, by_topic.mean(axis=1), color=INK, linewidth=1.0, label="mean of the runs")
    for colour, (run, label) in zip(MARKS, marked.items(), strict=False):
        axes.plot(topics, by_topic[:, scores.runs.index(run)], ".", color=colour, markersize=5, label=label)
    axes.set_xlim(0, topics[-1] + 1)


def _dots(axes: Axes, by_topic: FloatArray) -> None:
    """All dots as one outline of points, which takes a few bytes per dot."""
    from matplotlib.patches import PathPatch

    topics, runs = by_topic.shape
    across = np.repeat(np.arange(1.0, topics + 1), runs)
    drawn = _points(across, by_topic.ravel(), width=topics / 500)
    axes.add_artist(PathPatch(drawn, fill=False, edgecolor=FAINT, linewidth=2.4, capstyle="round"))
    axes.update_datalim(drawn.vertices)  # all at once: matplotlib would process a patch segment by segment
    axes.plot([], [], ".", color=FAINT, label="a run")
    axes.autoscale_view()


def _points(across: FloatArray, up: FloatArray, *, width: float) -> Path:
    from matplotlib.path import Path

    ends = np.stack([across - width / 2, up, across + width / 2, up], axis=1).reshape(-1, 2)
    codes = np.tile([Path.MOVETO, Path.LINETO], len(up)).astype(Path.code_type)
    path = Path(ends, codes)
    path.should_simplify = False
    return path
