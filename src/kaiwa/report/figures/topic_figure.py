"""Every run's score on every topic, raw beside std-AB: what standardisation does to hard and easy topics.

The topics are ordered from the hardest to the easiest by mean raw score, in both panels, as in the figure with
which Sakai (2016) shows score standardisation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.report.figures.comparison_figures import ACCENT, FAINT, INK, MOST_WIDE, SETTINGS, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.scores import Scores

MAX_DOTS = 10_000
"""A panel with more scores shows bands instead of dots."""
MAX_TOPICS = 400
"""Maximum number of topics, evenly spaced, that the bands show."""


def hardest_first(scores: Scores) -> IntArray:
    """The topics' places by mean score over the runs, worst first; ties in the given order."""
    return np.argsort(scores.oriented.mean(axis=1), kind="stable")


def topic_figure(scores: Scores, std_ab: Scores, marked: str) -> Figure:
    """Two panels over the same topics: raw scores, and std-AB scores; the run ``marked`` is in the accent colour."""
    with needs_extra("figures"):
        from matplotlib import rc_context
        from matplotlib.figure import Figure

    order = hardest_first(scores)
    column = scores.runs.index(marked)
    with rc_context(SETTINGS):
        figure = Figure(figsize=(MOST_WIDE, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True)
        for axes, one, title in ((left, scores, "raw"), (right, std_ab, "std-AB")):
            _panel(axes, one.values[order], column)
            axes.set_title(f"{plain(scores.label)}, {title}", fontsize=10, color=INK, parse_math=False)
            axes.set_xlabel("topics, hardest to easiest", color=INK)
            for edge in ("top", "right"):
                axes.spines[edge].set_visible(False)
        right.axhline(0.5, color=FAINT, linewidth=0.8, linestyle=":")
        right.set_ylim(-0.02, 1.02)
        keys = left.get_legend_handles_labels()
        figure.legend(*keys, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _panel(axes: Axes, by_topic: FloatArray, marked: int) -> None:
    """One panel, topics across: each run a dot, or bands for too many dots."""
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
    axes.plot(topics, by_topic[:, marked], ".", color=ACCENT, markersize=5, label="highest mean")
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
