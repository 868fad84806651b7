"""Scores that may have gaps: cells of (measure, topic, run), and the rules that make complete matrices of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.errors import InputError, counted, option
from kaiwa.formats.text.delimited import Row, number
from kaiwa.model.score_set import ScoreSet
from kaiwa.model.scores import Scores
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

MISSING_TEXTS = {"", "na", "n/a", "nan", "null", "none", "-"}
_FIX = (
    f"score every run on every topic, or choose {option('missing', 'drop-topics')}, drop-runs or zero "
    "(kaiwa compare, kaiwa.read_scores)"
)


class Cell(NamedTuple):
    """One score (None: missing), the place it was read from, and the text of a missing one."""

    score: float | None
    path: Path | None = None
    line: int = 0
    shown: str = ""

    @property
    def place(self) -> str:
        """The file and line."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Cells:
    """Cells by measure and (topic, run); a (topic, run) without a cell is a gap too."""

    tables: dict[str, dict[tuple[str, str], Cell]] = field(default_factory=dict)

    def add(self, measure: str, topic: str, run: str, cell: Cell) -> None:
        """Keep the cell; a duplicate is an error, unless it fills a gap of another file."""
        table = self.tables.setdefault(measure, {})
        first = table.setdefault((topic, run), cell)
        if first is cell:
            return
        if first.path == cell.path or None not in {first.score, cell.score}:
            raise _duplicate(measure, topic, run, first, cell)
        if first.score is None:
            table[topic, run] = cell

    def topics(self, measure: str) -> tuple[str, ...]:
        """The topics of a measure, in order of appearance."""
        return tuple(dict.fromkeys(topic for topic, _ in self.tables[measure]))

    def runs(self, measure: str) -> tuple[str, ...]:
        """The runs of a measure, in order of appearance."""
        return tuple(dict.fromkeys(run for _, run in self.tables[measure]))

    def has(self, measure: str, topic: str, run: str) -> bool:
        """Whether there is a score."""
        cell = self.tables[measure].get((topic, run))
        return cell is not None and cell.score is not None


def _duplicate(measure: str, topic: str, run: str, first: Cell, second: Cell) -> InputError:
    what = f"duplicate score: {measure} of run {run!r} on topic {topic!r}"
    if second.path is None:
        return InputError(f"{what}; keep one")
    where = f"on line {first.line}" if first.path == second.path else f"in {first.place}"
    return InputError.at(second.path, f"{what} (first {where})", "keep one", line=second.line)


def cells_of(path: Path, rows: Iterable[Row]) -> Cells:
    """The cells of rows ``measure, topic, run, score``; an empty score, n/a or NaN is a gap."""
    cells = Cells()
    for line, (measure, topic, run, shown) in rows:
        score = None if shown.lower() in MISSING_TEXTS else number(shown, path, line, "score")
        cells.add(measure, topic, run, Cell(score, path, line, "" if score is not None else shown))
    if not cells.tables:
        raise InputError.at(path, "contains no score", "add rows measure,topic,run,score")
    return cells


def joined(parts: Iterable[Cells]) -> Cells:
    """The cells of several files together."""
    cells = Cells()
    for part in parts:
        for measure, table in part.tables.items():
            for (topic, run), cell in table.items():
                cells.add(measure, topic, run, cell)
    return cells


@dataclass(frozen=True)
class CompleteScores:
    """Matrices without gaps, and per measure what was left out to get them."""

    scores: ScoreSet
    topics_left_out: dict[str, tuple[str, ...]]
    runs_left_out: dict[str, tuple[str, ...]]
    filled: dict[str, int]


def complete_scores(cells: Cells, *, missing: str = "error") -> CompleteScores:
    """Matrices without gaps; by ``missing``, a gap is an error, filled with 0, or left out with its topic or run."""
    rule = MISSING[missing]
    kept = {measure: rule(measure, cells) for measure in cells.tables}
    tables, filled = [], {}
    for measure, (topics, runs) in kept.items():
        if not topics or not runs:
            what = f"{measure}: no topic or run has all scores"
            raise InputError(f"{what}; try another {option('missing')} rule")
        table = cells.tables[measure]
        values = [[table.get((topic, run), Cell(None)).score for run in runs] for topic in topics]
        filled[measure] = sum(score is None for by_run in values for score in by_run)
        complete = np.array([[0.0 if score is None else score for score in by_run] for by_run in values])
        tables.append(Scores(measure, topics, runs, complete))
    return CompleteScores(
        ScoreSet(tables),
        {measure: _without(cells.topics(measure), topics) for measure, (topics, _) in kept.items()},
        {measure: _without(cells.runs(measure), runs) for measure, (_, runs) in kept.items()},
        filled,
    )


def _without(names: Iterable[str], kept: tuple[str, ...]) -> tuple[str, ...]:
    known = set(kept)
    return tuple(name for name in names if name not in known)


def _all(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return cells.topics(measure), cells.runs(measure)


def _refuse_gaps(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    topics, runs = _all(measure, cells)
    gaps = [(topic, run) for topic in topics for run in runs if not cells.has(measure, topic, run)]
    if gaps:
        raise _gap(measure, cells, gaps)
    return topics, runs


def _gap(measure: str, cells: Cells, gaps: list[tuple[str, str]]) -> InputError:
    """The error for the first gap: at its line if the file has an empty cell, else for its file."""
    table, (topic, run) = cells.tables[measure], gaps[0]
    what = f"{measure}: run {run!r} has no score on topic {topic!r} ({counted(len(gaps), 'missing score')} in all)"
    cell = table.get(gaps[0])
    if cell is not None and cell.path is not None:
        shown = f"{cell.shown!r} is not a finite number" if cell.shown else "is missing"
        return InputError.at(cell.path, f"score {shown}; {what}", _FIX, line=cell.line or None)
    paths = {cell.path for cell in table.values()}
    path = paths.pop() if len(paths) == 1 else None
    return InputError(f"{what}; {_FIX}") if path is None else InputError.at(path, what, _FIX)


def _complete_topics(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    topics, runs = _all(measure, cells)
    return tuple(topic for topic in topics if all(cells.has(measure, topic, run) for run in runs)), runs


def _complete_runs(measure: str, cells: Cells) -> tuple[tuple[str, ...], tuple[str, ...]]:
    topics, runs = _all(measure, cells)
    return topics, tuple(run for run in runs if all(cells.has(measure, topic, run) for topic in topics))


MISSING: Names[Callable[[str, Cells], tuple[tuple[str, ...], tuple[str, ...]]]] = Names(
    "missing rule",
    {"error": _refuse_gaps, "drop-topics": _complete_topics, "drop-runs": _complete_runs, "zero": _all},
)
