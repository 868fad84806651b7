"""Scores that may have gaps: cells of (measure, topic, run), and the rules that make complete matrices of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.errors import InputError, Names, UnknownName, counted, option
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Matrix, Observations, known_direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from kaiwa.nouns.matrix import Direction


_MOST_REASONS = 2


class Part(NamedTuple):
    """One of several scores of a run on a topic: by an assessor, in a repeat, or both."""

    score: float
    assessor: str = ""
    repeat: str = ""


class Cell(NamedTuple):
    """One score (None: missing), the place it was read from, and the text of a missing one or why it is missing.

    ``parts`` are the scores that it is the mean of; empty if it is a single one.
    """

    score: float | None
    path: Path | None = None
    line: int = 0
    shown: str = ""
    reason: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def place(self) -> str:
        """The file and line."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Cells:
    """Cells by measure and (topic, run); a (topic, run) without a cell is a gap too.

    ``directions`` are those that the files state, ``contradictions`` where they disagree; ``remarks`` are what a reader
    must know; ``axes`` are the words for topics and runs.
    """

    tables: dict[str, dict[tuple[str, str], Cell]] = field(default_factory=dict)
    directions: dict[str, Direction] = field(default_factory=dict)
    contradictions: dict[str, InputError] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    axes: Axes = TOPICS_AND_RUNS

    def state(self, measure: str, direction: Direction, place: object) -> None:
        """Keep the direction that a file states; if another file contradicts it, the user must choose."""
        if self.directions.setdefault(measure, direction) != direction:
            what = f"{measure}: {direction} is better, but another file says {self.directions[measure]}"
            fix = f"choose with {option('lower_is_better', measure)} or {option('higher_is_better', measure)}"
            self.contradictions.setdefault(measure, InputError.at(place, what, fix))

    def directed(self, chosen: Mapping[str, Direction]) -> Cells:
        """The same cells, with the directions that the user chose."""
        left = {measure: fault for measure, fault in self.contradictions.items() if measure not in chosen}
        return replace(self, directions={**self.directions, **chosen}, contradictions=left)

    def only(self, measures: Iterable[str]) -> Cells:
        """The cells of these measures."""
        return replace(self, tables={measure: self.tables[measure] for measure in measures})

    def direction(self, measure: str) -> Direction:
        """The direction of a measure: chosen or stated, else by its name."""
        if measure in self.contradictions:
            raise self.contradictions[measure]
        return self.directions.get(measure) or known_direction(measure)

    def add(self, measure: str, topic: str, run: str, cell: Cell) -> None:
        """Keep the cell; a duplicate is an error, unless it fills a gap of another file."""
        table = self.tables.setdefault(measure, {})
        first = table.setdefault((topic, run), cell)
        if first is cell:
            return
        if first.path == cell.path or None not in {first.score, cell.score}:
            raise self._duplicate(measure, topic, run, cell)
        if first.score is None:
            table[topic, run] = cell

    def _duplicate(self, measure: str, topic: str, run: str, second: Cell) -> InputError:
        first = self.tables[measure][topic, run]
        what = f"duplicate score: {measure} of {self.axes.run} {run!r} on {self.axes.topic} {topic!r}"
        if second.path is None:
            return InputError(f"{what}; keep one")
        where = f"on line {first.line}" if first.path == second.path else f"in {first.place}"
        return InputError.at(second.path, f"{what} (first {where})", "keep one", line=second.line)

    def topics(self, measure: str) -> tuple[str, ...]:
        """The topics of a measure, in order of appearance."""
        return tuple(dict.fromkeys(topic for topic, _ in self.tables[measure]))

    def runs(self, measure: str) -> tuple[str, ...]:
        """The runs of a measure, in order of appearance."""
        return tuple(dict.fromkeys(run for _, run in self.tables[measure]))

    def observations(self, measure: str) -> Observations:
        """Every score of a measure, with its assessor and repeat; gaps are left out."""
        rows = [
            (topic, run, part.assessor, part.repeat, part.score)
            for (topic, run), cell in self.tables[measure].items()
            if cell.score is not None
            for part in cell.parts or (Part(cell.score),)
        ]
        return Observations.from_rows(measure, rows, direction=self.direction(measure), axes=self.axes)

    def missing(self, measure: str) -> int:
        """How many scores of a measure are missing."""
        table = self.tables[measure]
        given = sum(cell.score is not None for cell in table.values())
        return len(self.topics(measure)) * len(self.runs(measure)) - given

    def has(self, measure: str, topic: str, run: str) -> bool:
        """Whether there is a score."""
        cell = self.tables[measure].get((topic, run))
        return cell is not None and cell.score is not None


