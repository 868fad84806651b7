"""Scores for people: means with standard errors, per-topic rows, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.model.scores import Scores, ScoreSet
    from kaiwa.report.text_tables import Cell

_SHOWN = 5


@dataclass(frozen=True)
class Rows:
    """A table's heading and rows."""

    header: list[str]
    rows: list[list[Cell]]


def standard_errors(scores: Scores) -> list[float | None]:
    """The standard error of each run's mean over topics; nothing when there is one topic."""
    topics = len(scores.topics)
    if topics < 2:  # noqa: PLR2004  one topic has no spread
        return [None] * len(scores.runs)
    errors: list[float | None] = (scores.values.std(axis=0, ddof=1) / sqrt(topics)).tolist()
    return errors


def mean_rows(scores: ScoreSet, intervals: Mapping[str, Mapping[str, tuple[float, float]]]) -> Rows:
    """One row a run: each measure's mean, its standard error over topics, its interval over votes if any."""
    tables = list(scores.values())
    header = ["run"]
    columns: list[Sequence[Cell]] = [tables[0].runs]
    for table in tables:
        header += [table.measure, "se"]
        columns += [list(table.means().values()), standard_errors(table)]
        if intervals:
            own = [intervals[run][table.measure] for run in table.runs]
            header += ["low", "high"]
            columns += [[low for low, _ in own], [high for _, high in own]]
    return Rows(header, [list(row) for row in zip(*columns, strict=True)])


def topic_rows(scores: ScoreSet) -> Rows:
    """One row a topic and run, each measure in a column."""
    tables = list(scores.values())
    first = tables[0]
    rows: list[list[Cell]] = [
        [topic, run, *(float(table.values[row, column]) for table in tables)]
        for row, topic in enumerate(first.topics)
        for column, run in enumerate(first.runs)
    ]
    return Rows(["topic", "run", *scores], rows)


def by_topic(scores: ScoreSet) -> dict[str, dict[str, dict[str, float]]]:
    """The scores as {topic: {run: {measure: score}}}."""
    tables = {name: table.values.tolist() for name, table in scores.items()}
    first = next(iter(scores.values()))
    return {
        topic: {
            run: {name: values[row][column] for name, values in tables.items()} for column, run in enumerate(first.runs)
        }
        for row, topic in enumerate(first.topics)
    }


def means(scores: ScoreSet) -> dict[str, dict[str, float]]:
    """The means as {run: {measure: mean}}."""
    return scores.means()


def few(names: Sequence[str]) -> str:
    """The first few names, and how many more there are.

    >>> few(["1", "2"]), few([str(number) for number in range(9)])
    ('1, 2', '0, 1, 2, 3, 4 and 4 more')
    """
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
