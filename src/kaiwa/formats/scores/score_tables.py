"""Score tables: tidy CSV ``measure,topic,run,score``, and topics x runs matrices, spaced or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError, option
from kaiwa.formats.scores.score_cells import NOTHING, Cells, cells_of
from kaiwa.formats.text.delimited import Row, csv_text, is_number, read_csv, read_spaced
from kaiwa.formats.text.head import Head, Match, are_numbers, partly

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.formats.format import Texts
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores

TIDY = ["measure", "topic", "run", "score"]
TOPIC_HEADINGS = {"", "topic", "topics", "topic_id", "query", "query_id", "qid", "id"}
_MEASURED = {"topic", "run", "score"}


def is_tidy(head: Head) -> Match:
    """Whether the heading names topic, run and score."""
    return Match.SURE if set(head.heading) >= _MEASURED else Match.NO


def read_tidy(path: Path) -> Cells:
    """The scores of a tidy CSV file; without a measure column, the measure is named after the file."""
    heading, *rows = list(_rows(path)) or [(0, [])]
    names = [cell.lower() for cell in heading[1]]
    if not set(names) >= _MEASURED:
        raise InputError.at(path, "does not start with topic, run and score", f"write CSV: {','.join(TIDY)}")
    return cells_of(path, _tidy_rows(path, names, rows))


def is_matrix(head: Head) -> Match:
    """Whether numbers stand under run names; bare numbers may be a matrix, and so may cells that are not numbers."""
    if not head.rows:
        return Match.NO
    bare = are_numbers(head.rows[0])
    body = head.rows if bare else [row[_topic_column(head.rows) :] for row in head.rows[1:]]
    fitting = [is_number(cell) or cell.lower() in NOTHING for row in body for cell in row]
    return Match.SURE if fitting and all(fitting) and not bare else partly(fitting)


def read_matrix(path: Path) -> Cells:
    """The scores of a topics x runs matrix; the measure is named after the file."""
    rows = list(_rows(path))
    if not rows:
        raise InputError.at(path, "holds no score", "write CSV: measure,topic,run,score")
    return cells_of(path, _matrix_rows(path, rows))


def write_scores(path: Path | str, scores: ScoreSet) -> None:
    """Write scores as tidy CSV, every digit kept."""
    write_text(Path(path), scores_text(scores))


def scores_text(scores: ScoreSet) -> str:
    """The scores as tidy CSV."""
    rows: list[list[str | float]] = [
        [table.measure, topic, run, score]
        for table in scores.values()
        for topic, by_run in zip(table.topics, table.values.tolist(), strict=True)
        for run, score in zip(table.runs, by_run, strict=True)
    ]
    return csv_text(TIDY, rows)


def write_matrix(path: Path | str, scores: Scores) -> None:
    """Write one measure as a topics x runs CSV matrix with run names on line one and a topic column."""
    write_text(Path(path), matrix_text(scores))


def matrix_text(scores: Scores) -> str:
    """One measure as a topics x runs CSV matrix with run names on line one and a topic column."""
    rows = [[topic, *by_run] for topic, by_run in zip(scores.topics, scores.values.tolist(), strict=True)]
    return csv_text(["topic", *scores.runs], rows)


def tidy_texts(scores: ScoreSet) -> Texts:
    """The text of the one tidy file."""
    return {"": scores_text(scores)}


def matrix_texts(scores: ScoreSet) -> Texts:
    """The text of the one matrix."""
    if len(scores) > 1:
        what = f"a matrix holds one measure, and there are {', '.join(scores)}"
        raise InputError(f"{what}; choose one with {option('measure')}")
    return {"": matrix_text(next(iter(scores.values())))}


def _tidy_rows(path: Path, heading: list[str], rows: list[Row]) -> Iterator[Row]:
    """The rows in the order of TIDY."""
    places = [heading.index(name) if name in heading else None for name in TIDY]
    for line, row in rows:
        if len(row) != len(heading):
            what = f"{len(row)} cells where the heading has {len(heading)}"
            raise InputError.at(path, what, "give every row every cell", line=line)
        yield line, [path.stem if place is None else row[place] for place in places]


def _rows(path: Path) -> Iterator[Row]:
    """The rows of a spaced or comma-separated file; the first one tells which it is."""
    return read_csv(path) if "," in "".join(Head(path).lines[:1]) else read_spaced(path)


def _matrix_rows(path: Path, rows: list[Row]) -> Iterator[Row]:
    """A row ``measure, topic, run, score`` for each cell."""
    runs, body, topics = _frame(path, rows)
    measure = path.name.split(".")[0]
    for place, (line, row) in enumerate(body, start=1):
        shown = row[topics:]
        if len(shown) != len(runs):
            what = f"{len(shown)} scores where there are {len(runs)} runs"
            raise InputError.at(path, what, "give every topic one score per run", line=line)
        for run, cell in zip(runs, shown, strict=True):
            yield line, [measure, row[0] if topics else str(place), run, cell]


def _frame(path: Path, rows: list[Row]) -> tuple[list[str], list[Row], int]:
    """The run names, the rows under them, and how many cells (0 or 1) of each row name its topic."""
    first = rows[0][1]
    if are_numbers(first):
        return [f"run{place}" for place in range(1, len(first) + 1)], rows, 0
    if len(rows) == 1:
        raise InputError.at(path, "holds run names and no score", "add a row of scores per topic")
    topics = _topic_column([row for _, row in rows[:2]])
    runs = first if len(rows[1][1]) == len(first) + 1 else first[topics:]
    if len(set(runs)) != len(runs):
        twice = next(name for place, name in enumerate(runs) if name in runs[:place])
        raise InputError.at(path, f"duplicate run {twice!r} in the heading", "give each run once", line=rows[0][0])
    return runs, rows[1:], topics


def _topic_column(rows: list[list[str]]) -> int:
    """How many cells (0 or 1) of a row under the heading name its topic."""
    heading, below = rows[0], rows[1] if len(rows) > 1 else []
    longer = len(below) == len(heading) + 1
    return int(longer or (heading[0].lower() in TOPIC_HEADINGS and len(heading) > 1))
