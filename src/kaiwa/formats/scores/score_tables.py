"""Score tables: tidy CSV ``measure,topic,run,score``, and topics x runs matrices, spaced or CSV.

A comment line ``# lower is better: MEASURE`` states the direction of a measure, ``# lower is better`` that of every
measure of the file. It is written where lower is better, and where the name of a measure would say so wrongly.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.formats.file_names import cell
from kaiwa.formats.scores.score_cells import MEAN_REMARK, MISSING_TEXTS, Cells, cells_of, cells_of_parts
from kaiwa.formats.text.blocks import numbered_lines, read_blocks
from kaiwa.formats.text.delimited import Row, csv_text, is_number, read_csv, read_spaced
from kaiwa.formats.text.head import Head, Match, are_numbers, partly
from kaiwa.model.direction import known_direction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.formats.file_names import Texts
    from kaiwa.model.direction import Direction
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores

TIDY = ["measure", "topic", "run", "score"]
PARTS = ["assessor", "repeat"]
"""Columns of scores of which a run has several on a topic."""
TOPIC_HEADERS = {"", "topic", "topics", "topic_id", "query", "query_id", "qid", "id"}
MAX_ROWS = 5_000_000
_MEASURED = {"topic", "run", "score"}
_MARK = re.compile(r"#\s*(lower|higher) is better(?::\s*(.*))?")


def is_tidy(head: Head) -> Match:
    """Whether the header has topic, run and score."""
    return Match.SURE if set(head.header) >= _MEASURED else Match.NO


def read_tidy(path: Path) -> Cells:
    """The scores of a tidy CSV file; without a measure column, the measure is named after the file.

    With a column ``assessor`` or ``repeat``, a run's score on a topic is the mean of several, which are kept.
    """
    rows = _rows(path)
    _, header = next(rows, (0, []))
    names = [cell.lower() for cell in header]
    if not set(names) >= _MEASURED:
        raise InputError.at(path, "does not start with topic, run and score", f"write CSV: {','.join(TIDY)}")
    if not {*PARTS} & {*names}:
        return _directed(path, cells_of(path, _tidy_rows(path, names, rows)))
    cells = cells_of_parts(path, _tidy_rows(path, names, rows, columns=[*TIDY, *PARTS]))
    several = [f"{name}s" for name in PARTS if name in names and _several(cells, name)]
    if several:
        cells.remarks.append(f"{path}: {MEAN_REMARK} {' and '.join(several)}")
    return _directed(path, cells)


def _several(cells: Cells, name: str) -> bool:
    """Whether some score is the mean of parts with different names in this column."""
    return any(
        len({getattr(part, name) for part in cell.parts}) > 1
        for table in cells.tables.values()
        for cell in table.values()
    )


def is_matrix(head: Head) -> Match:
    """Whether there are numbers below run names; possible if there are only numbers, or some cells are not numbers."""
    if not head.rows:
        return Match.NO
    bare = are_numbers(head.rows[0])
    body = head.rows if bare else [row[_topic_column(head.rows) :] for row in head.rows[1:]]
    fitting = [is_number(cell) or cell.lower() in MISSING_TEXTS for row in body for cell in row]
    is_sure = fitting and all(fitting) and not bare and not is_tidy(head)
    return Match.SURE if is_sure else partly(fitting)


def read_matrix(path: Path) -> Cells:
    """The scores of a topics x runs matrix; the measure is named after the file."""
    rows = list(_rows(path))
    if not rows:
        raise InputError.at(path, "contains no score", "write CSV: measure,topic,run,score")
    return _directed(path, cells_of(path, _matrix_rows(path, rows)))


def _directed(path: Path, cells: Cells) -> Cells:
    """The cells with the directions that comment lines of the file state."""
    for line, text in (numbered for block in read_blocks(path) for numbered in numbered_lines(block)):
        if text.startswith("#") and (mark := _MARK.fullmatch(text.strip())):
            direction: Direction = "lower" if mark[1] == "lower" else "higher"
            if mark[2] and mark[2] not in cells.tables:
                fault = UnknownName.among("measure", mark[2], cells.tables)
                raise InputError(f"{path}:{line}: {fault.marked}")
            for measure in [mark[2]] if mark[2] else cells.tables:
                cells.state(measure, direction, f"{path}:{line}")
    return cells


def write_scores(path: Path | str, scores: ScoreSet) -> None:
    """Write scores as tidy CSV, with every digit."""
    write_text(Path(path), scores_text(scores))


def scores_text(scores: ScoreSet) -> str:
    """The scores as tidy CSV."""
    rows: list[list[str | float]] = [
        [cell("measure", table.measure, first=True), cell("topic", topic), cell("run", run), score]
        for table in scores.values()
        for topic, by_run in zip(table.topics, table.values.tolist(), strict=True)
        for run, score in zip(table.runs, by_run, strict=True)
    ]
    return "".join(_mark(table, f": {table.measure}") for table in scores.values()) + csv_text(TIDY, rows)


def _mark(scores: Scores, measure: str) -> str:
    """The comment line that states the direction; empty if readers would assume it anyway."""
    if scores.direction == known_direction(scores.measure) == "higher":
        return ""
    return f"# {scores.direction} is better{measure}\n"


def write_matrix(path: Path | str, scores: Scores) -> None:
    """Write one measure as a topics x runs CSV matrix with run names on the first line and a topic column."""
    write_text(Path(path), matrix_text(scores))


def matrix_text(scores: Scores) -> str:
    """One measure as a topics x runs CSV matrix with run names on the first line and a topic column."""
    if {run.lower() for run in scores.runs} >= _MEASURED - {"topic"}:
        raise InputError("runs 'run' and 'score': the header would be that of tidy CSV; rename one of them")
    rows = [
        [cell("topic", topic, first=True), *by_run]
        for topic, by_run in zip(scores.topics, scores.values.tolist(), strict=True)
    ]
    return _mark(scores, "") + csv_text(["topic", *(cell("run", run) for run in scores.runs)], rows)


def tidy_texts(scores: ScoreSet) -> Texts:
    """The text of the CSV file."""
    return {"": scores_text(scores)}


def matrix_texts(scores: ScoreSet) -> Texts:
    """The text of the matrix."""
    if len(scores) > 1:
        what = f"a matrix has one measure, and there are {', '.join(scores)}"
        raise InputError(f"{what}; choose one with {option('measure')}")
    return {"": matrix_text(next(iter(scores.values())))}


def _tidy_rows(path: Path, header: list[str], rows: Iterator[Row], columns: Sequence[str] = TIDY) -> Iterator[Row]:
    """The rows in the order of these columns; of those that the header does not have, the measure is the file's."""
    places = [header.index(name) if name in header else None for name in columns]
    default = {"measure": path.stem}
    for line, row in rows:
        if len(row) != len(header):
            what = f"expected {len(header)} cells, found {len(row)}"
            raise InputError.at(path, what, "fill in every cell of the row", line=line)
        yield (
            line,
            [
                default.get(name, "") if place is None else row[place]
                for name, place in zip(columns, places, strict=True)
            ],
        )


