"""The topic explorer: every run on every topic, raw and std-AB, and which topics distinguish the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.figures import MAX_DOTS, TopicPanels, topic_panels
from kaiwa.nouns.matrix import BEST
from kaiwa.show.page import Data, Details, Drawing, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.nouns.matrix import Matrix
    from kaiwa.show.page import Part
    from kaiwa.show.text import Cell


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
        Drawing(f"topics-{scores.measure}", about, lambda: topic_panels(TopicPanels(scores, std_ab, (best,)))),
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
