"""The topic explorer: every run on every topic, raw and std-AB, and which topics distinguish the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.nouns.matrix import BEST
from kaiwa.show.figures import ACCENT, FAINT, INK, MOST_WIDE, SETTINGS, plain
from kaiwa.show.page import Data, Details, Drawing, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.show.page import Part
    from kaiwa.show.text import Cell


# Every run's score on every topic, raw beside std-AB: what standardisation does to hard and easy topics.


MAX_DOTS = 10_000
"""A panel with more scores shows bands instead of dots."""
MAX_TOPICS = 400
"""Maximum number of topics, evenly spaced, that the bands show."""


def hardest_first(scores: Matrix) -> IntArray:
    """The topics' places by mean score over the runs, worst first; ties in the given order."""
    return np.argsort(scores.oriented.mean(axis=1), kind="stable")


def topic_figure(scores: Matrix, std_ab: Matrix, marked: str) -> Figure:
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


MAX_ROWS = 15


def topics_section(measures: Sequence[tuple[Matrix, Matrix]], posts: Mapping[str, str]) -> Section:
    """The topics of the first measure, and those of the others in folds; all of them in the files."""
    shown = [_explorer(scores, std_ab, posts) for scores, std_ab in measures]
    folds = tuple(
        Details(f"Topics by {scores.measure}", parts)
        for (scores, _), parts in zip(measures[1:], shown[1:], strict=True)
    )
    note = (
        "Spread is the standard deviation over the runs, share the topic's part of all squared differences between "
        "runs on one topic: a topic on which all runs tie does not distinguish them. In brackets the std-AB score, "
        "on one scale for every topic, where 0.15 is one standard deviation of the runs."
    )
    return Section("Topics", (*shown[0], Paragraph(note, "soft"), *folds))


def _explorer(scores: Matrix, std_ab: Matrix, posts: Mapping[str, str]) -> tuple[Part, ...]:
    best = scores.runs[int(scores.oriented.mean(axis=0).argmax())]
    kind = "each dot a run" if scores.values.size <= MAX_DOTS else "the bands hold all runs, and their middle half"
    about = (
        f"{scores.label} of every run on every topic, raw (left) and std-AB (right); topics from the hardest to the "
        f"easiest by mean raw score, {kind}. {BEST[scores.direction].capitalize()} mean: {best}."
    )
    table = separating_topics(scores, std_ab, posts)
    top = Table(
        f"topics-{scores.measure}",
        f"{_number_of(table)} on which {scores.measure} distinguishes the runs most",
        table.header,
        table.rows[:MAX_ROWS],
        digits=3,
    )
    return (
        Drawing(f"topics-{scores.measure}", about, lambda: topic_figure(scores, std_ab, best)),
        top,
        Data(table),
        Data(_every_score(scores, std_ab)),
    )


def _number_of(table: Table) -> str:
    shown = min(MAX_ROWS, len(table.rows))
    return "The topic" if shown == 1 else f"The {shown} topics"


def separating_topics(scores: Matrix, std_ab: Matrix, posts: Mapping[str, str]) -> Table:
    """The topics from the one that distinguishes the runs most: mean, spread, range, share, best and worst run."""
    values, goodness = scores.values, scores.oriented
    spread = values.std(axis=1, ddof=1)
    squares = spread**2
    share = squares / squares.sum() if squares.any() else squares
    rows: list[list[Cell]] = []
    for row in np.argsort(-spread, kind="stable").tolist():
        raw, topic = values[row], scores.topics[row]
        ends = [
            f"{scores.runs[run]} {raw[run]:.2f} ({std_ab.values[row, run]:.2f})"
            for run in (int(goodness[row].argmax()), int(goodness[row].argmin()))
        ]
        numbers = [float(raw.mean()), float(spread[row]), float(np.ptp(raw)), float(share[row])]
        rows.append([topic, posts.get(topic, "-"), *numbers, *ends])
    header = ["topic", "post", "mean", "spread", "range", "share", "highest score", "lowest score"]
    return Table(f"topics-all-{scores.measure}", f"All topics by {scores.measure}", header, rows)


def _every_score(scores: Matrix, std_ab: Matrix) -> Table:
    rows: list[list[Cell]] = [
        [topic, run, float(scores.values[row, column]), float(std_ab.values[row, column])]
        for row, topic in enumerate(scores.topics)
        for column, run in enumerate(scores.runs)
    ]
    return Table(
        f"scores-{scores.measure}",
        f"{scores.measure} of every run on every topic",
        ["topic", "run", "raw", "std-AB"],
        rows,
    )
