"""Data frames in and out, by Arrow's protocol alone: pandas, polars and pyarrow are the test's, not Kaiwa's."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kaiwa
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

TO_FRAME: list[Callable[[Any], Any]] = [pl.DataFrame, pd.DataFrame.from_arrow, pa.table]  # Any: each library's own


def _votes() -> kaiwa.Votes:
    return kaiwa.Votes(
        topics=np.array([b"q", b"q"]),
        comments=np.array([b"a", b"b"]),
        assessors=("x", "y"),
        item=np.array([0, 0, 1, 1]),
        assessor=np.array([0, 1, 0, 1]),
        level=np.array([2, -1, 0, 1]),
        top=2,
    )


def _scores() -> kaiwa.Scores:
    return kaiwa.Scores.from_matrix("nG@1", ("q1", "q2"), ("A", "B", "C"), np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("to_frame", TO_FRAME)
def test_scores_go_to_a_frame_and_come_back(to_frame: Callable[[Any], Any]) -> None:
    """One measure or several, as tidy rows."""
    both = kaiwa.Scores([_scores(), kaiwa.Scores.from_matrix("P+", ("q1",), ("A",), np.ones((1, 1)))])
    frame = to_frame(both)
    assert list(pa.table(frame).column_names) == ["measure", "topic", "run", "score"]
    assert kaiwa.read_scores(frame) == both
    assert kaiwa.read_scores(to_frame(_scores()))["nG@1"] == _scores()


@pytest.mark.parametrize("to_frame", TO_FRAME)
def test_runs_gains_and_votes_go_to_a_frame_and_come_back(to_frame: Callable[[Any], Any]) -> None:
    """A run keeps its ranking whatever its scores; votes keep what was not given."""
    run = kaiwa.Run.from_lists("R", {"q2": [("c", 1.0), ("a", 2.0)], "q1": [("b", 0.5)]})
    assert kaiwa.read_run(to_frame(run)) == run
    gains = kaiwa.Qrels.from_lists({"q1": {"a": 2, "b": 0.5}})
    assert kaiwa.read_qrels(to_frame(gains)) == gains
    assert np.array_equal(kaiwa.read_votes(to_frame(_votes())).by_assessor(), _votes().by_assessor())


def test_a_comparison_is_its_leaderboard_to_a_frame() -> None:
    """Best first."""
    values = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.1]])
    frame = pl.DataFrame(kaiwa.Scores.from_matrix("AP", ("1", "2", "3"), ("A", "B"), values).compare(trials=99))
    assert frame["run"].to_list() == ["A", "B"]
    assert frame.columns == ["rank", "run", "mean", "low", "high", "groups", "rank_low", "rank_high"]


def test_the_names_of_ir_measures_and_pyterrier_are_known() -> None:
    """Ids may be whole numbers; of equal scores the greater id comes first; other columns are ignored."""
    run = pd.DataFrame({"qid": [1, 1, 1], "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0], "query": ["x"] * 3})
    assert kaiwa.read_run(run).ranking("1") == [("c", 2.0), ("b", 1.0), ("a", 1.0)]
    qrels = pl.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [2]})
    assert kaiwa.read_qrels(qrels).of("1") == {"a": 2.0}


def test_a_frame_of_several_runs_is_read_by_read_runs() -> None:
    """In order of appearance; read_run refuses them."""
    frame = pl.DataFrame({"run": ["B", "A"], "topic": ["1", "1"], "comment": ["a", "a"], "score": [1, 2]})
    assert [run.name for run in kaiwa.read_runs(frame)] == ["B", "A"]
    with pytest.raises(InputError, match="holds 2 runs; read them with read_runs"):
        kaiwa.read_run(frame)


def test_a_wide_frame_of_runs_is_read() -> None:
    """Topics x runs, the topics in a column or in the index of pandas; other columns of text are ignored."""
    wide = {"topic": ["q1", "q2"], "query": ["x", "y"], "A": [0.5, 1.0], "B": [0.25, 0.5]}
    expected = kaiwa.Scores.from_matrix("AP", ("q1", "q2"), ("A", "B"), np.array([[0.5, 0.25], [1.0, 0.5]]))
    assert kaiwa.read_scores(pl.DataFrame(wide), measure="AP")["AP"] == expected
    indexed = pd.DataFrame({"A": [0.5, 1.0], "B": [0.25, 0.5]}, index=["q1", "q2"])
    assert kaiwa.read_scores(indexed, measure="AP")["AP"] == expected
    assert kaiwa.read_scores(pd.DataFrame(expected.matrix().columns()), measure="AP") == expected


def test_a_wide_frame_of_measures_is_read() -> None:
    """A column for each measure; an empty cell is a gap."""
    wide = pd.DataFrame({"topic": ["q1", "q2"], "run": ["A", "A"], "nG@1": [0.5, 1.0], "P+": [0.25, None]})
    assert kaiwa.read_scores(wide, missing="drop-topics").means() == {"A": {"nG@1": 0.75, "P+": 0.25}}
    with pytest.raises(InputError, match=r"P\+: run 'A' has no score on topic 'q2'"):
        kaiwa.read_scores(wide).means()


MADE_BY: list[Callable[[dict[str, Any]], Any]] = [pd.DataFrame, pl.DataFrame, pa.table]  # Any: each library's own


@pytest.mark.parametrize("to_frame", MADE_BY)
@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"qid": ["1", "1", "2", "2"], "name": list("ABAB"), "value": [0.5, 0.25, 1.0, 0.5]}, {}),
        ({"sample_id": [1, 1, 2, 2], "model": list("ABAB"), "score": [0.5, 0.25, 1.0, 0.5]}, {}),
        (
            {"item": [1, 1, 2, 2], "who": list("ABAB"), "pts": [0.5, 0.25, 1.0, 0.5], "score": list("wxyz")},
            {"topic": "item", "run": "who", "score": "pts"},
        ),
        ({"id": [1, 2], "A": [0.5, 1.0], "B": [0.25, 0.5]}, {}),
        ({"prompt": [1, 2], "A": [0.5, 1.0], "B": [0.25, 0.5]}, {"topic": "prompt"}),
    ],
)
def test_frames_long_and_wide_with_the_usual_names_or_named_columns(
    to_frame: Callable[[dict[str, Any]], Any], columns: dict[str, list[Any]], named: dict[str, str]
) -> None:
    """Of pandas, polars and Arrow."""
    scores = kaiwa.Scores.from_pandas(to_frame(columns), **named)
    assert scores == kaiwa.Scores.from_matrix("score", ["1", "2"], "AB", [[0.5, 0.25], [1.0, 0.5]])


def test_the_measure_of_a_frame_is_a_column_or_a_name() -> None:
    """A column of this name if there is one."""
    rows = {"topic": ["1", "1"], "run": ["A", "A"], "what": ["AP", "RR"], "score": [0.5, 1.0]}
    assert kaiwa.Scores.from_pandas(pl.DataFrame(rows), measure="what").measures == ("AP", "RR")
    frame = pl.DataFrame({"topic": ["1"], "run": ["A"], "score": [0.5]})
    assert kaiwa.Scores.from_pandas(frame, measure="score").measures == ("score",)
    assert kaiwa.Scores.from_pandas(frame, measure="AP").measures == ("AP",)
    with pytest.raises(InputError, match="has no column 'who'; name another as run=: 'topic', 'run', 'score'"):
        kaiwa.Scores.from_pandas(frame, run="who")


def _nouns() -> dict[str, Any]:  # Any: each noun is of its own type
    return {
        "several measures": kaiwa.Scores([_scores(), kaiwa.Scores.from_dict({"A": {"q1": 1.0}}, measure="P+")]),
        "gaps": kaiwa.Scores.from_dict({"A": {"q1": 1.0, "q2": 0.5}, "B": {"q1": 0.5}}),
        "assessors": kaiwa.Scores.from_rows([("q1", "A", "ann", "", 1.0), ("q1", "A", "bob", "", 0.5)]),
        "Scores": _scores(),
        "Run": kaiwa.Run.from_dict({"q1": {"a": 1.0}}),
        "Votes": _votes(),
        "Qrels": kaiwa.Qrels.from_lists({"q1": {"a": 2}}),
    }


@pytest.mark.parametrize("name", _nouns())
def test_a_noun_becomes_a_frame_or_says_how(name: str) -> None:
    """``pandas.DataFrame(x)`` cannot know the rows and is refused; the other ways give the same rows."""
    noun = _nouns()[name]
    with pytest.raises(TypeError, match=r"use \.to_pandas\(\), \.to_polars\(\) or \.columns\(\)"):
        pd.DataFrame(noun)
    frame = noun.to_pandas()
    assert frame.columns.tolist() == noun.to_polars().columns == list(noun.columns())
    assert pl.DataFrame(noun).equals(noun.to_polars())
    assert pd.DataFrame.from_arrow(noun).astype(object).equals(frame.astype(object)) or frame.isna().any(axis=None)


@pytest.mark.parametrize(
    ("read", "columns", "message"),
    [
        (kaiwa.read_scores, {"topic": ["1"], "run": ["A"]}, r"has no column 'score' or 'value'; rename one of 'topic'"),
        (kaiwa.read_scores, {"topic": ["1"], "run": ["A"], "score": [None]}, r"row 1: score is missing and is not a"),
        (kaiwa.read_scores, {"topic": ["1"], "run": ["A"], "score": ["x"]}, r"row 1: score 'x' is not a finite number"),
        (
            kaiwa.read_scores,
            {"topic": ["1", "1"], "run": ["A", "A"], "score": [1, 2]},
            r"duplicate score",
        ),
        (
            partial(kaiwa.read_scores, missing="error"),
            {"topic": ["1", "2"], "run": ["A", "B"], "score": [1, 2]},
            r"run 'B' has no score on topic",
        ),
        (kaiwa.read_scores, {"topic": [], "run": [], "score": []}, r"the data frame: has no rows"),
        (kaiwa.read_scores, {"topic": [1.5], "run": ["A"], "score": [1]}, r"row 1: topic 1\.5 is not a name"),
        (
            kaiwa.read_run,
            {"topic": ["1"] * 2, "comment": ["a"] * 2, "score": [1, 2]},
            r"duplicate comment 'a' \(rows 1 and 2\)",
        ),
        (kaiwa.read_qrels, {"topic": ["1"] * 2, "comment": ["a"] * 2, "gain": [1, 2]}, r"row 2: duplicate judgement"),
        (
            kaiwa.read_votes,
            {"topic": ["1"], "comment": ["a"], "assessor": ["x"], "level": [0.5]},
            r"row 1: level 0\.5 is not a level",
        ),
    ],
)
def test_a_bad_frame_is_refused_with_its_row(
    read: Callable[[Any], Any], columns: dict[str, list[Any]], message: str
) -> None:
    """Column or row, fault and fix."""
    with pytest.raises(InputError, match=message):
        read(pa.table(columns))


def test_what_is_neither_a_file_nor_a_frame_is_refused() -> None:
    """For example a dictionary."""
    with pytest.raises(InputError, match="dict is neither a path nor a data frame"):
        kaiwa.read_scores({"topic": ["1"]})  # type: ignore[arg-type]


columns_of = st.sampled_from(["topic", "comment", "run", "score", "gain", "assessor", "level", "rank", "measure"])
kinds = [st.text(max_size=3), st.integers(-3, 3), st.floats(), st.none(), st.one_of(st.none(), st.integers(0, 2))]
tables = st.integers(0, 3).flatmap(
    lambda rows: st.dictionaries(
        columns_of, st.one_of(*(st.lists(kind, min_size=rows, max_size=rows) for kind in kinds)), max_size=9
    )
)


@given(tables)
def test_any_frame_is_read_or_refused_in_one_line(columns: dict[str, list[Any]]) -> None:
    """Whatever the columns hold, the answer is a noun or an InputError."""
    frame = pa.table(columns)
    for read in (kaiwa.read_scores, kaiwa.read_run, kaiwa.read_runs, kaiwa.read_qrels, kaiwa.read_votes):
        try:
            read(frame)  # type: ignore[operator]
        except InputError as refusal:
            assert "\n" not in str(refusal)  # noqa: PT017  only the form of an error matters


def test_kaiwa_needs_neither_pandas_nor_polars() -> None:
    """The protocol is enough: making and reading a frame, and showing it, works where neither can be imported."""
    program = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in {'pandas', 'polars', 'ir_measures', 'IPython'}: raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import numpy, pyarrow, kaiwa\n"
        "scores = kaiwa.Scores.from_matrix('m', ('q',), ('A',), numpy.ones((1, 1)))\n"
        "print(kaiwa.read_scores(pyarrow.table(scores))['m'] == scores, '<table>' in scores._repr_html_())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"