def mean_cell(parts: tuple[Part, ...], path: Path | None, line: int = 0, reason: str = "") -> Cell:
    """The cell of several scores: their mean; missing if there are none."""
    if not parts:
        return Cell(None, path, line, reason=reason)
    return Cell(sum(part.score for part in parts) / len(parts), path, line, parts=parts)


def joined(parts: Iterable[Cells]) -> Cells:
    """The cells of several files together."""
    cells = Cells()
    for part in parts:
        cells.remarks.extend(part.remarks)
        for measure, direction in part.directions.items():
            cells.state(measure, direction, _place(part, measure))
        cells.contradictions.update(part.contradictions)
        for measure, table in part.tables.items():
            for (topic, run), cell in table.items():
                cells.add(measure, topic, run, cell)
    return cells


def _place(cells: Cells, measure: str) -> object:
    """The file of a measure."""
    return next((cell.path for cell in cells.tables[measure].values()), None)


@dataclass(frozen=True)
class CompleteScores:
    """By measure the matrix without gaps, and what was left out to get them."""

    scores: dict[str, Matrix]
    topics_left_out: dict[str, tuple[str, ...]]
    runs_left_out: dict[str, tuple[str, ...]]
    filled: dict[str, int]


def complete_scores(cells: Cells, *, missing: str = "error") -> CompleteScores:
    """Matrices without gaps; by ``missing``, a gap is an error, filled with 0, or left out with its topic or run."""
    rule = MISSING[missing]
    kept = {measure: rule(measure, cells) for measure in cells.tables}
    tables = dict[str, Matrix]()
    filled = dict[str, int]()
    for measure, (topics, runs) in kept.items():
        if not topics or not runs:
            what = f"{measure}: no {cells.axes.topic} or {cells.axes.run} has all scores"
            raise InputError(
                f"{what}; try another {option('missing')} rule, or {option('test', 'crossed')} (kaiwa compare)"
            )
        table = cells.tables[measure]
        values = [[table.get((topic, run), Cell(None)).score for run in runs] for topic in topics]
        filled[measure] = sum(score is None for by_run in values for score in by_run)
        direction = cells.direction(measure)
        if filled[measure] and direction == "lower":
            what = f"{measure}: 0 for a missing score would be the best score, because lower is better"
            raise InputError(f"{what}; choose {option('missing', 'drop-topics')} or drop-runs")
        complete = np.array([[0.0 if score is None else score for score in by_run] for by_run in values])
        tables[measure] = Matrix(measure, topics, runs, complete, direction, cells.axes)
    return CompleteScores(
        tables,
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
    word_topic, word_run = cells.axes
    many = counted(len(gaps), "missing score")
    what = f"{measure}: {word_run} {run!r} has no score on {word_topic} {topic!r} ({many} in all)"
    fix = (
        f"score every {word_run} on every {word_topic}, or choose {option('missing', 'drop-topics')}"
        f"{' or drop-runs' if cells.direction(measure) == 'lower' else ', drop-runs or zero'} "
        f"(kaiwa compare, kaiwa.read_scores)"
    )
    cell = table.get(gaps[0])
    if cell is not None and cell.path is not None:
        shown = f"{cell.shown!r} is not a finite number" if cell.shown else "is missing"
        why = f" ({cell.reason})" if cell.reason else ""
        return InputError.at(cell.path, f"score {shown}{why}; {what}", fix, line=cell.line or None)
    paths = {cell.path for cell in table.values()}
    path = paths.pop() if len(paths) == 1 else None
    return InputError(f"{what}; {fix}") if path is None else InputError.at(path, what, fix)


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


def require_missing_rule(missing: str) -> None:
    """Refuse a word that is not a rule for missing scores."""
    if missing not in MISSING:
        raise UnknownName.among(MISSING.kind, missing, MISSING)


def log_remarks(cells: Cells) -> tuple[str, ...]:
    """Lines on logs that ended in error or have samples without a score."""
    return (*cells.remarks, *(line for measure in cells.tables for line in _unscored(cells, measure)))


def _unscored(cells: Cells, measure: str) -> list[str]:
    """A line for each log with samples that have no score: how many, and why."""
    table = cells.tables[measure].values()
    reasons: dict[Path | None, Counter[str]] = {}
    for cell in table:
        if cell.score is None and cell.reason:
            reasons.setdefault(cell.path, Counter())[cell.reason] += 1
    sizes = Counter(cell.path for cell in table)
    lines = []
    for path, counts in reasons.items():
        why = "; ".join(f"{count} x {reason}" for reason, count in counts.most_common(_MOST_REASONS))
        more = "; ..." if len(counts) > _MOST_REASONS else ""
        lines.append(
            f"{path}: {counts.total()} of {counted(sizes[path], cells.axes.topic)} without {measure}: {why}{more}"
        )
    return lines
