"""What a verb takes for a noun: the noun, a path, a pattern, a folder, a data frame, a dict, or a list of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import polars as pl
import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.formats.reading import qrels_of, runs_of, scores_of, topics_of, votes_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = kaiwa.Run.from_dict({"q1": {"a": 2.0, "b": 1.0}}, "A")
QRELS = kaiwa.Qrels.from_dict({"q1": {"a": 2, "b": 0}})
VOTES = kaiwa.Votes.from_rows([("q1", "a", "ann", 2), ("q1", "b", "ann", 0)])
SCORES = kaiwa.Scores.from_dict({"A": {"q1": 0.5}}, "AP")


def test_runs_come_from_anything_that_holds_runs(tmp_path: Path) -> None:
    """One or a list; a dict of dicts of dicts has names."""
    RUN.write(tmp_path / "A.txt", format="trec-run")
    frame = pd.DataFrame({"run": ["A", "A"], "qid": ["q1", "q1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
    wanted = [("a", 2.0), ("b", 1.0)]
    for given in (
        RUN,
        [RUN],
        iter([RUN]),
        tmp_path / "A.txt",
        str(tmp_path / "*.txt"),
        tmp_path,
        frame,
        [pl.DataFrame(frame.to_dict("list"))],
        {"A": {"q1": {"a": 2, "b": 1}}},
    ):
        found = runs_of(given)  # type: ignore[arg-type]
        assert [(run.name, run.ranking("q1")) for run in found] == [("A", wanted)]
    assert [run.name for run in runs_of([RUN, {"q1": {"a": 1.0}}])] == ["A", "run"]


def test_qrels_votes_scores_and_topics_come_from_what_holds_them(tmp_path: Path) -> None:
    """A list is taken together."""
    QRELS.write(tmp_path / "qrels.txt")
    assert qrels_of(tmp_path / "qrels.txt").of("q1") == qrels_of({"q1": {"a": 2, "b": 0}}).of("q1") == QRELS.of("q1")
    assert qrels_of(QRELS.to_pandas()).of("q1") == QRELS.of("q1")
    assert qrels_of([QRELS, {"q2": {"c": 3}}]).top == 3
    VOTES.write(tmp_path / "votes.csv")
    bob = kaiwa.Votes.from_rows([("q1", "a", "bob", 1)])
    both = votes_of([tmp_path / "votes.csv", bob])
    assert both.assessors == ("ann", "bob")
    assert both.counts().tolist() == [[0, 1, 1], [1, 0, 0]]
    SCORES.write(tmp_path / "scores.csv")
    assert scores_of(str(tmp_path / "scores.csv")) == scores_of(SCORES.to_polars()) == scores_of(SCORES) == SCORES
    joined = scores_of([SCORES, kaiwa.Scores.from_dict({"B": {"q1": 1.0}}, "AP")])
    assert joined.means() == {"A": {"AP": 0.5}, "B": {"AP": 1.0}}
    kaiwa.Topics({"q1": "Hello"}).write(tmp_path / "topics.tsv")
    frame = pl.DataFrame({"qid": [1], "query": ["Bye"]})
    assert topics_of([tmp_path / "topics.tsv", frame]) == {"q1": "Hello", "1": "Bye"}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: kaiwa.score(QRELS, RUN), r"got a run where qrels are expected; the order is score\(runs, qrels\)"),  # type: ignore[arg-type]
        (lambda: kaiwa.score(RUN, SCORES), r"got scores where qrels are expected; the order is score\(runs, qrels\)"),  # type: ignore[arg-type]
        (lambda: runs_of(3), "int is neither runs, nor a path, nor a data frame; give runs, the name of a file"),  # type: ignore[arg-type]
        (lambda: runs_of([]), "no runs; give at least one"),
        (lambda: runs_of([RUN, RUN]), "duplicate run name 'A'; rename one of the runs"),
        (lambda: runs_of("q1 Q0 a 1 2.0 A"), "q1 Q0 a 1 2.0 A: no such file"),
        (lambda: runs_of({"q1": {"a": "x"}}), "topic 'q1', comment 'a': the score 'x' is not a number; give a number"),
        (lambda: runs_of({"q1": 2.0}), r"float is not a run; give {topic: {comment: score}}"),
        (lambda: qrels_of(VOTES), "got votes where qrels are expected; give qrels"),  # type: ignore[arg-type]
        (lambda: qrels_of([QRELS, QRELS]), "topic 'q1', comment 'a': judged in two of the qrels; keep one judgement"),
        (lambda: votes_of(QRELS), "got qrels where votes are expected; give votes"),  # type: ignore[arg-type]
        (lambda: scores_of(RUN), "got a run where scores are expected"),  # type: ignore[arg-type]
        (lambda: scores_of([SCORES, SCORES]), "duplicate score: AP of run 'A' on topic 'q1'; keep one"),
        (lambda: topics_of({"q1": 3}), "topic 'q1': 3 is not a text"),  # type: ignore[dict-item]
        (lambda: topics_of([{"q1": "a"}, {"q1": "b"}]), "duplicate topic 'q1'"),
        (lambda: kaiwa.Qrels.from_dict({"q1": {None: 1}}), "topic 'q1': comment None is not a name"),  # type: ignore[dict-item]
        (lambda: kaiwa.Qrels.from_dict({1: {"a": 1}, "1": {"a": 1}}), "duplicate topic '1'"),  # type: ignore[dict-item]
        (lambda: kaiwa.Votes.from_rows([("q1", "a", 2)]), r"row 1: \('q1', 'a', 2\) is not a vote; give topic"),
        (lambda: kaiwa.Votes.from_rows([("q1", "a", "ann", "2")]), "row 1: the level '2' is not a whole number"),
    ],
)
def test_what_is_another_noun_or_none_is_refused_with_the_order_or_the_repair(
    ask: Callable[[], object], message: str
) -> None:
    """Always an InputError."""
    with pytest.raises(InputError, match=message):
        ask()


def test_a_run_from_a_frame_names_its_columns() -> None:
    """``name`` names the run; ranks go before scores; several runs are refused."""
    frame = pl.DataFrame({"q": ["1", "1"], "doc": ["a", "b"], "sim": [1.0, 2.0], "place": [1, 2]})
    named = {"topic": "q", "comment": "doc", "score": "sim"}
    by_score = kaiwa.Run.from_pandas(frame, **named, name="BM25")
    assert (by_score.name, by_score.ranking("1")) == ("BM25", [("b", 2.0), ("a", 1.0)])
    assert kaiwa.Run.from_pandas(frame, **named, rank="place").comments_of("1") == ["a", "b"]
    two = pl.DataFrame({"run": ["A", "B"], "topic": ["1", "1"], "comment": ["a", "a"], "score": [1.0, 2.0]})
    with pytest.raises(InputError, match=r"holds 2 runs \('A', 'B'\); read them with read_runs"):
        kaiwa.Run.from_pandas(two)


def test_the_scale_of_votes_is_declared_by_max_level() -> None:
    """By default the highest level that was given."""
    rows = [("q1", "a", "ann", 1)]
    assert (kaiwa.Votes.from_rows(rows).top, kaiwa.Votes.from_rows(rows, max_level=3).top) == (1, 3)
    with pytest.raises(InputError, match="declare the scale with max_level="):
        kaiwa.Votes.from_rows([("q1", "a", "ann", 5)], max_level=3)


def test_kaiwa_score_takes_files_frames_and_dicts(tmp_path: Path) -> None:
    """The same scores from each."""
    RUN.write(tmp_path / "A.txt", format="trec-run")
    QRELS.write(tmp_path / "qrels.txt")
    wanted = kaiwa.score(RUN, QRELS, "nG@1").means()
    assert kaiwa.score(str(tmp_path / "A*.txt"), tmp_path / "qrels.txt", "nG@1").means() == wanted
    assert kaiwa.score({"A": {"q1": {"a": 2.0, "b": 1.0}}}, {"q1": {"a": 2, "b": 0}}, "nG@1").means() == wanted
