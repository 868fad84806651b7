"""Score files: tidy CSV and the community's matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.score_loading import read_scores
from kaiwa.formats.scores.score_tables import write_matrix, write_scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    ("text", "topics", "runs"),
    [
        ("0.5 0.25\n1 0\n", ("1", "2"), ("run1", "run2")),
        ("0.5,0.25\n1,0\n", ("1", "2"), ("run1", "run2")),
        ("A,B\n0.5,0.25\n1,0\n", ("1", "2"), ("A", "B")),
        ('"sys1","sys2"\n0.5,0.25\n1,0\n', ("1", "2"), ("sys1", "sys2")),
        ("topic,A,B\n301,0.5,0.25\n302,1,0\n", ("301", "302"), ("A", "B")),
        ('"","A","B"\n"q1",0.5,0.25\n"q2",1,0\n', ("q1", "q2"), ("A", "B")),
        ("A B\nq1 0.5 0.25\nq2 1 0\n", ("q1", "q2"), ("A", "B")),
    ],
)
def test_every_matrix_form_is_read(made: Made, text: str, topics: tuple[str, ...], runs: tuple[str, ...]) -> None:
    """With or without run names and topic column; the measure is the file's name."""
    table = read_scores(made("P10.csv", text))["P10"]
    assert (table.topics, table.runs, table.values.tolist()) == (topics, runs, [[0.5, 0.25], [1.0, 0.0]])


def test_tidy_scores_round_trip_to_the_last_digit(made: Made, tmp_path: Path) -> None:
    """Names are free text; numbers are written in full."""
    path = made("s.csv", 'measure,topic,run,score\nnG@1,"q,1","会話 ""A""",0.1\nnG@1,"q,1",B,0.30000000000000004\n')
    scores = read_scores(path)
    write_scores(tmp_path / "again.csv.gz", scores)
    assert list(read_scores(tmp_path / "again.csv.gz").values()) == list(scores.values())


def test_a_matrix_round_trips(made: Made, tmp_path: Path) -> None:
    """The matrix form keeps topics and runs."""
    table = read_scores(made("AP.csv", "topic,A,B\n301,0.5,0.1\n"))["AP"]
    write_matrix(tmp_path / "AP.csv", table)
    assert read_scores(tmp_path / "AP.csv")["AP"] == table


def test_scores_without_a_measure_column_take_the_files_name(made: Made) -> None:
    """Columns may come in any order."""
    table = read_scores(made("accuracy.csv", "run,topic,score\nA,p1,1\nB,p1,0\n"))["accuracy"]
    assert table.means() == {"A": 1.0, "B": 0.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "measure,topic,run,score\nm,q1,A,1\nm,q2,B,1\n",
            r"run 'B' has no score on topic 'q1' \(2 missing scores",
        ),
        (
            "measure,topic,run,score\nm,q1,A,1\nm,q1,A,2\n",
            r":3: duplicate score: m of run 'A' .* \(first on line 2\)",
        ),
        ("measure,topic,run,score\nm,q1,A,NaN\n", r":2: score 'NaN' is not a finite number"),
        ("measure,topic,run,score\nm,q1,A,\n", r":2: score is missing"),
        ("measure,topic,run,score\nm,q1,A\n", r":2: expected 4 cells, found 3"),
        ("measure,topic,run,score\n", "contains no score"),
        ("A,B\n1,2\n1\n", r":3: expected 2 scores, found 1"),
        ("A,A\n1,2\n", r"duplicate run 'A' in the header"),
        ("A,B\n1,x\n", r":2: score 'x' is not a finite number"),
        ("A,B\n", "has run names but no scores"),
        ('A,B\n"1,2\n', r"is not CSV"),
    ],
)
def test_bad_scores_are_refused_with_their_line(made: Made, text: str, message: str) -> None:
    """Missing, duplicate and unreadable cells are named."""
    with pytest.raises(InputError, match=message):
        read_scores(made("s.csv", text))
