"""Scores that may have gaps: cells of (measure, topic, run), and the rule by which they become whole matrices."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.scores.score_files import matrix_frame
from kaiwa.formats.scores.score_rows import TIDY, score_rows
from kaiwa.formats.text.delimited import Row, number
from kaiwa.model.scores import Scores, ScoreSet
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NOTHING = {"", "na", "n/a", "nan", "null", "none", "-"}
Table = dict[tuple[str, str], float]


@dataclass
class Cells:
    """Scores by measure and (topic, run); a run or topic that is named but has no score is a gap."""

    tables: dict[str, Table] = field(default_factory=dict)
    topics: dict[str, dict[str, None]] = field(default_factory=dict)
    runs: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, measure: str, topic: str, run: str, score: float | None) -> None:
        """Name the topic and run, and keep the score unless there is none."""
        table = self.tables.setdefault(measure, {})
        self.topics.setdefault(measure, {})[topic] = None
        self.runs.setdefault(measure, {})[run] = None
        if score is None:
            return
        if (topic, run) in table:
            raise InputError(f"{measure}: run {run!r} has two scores on topic {topic!r}; keep one")
        table[topic, run] = score


@dataclass(frozen=True)
class Whole:
    """Matrices without gaps, and per measure what was left out to get them."""

    scores: ScoreSet
    topics_left_out: dict[str, tuple[str, ...]]
    runs_left_out: dict[str, tuple[str, ...]]
    filled: dict[str, int]


def read_cells(paths: Iterable[Path]) -> Cells:
    """The cells of several tidy CSV files or matrices; an empty cell or n/a is a gap."""
    cells = Cells()
    for path in paths:
        try:
            _add_file(cells, Path(path))
        except InputError as fault:
            message = f"{fault}"
            raise fault if message.startswith(str(path)) else InputError(f"{path}: {message}") from None
    return cells


def whole(cells: Cells, *, missing: str = "error") -> Whole:
    """Matrices without gaps: refused, filled with 0, or cut to the topics or the runs that have every score."""
    rule = MISSING[missing]
    kept = {measure: rule(measure, cells) for measure in cells.tables}
    tables, filled = [], {}
    for measure, (topics, runs) in kept.items():
        table = cells.tables[measure]
        if not topics or not runs:
            what = f"{measure}: nothing is left after leaving out what has gaps"
            raise InputError(f"{what}; try another {option('missing')} rule")
        values = np.array([[table.get((topic, run), 0.0) for run in runs] for topic in topics])
        filled[measure] = sum((topic, run) not in table for topic in topics for run in runs)
        tables.append(Scores(measure, topics, runs, values))
    return Whole(
        ScoreSet(tables),
        {measure: _without(cells.topics[measure], topics) for measure, (topics, _) in kept.items()},
        {measure: _without(cells.runs[measure], runs) for measure, (_, runs) in kept.items()},
        filled,
    )


def _add_file(cells: Cells, path: Path) -> None:
    rows = score_rows(path)
    heading = [cell.lower() for cell in rows[0][1]] if rows else []
    if {"topic", "run", "score"} <= set(heading):
        _add_tidy(cells, path, heading, rows[1:])
    elif rows:
        _add_matrix(cells, path, rows)


def _add_tidy(cells: Cells, path: Path, heading: list[str], rows: list[Row]) -> None:
    places = {name: heading.index(name) for name in TIDY if name in heading}
    for line, row in rows:
        if len(row) != len(heading):
            what = f"{len(row)} cells where the heading has {len(heading)}"
            raise InputError.at(path, what, "give every row every cell", line=line)
        measure = row[places["measure"]] if "measure" in places else path.stem
        score = _score(row[places["score"]], path, line)
        cells.add(measure, row[places["topic"]], row[places["run"]], score)


def _add_matrix(cells: Cells, path: Path, rows: list[Row]) -> None:
    runs, body, has_topics = matrix_frame(path, rows)
    for place, (line, row) in enumerate(body, start=1):
        topic, shown = (row[0], row[1:]) if has_topics else (str(place), row)
        if len(shown) != len(runs):
            what = f"{len(shown)} scores where there are {len(runs)} runs"
            raise InputError.at(path, what, "give every topic one cell per run", line=line)
        for run, cell in zip(runs, shown, strict=True):
            cells.add(path.name.split(".")[0], topic, run, _score(cell, path, line))


def _score(shown: str, path: Path, line: int) -> float | None:
    return None if shown.lower() in NOTHING else number(shown, path, line, "score")


def _without(names: Iterable[str], kept: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in set(kept))


def _all(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(cells.topics[measure]), tuple(cells.runs[measure])


def _refuse_gaps(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    topics, runs = _all(measure, cells)
    table = cells.tables[measure]
    gaps = [(topic, run) for topic in topics for run in runs if (topic, run) not in table]
    if gaps:
        what = f"{measure}: run {gaps[0][1]!r} has no score on topic {gaps[0][0]!r} ({len(gaps)} such cells)"
        raise InputError(f"{what}; complete it, or choose {option('missing', 'drop-topics')}, drop-runs or zero")
    return topics, runs


def _whole_topics(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    topics, runs = _all(measure, cells)
    table = cells.tables[measure]
    return tuple(topic for topic in topics if all((topic, run) in table for run in runs)), runs


def _whole_runs(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    topics, runs = _all(measure, cells)
    table = cells.tables[measure]
    return topics, tuple(run for run in runs if all((topic, run) in table for topic in topics))


MISSING: Names[Callable[[str, Cells], tuple[tuple[str, ...], tuple[str, ...]]]] = Names(
    "missing rule",
    {"error": _refuse_gaps, "drop-topics": _whole_topics, "drop-runs": _whole_runs, "zero": _all},
)
