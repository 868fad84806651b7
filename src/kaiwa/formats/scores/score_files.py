"""Score files: tidy CSV ``measure,topic,run,score``, topics x runs matrices, and what other evaluators print."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError
from kaiwa.formats.scores.score_lists import file_name, lines, run_names, topic_names
from kaiwa.formats.scores.score_rows import TIDY, score_rows
from kaiwa.formats.text.delimited import Row, csv_text, is_number, number
from kaiwa.model.scores import Scores, ScoreSet

TOPIC_HEADINGS = {"", "topic", "topics", "topic_id", "query", "query_id", "qid", "id"}


def read_scores(path: Path | str) -> ScoreSet:
    """The scores in a file, by measure; a matrix without a measure is named after its file."""
    path = Path(path)
    rows = score_rows(path)
    if not rows:
        raise InputError.at(path, "holds no score", "write CSV: measure,topic,run,score")
    heading = [cell.lower() for cell in rows[0][1]]
    if set(TIDY) <= set(heading):
        return _tidy(path, heading, rows[1:])
    if {"topic", "run", "score"} <= set(heading):
        return _tidy(path, [*heading, "measure"], [(line, [*cells, path.stem]) for line, cells in rows[1:]])
    return ScoreSet([_matrix(path, rows)])


def write_scores(path: Path | str, scores: ScoreSet) -> None:
    """Write scores as tidy CSV, every digit kept."""
    write_text(Path(path), scores_text(scores))


def scores_text(scores: ScoreSet) -> str:
    """The scores as tidy CSV."""
    rows = chain.from_iterable(_tidy_rows(table) for table in scores.values())
    return csv_text(TIDY, list(rows))


def write_matrix(path: Path | str, scores: Scores) -> None:
    """Write one measure as a topics x runs CSV matrix with run names on line one and a topic column."""
    write_text(Path(path), matrix_text(scores))


def matrix_text(scores: Scores) -> str:
    """One measure as a topics x runs CSV matrix with run names on line one and a topic column."""
    rows = [[topic, *by_run] for topic, by_run in zip(scores.topics, scores.values.tolist(), strict=True)]
    return csv_text(["topic", *scores.runs], rows)


def discpower_texts(scores: ScoreSet) -> dict[str, str]:
    """The text of each file that Discpower takes: a matrix of bare numbers a measure; the names stand beside it."""
    texts = {
        f"{file_name(table.measure)}.tsmatrix": lines(" ".join(map(repr, by_run)) for by_run in table.values.tolist())
        for table in scores.values()
    }
    return texts | {"runlist": lines(run_names(scores)), "topics.tid": lines(topic_names(scores))}


def _tidy_rows(table: Scores) -> list[list[str | float]]:
    return [
        [table.measure, topic, run, score]
        for topic, by_run in zip(table.topics, table.values.tolist(), strict=True)
        for run, score in zip(table.runs, by_run, strict=True)
    ]


def _tidy(path: Path, heading: list[str], rows: list[Row]) -> ScoreSet:
    places = [heading.index(name) for name in TIDY]
    cells: dict[str, dict[tuple[str, str], tuple[float, int]]] = {}
    for line, row in rows:
        if len(row) != len(heading):
            what = f"{len(row)} cells where the heading has {len(heading)}"
            raise InputError.at(path, what, "give every row every cell", line=line)
        measure, topic, run, score = (row[place] for place in places)
        table = cells.setdefault(measure, {})
        if (topic, run) in table:
            what = f"{measure} of run {run!r} on topic {topic!r} already stands at line {table[topic, run][1]}"
            raise InputError.at(path, what, "keep one", line=line)
        table[topic, run] = (number(score, path, line, "score"), line)
    if not cells:
        raise InputError.at(path, "holds a heading and no score", "add rows measure,topic,run,score")
    return ScoreSet([_filled(path, measure, table) for measure, table in cells.items()])


def _filled(path: Path, measure: str, table: dict[tuple[str, str], tuple[float, int]]) -> Scores:
    topics = tuple(dict.fromkeys(topic for topic, _ in table))
    runs = tuple(dict.fromkeys(run for _, run in table))
    if len(table) != len(topics) * len(runs):
        topic, run = next((topic, run) for topic in topics for run in runs if (topic, run) not in table)
        absent = len(topics) * len(runs) - len(table)
        what = f"{measure}: run {run!r} has no score on topic {topic!r} ({absent} such cells)"
        raise InputError.at(path, what, "score every run on every topic, or leave out that topic or run")
    values = np.array([[table[topic, run][0] for run in runs] for topic in topics])
    return Scores(measure, topics, runs, values)


def _matrix(path: Path, rows: list[Row]) -> Scores:
    runs, body, has_topics = matrix_frame(path, rows)
    skip = 1 if has_topics else 0
    for line, row in body:
        if len(row) != len(runs) + skip:
            what = f"{len(row) - skip} scores where there are {len(runs)} runs"
            raise InputError.at(path, what, "give every topic one score per run", line=line)
    values = [[number(cell, path, line, "score") for cell in row[skip:]] for line, row in body]
    topics = [row[0] if has_topics else str(place) for place, (_, row) in enumerate(body, start=1)]
    try:
        return Scores(path.name.split(".")[0], tuple(topics), tuple(runs), np.array(values))
    except InputError as fault:
        raise InputError(f"{path}: {fault}") from None


def matrix_frame(path: Path, rows: list[Row]) -> tuple[list[str], list[Row], bool]:
    """The run names, the rows under them, and whether each row starts with its topic."""
    first = rows[0][1]
    if all(is_number(cell) for cell in first):
        return [f"run{place}" for place in range(1, len(first) + 1)], rows, False
    if len(rows) == 1:
        raise InputError.at(path, "holds run names and no score", "add a row of scores per topic")
    if len(rows[1][1]) == len(first) + 1:
        return first, rows[1:], True
    if first[0].lower() in TOPIC_HEADINGS and len(first) > 1:
        return first[1:], rows[1:], True
    return first, rows[1:], False