def _rows(path: Path) -> Iterator[Row]:
    """The rows of a spaced or comma-separated file, according to its first line."""
    rows = read_csv(path) if "," in "".join(Head(path).lines[:1]) else read_spaced(path)
    for count, row in enumerate(rows, start=1):
        if count > MAX_ROWS:
            raise InputError.at(path, f"more than {MAX_ROWS:,} rows", "split it by measure or by topic", line=row[0])
        yield row


def _matrix_rows(path: Path, rows: list[Row]) -> Iterator[Row]:
    """A row ``measure, topic, run, score`` for each cell."""
    runs, body, topics = _parts(path, rows)
    measure = path.name.split(".")[0]
    for place, (line, row) in enumerate(body, start=1):
        shown = row[topics:]
        if len(shown) != len(runs):
            what = f"expected {counted(len(runs), 'score')}, found {len(shown)}"
            raise InputError.at(path, what, "give every topic a score of every run", line=line)
        for run, score in zip(runs, shown, strict=True):
            yield line, [measure, row[0] if topics else str(place), run, score]


def _parts(path: Path, rows: list[Row]) -> tuple[list[str], list[Row], int]:
    """The run names, the rows below them, and the number of cells (0 or 1) of each row that name its topic."""
    first = rows[0][1]
    if are_numbers(first):
        return [f"run{place}" for place in range(1, len(first) + 1)], rows, 0
    if len(rows) == 1:
        raise InputError.at(path, "has run names but no scores", "add a row of scores per topic")
    topics = _topic_column([row for _, row in rows[:2]])
    runs = first if len(rows[1][1]) == len(first) + 1 else first[topics:]
    if len(set(runs)) != len(runs):
        duplicate = next(name for place, name in enumerate(runs) if name in runs[:place])
        raise InputError.at(path, f"duplicate run {duplicate!r} in the header", "keep one", line=rows[0][0])
    return runs, rows[1:], topics


def _topic_column(rows: list[list[str]]) -> int:
    """The number of cells (0 or 1) of a row below the header that name its topic."""
    header, below = rows[0], rows[1] if len(rows) > 1 else []
    longer = len(below) == len(header) + 1
    return int(longer or (header[0].lower() in TOPIC_HEADERS and len(header) > 1))
