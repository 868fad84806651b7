"""Score files: tidy CSV and the community's matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import load_scores, read_scores
from kaiwa.formats.scores import write_scores
from kaiwa.nouns.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.nouns.matrix import Direction

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
    assert read_scores(tmp_path / "again.csv.gz") == scores


def test_a_matrix_round_trips(made: Made, tmp_path: Path) -> None:
    """The matrix form keeps topics and runs."""
    table = read_scores(made("AP.csv", "topic,A,B\n301,0.5,0.1\n"))["AP"]
    table.write(tmp_path / "AP.csv", table="matrix")
    assert read_scores(tmp_path / "AP.csv")["AP"] == table


def test_scores_without_a_measure_column_take_the_files_name(made: Made) -> None:
    """Columns may come in any order."""
    table = read_scores(made("accuracy.csv", "run,topic,score\nA,p1,1\nB,p1,0\n"))["accuracy"]
    assert table.matrix().means() == {"A": 1.0, "B": 0.0}


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


@pytest.mark.parametrize("form", ["csv", "matrix"])
@pytest.mark.parametrize(
    ("measure", "direction", "mark"),
    [
        ("ppl", "lower", True),
        ("seconds", "lower", True),
        ("ppl", "higher", True),
        ("AP", "higher", False),
    ],
)
def test_a_direction_is_written_and_read_back(
    tmp_path: Path, form: str, measure: str, direction: Direction, *, mark: bool
) -> None:
    """A comment line says what the name does not, or says wrongly; usual files are as other tools write them."""
    scores = Scores.from_matrix(measure, ("q1",), ("A", "B"), [[1.0, 2.0]], direction=direction)
    path = tmp_path / f"{measure}.csv"
    scores.write(path, format=form)
    assert read_scores(path)[measure] == scores
    assert path.read_text().startswith("#") == mark


def test_a_mark_without_a_name_is_for_every_measure(tmp_path: Path) -> None:
    """A user can add one line to any table; measures named by the table stay as they are written."""
    path = tmp_path / "s.csv"
    path.write_text("measure,topic,run,score\n# lower is better\na,1,R,1\nb,1,R,2\n")
    assert [one.direction for _, one in read_scores(path).items()] == ["lower", "lower"]
    path.write_text("# lower is better: b\nmeasure,topic,run,score\na,1,R,1\nb,1,R,2\n")
    assert [one.direction for _, one in read_scores(path).items()] == ["higher", "lower"]


def test_a_mark_for_an_absent_measure_is_refused_with_its_line(tmp_path: Path) -> None:
    """A misspelt mark is not ignored."""
    path = tmp_path / "s.csv"
    path.write_text("# lower is better: sconds\nmeasure,topic,run,score\nseconds,1,R,1\n")
    with pytest.raises(InputError, match=r"s\.csv:1: unknown measure 'sconds'; did you mean 'seconds'\?"):
        read_scores(path)


def test_files_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """One says lower, one says higher; the user decides."""
    for name, way in (("a", "lower"), ("b", "higher")):
        (tmp_path / f"{name}.csv").write_text(f"# {way} is better: m\nmeasure,topic,run,score\nm,1,{name},1\n")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with pytest.raises(InputError, match=r"b\.csv: m: higher is better, but another file says lower; choose with"):
        load_scores(paths)
    assert load_scores(paths, directions={"m": "lower"}).scores.direction == "lower"


def test_a_missing_score_never_counts_as_0_where_lower_is_better(tmp_path: Path) -> None:
    """0 would be the best score."""
    path = tmp_path / "ppl.csv"
    path.write_text("topic,A,B\nq1,10,12\nq2,,11\nq3,10,12\n")
    with pytest.raises(InputError, match=r"ppl: 0 for a missing score would be the best score.*drop-topics"):
        load_scores([path], missing="zero")
    assert load_scores([path], missing="drop-topics").scores.topics == ("q1", "q3")


def test_gaps_of_other_measures_do_not_matter(tmp_path: Path) -> None:
    """The chosen measure is complete."""
    path = tmp_path / "s.csv"
    path.write_text("measure,topic,run,score\na,1,R,1\na,1,S,2\nb,1,R,2\nb,1,S,\n")
    assert load_scores([path], measure="a").scores.measure == "a"
