"""Scores: made from what people have, one measure or several, with gaps, assessors and repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GAPPED = {"A": {"q1": 0.5, "q2": 1.0}, "B": {"q1": 0.25}}
PANEL = [("q1", "A", "ann", "", 1.0), ("q1", "A", "bob", "", 0.5), ("q2", "A", "ann", "", 0.0)]


def several() -> kaiwa.Scores:
    """Two measures of two runs on two topics, one of them lower is better."""
    return kaiwa.Scores(
        [
            kaiwa.Scores.from_matrix("nG@1", ["q1", "q2"], "AB", [[1.0, 0.0], [0.5, 0.25]]),
            kaiwa.Scores.from_matrix("ppl", ["q1", "q2"], "AB", [[15.5, 10.5], [12.5, 11.5]]),
        ]
    )


def test_one_measure_of_several_are_scores_with_the_attributes_of_a_matrix() -> None:
    """measure, topics, runs, values, direction, label; the whole is like a mapping."""
    scores = several()
    one = scores["ppl"]
    assert isinstance(one, kaiwa.Scores)
    assert (one.measure, one.topics, one.runs, one.direction, one.label) == (
        "ppl",
        ("q1", "q2"),
        ("A", "B"),
        "lower",
        "ppl (lower is better)",
    )
    assert one.values.tolist() == [[15.5, 10.5], [12.5, 11.5]]
    assert list(scores) == scores.keys() == list(scores.measures) == [measure for measure, _ in scores.items()]
    assert (len(scores), "ppl" in scores, "AP" in scores) == (2, True, False)
    assert scores.means() == {"A": {"nG@1": 0.75, "ppl": 14.0}, "B": {"nG@1": 0.125, "ppl": 11.0}}
    assert one.means() == {"A": {"ppl": 14.0}, "B": {"ppl": 11.0}}


@pytest.mark.parametrize(
    "ask",
    [lambda s: s.matrix(), lambda s: s.values, lambda s: s.direction, lambda s: s.measure, lambda s: s.variance()],
)
def test_what_takes_one_measure_names_the_measures_there_are(ask: Callable[[kaiwa.Scores], object]) -> None:
    """And how to choose one."""
    with pytest.raises(InputError, match=r"2 measures \('nG@1', 'ppl'\), and this takes one; .* scores\['nG@1'\]"):
        ask(several())


def test_an_unknown_measure_is_offered_the_nearest() -> None:
    """Also as an argument."""
    with pytest.raises(InputError, match="unknown measure 'nG@2'; did you mean 'nG@1'"):
        several()["nG@2"]
    with pytest.raises(InputError, match="unknown measure 'pp'; did you mean 'ppl'"):
        several().matrix("pp")


def test_the_same_measure_twice_is_refused() -> None:
    """Scores of the same measure are one table."""
    with pytest.raises(InputError, match="duplicate measure 'ppl'"):
        kaiwa.Scores([several(), several()["ppl"]])


def test_the_repr_is_one_line_without_arrays() -> None:
    """Measures, sizes, gaps and assessors."""
    assert repr(several()) == "Scores('nG@1', 'ppl', 2 topics, 2 runs)"
    assert repr(kaiwa.Scores.from_dict(GAPPED, "AP")) == "Scores('AP', 2 topics, 2 runs, 1 missing score)"
    assert repr(kaiwa.Scores.from_rows(PANEL)) == "Scores('score', 2 topics, 1 run, 2 assessors)"
    many = kaiwa.Scores(kaiwa.Scores.from_dict({"A": {"q": 1}}, f"m{place}") for place in range(9))
    assert repr(many) == "Scores(9 measures, 1 topic, 1 run)"


def test_gaps_are_kept_until_a_rule_says_what_they_mean() -> None:
    """The mean of a run with a gap is an error that names the rules."""
    scores = kaiwa.Scores.from_dict(GAPPED, "AP")
    with pytest.raises(InputError, match=r"run 'B' has no score on topic 'q2' \(1 missing score in all\).*missing="):
        scores.means()
    with pytest.raises(InputError, match="run 'B' has no score"):
        scores.complete()
    assert '1 missing score: complete(missing="drop-topics") leaves out their topics' in str(scores)
    topics, runs, zero = (scores.complete(missing=rule) for rule in ("drop-topics", "drop-runs", "zero"))
    assert (topics.topics, topics.topics_left_out) == (("q1",), {"AP": ("q2",)})
    assert (runs.runs, runs.runs_left_out) == (("A",), {"AP": ("B",)})
    assert (zero.means()["B"], zero.filled) == ({"AP": 0.125}, {"AP": 1})
    assert "AP: 1 topic left out for missing scores: q2" in str(topics)


def test_complete_scores_stay_as_they_are_and_an_unknown_rule_is_refused() -> None:
    """Whether or not there are gaps."""
    assert several().complete(missing="drop-runs") == several()
    with pytest.raises(InputError, match="unknown missing rule 'drop'"):
        several().complete(missing="drop")


def test_scores_by_assessor_are_means_in_the_matrix_and_kept_for_the_crossed_model() -> None:
    """A tidy file and a frame have them too."""
    scores = kaiwa.Scores.from_rows(PANEL, "quality")
    assert scores.values.tolist() == [[0.75], [0.0]]
    assert scores.observations().values.tolist() == [1.0, 0.5, 0.0]
    assert scores.columns()["assessor"] == ["ann", "bob", "ann"]
    assert kaiwa.read_scores(scores.to_polars()) == scores
    assert scores != kaiwa.Scores.from_matrix("quality", ["q1", "q2"], ["A"], [[0.75], [0.0]])


def test_gaps_and_assessors_survive_a_file(tmp_path: Path) -> None:
    """Tidy CSV has no row for a gap, and a column for assessors; a matrix has neither."""
    for scores in (kaiwa.Scores.from_dict(GAPPED, "AP"), kaiwa.Scores.from_rows(PANEL, "quality")):
        scores.write(tmp_path / "scores.csv")
        assert kaiwa.read_scores(tmp_path / "scores.csv") == scores
    with pytest.raises(InputError, match="has no score"):
        kaiwa.Scores.from_dict(GAPPED, "AP").write(tmp_path / "m.csv", format="matrix")


def test_ids_become_text() -> None:
    """Whole numbers are names, as pandas and SQL give them."""
    ids = kaiwa.Scores.from_rows([(301, np.int64(7), np.float32(0.5))])
    assert (ids.topics, ids.runs, ids.values.tolist()) == (("301",), ("7",), [[0.5]])
    assert kaiwa.Scores.from_matrix("AP", [1, 2], ["A"], [[1], [2]]).topics == ("1", "2")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kaiwa.Scores.from_dict([("q1", "A", 1.0)]), "not a dict of dicts; give {run: {topic: score}}"),
        (lambda: kaiwa.Scores.from_dict({"A": 0.5}), "not a dict of dicts"),
        (lambda: kaiwa.Scores.from_dict({"A": {"q1": "x"}}), "row 1: the score 'x' of run 'A' on topic 'q1' is not a"),
        (lambda: kaiwa.Scores.from_dict({"A": {"q1": float("inf")}}), "not a finite number; give a number, or None"),
        (lambda: kaiwa.Scores.from_dict({}), "score: no score; give at least one"),
        (lambda: kaiwa.Scores.from_rows(["q1 A 1"]), "row 1: 'q1 A 1' is not a row of scores; give topic, run, score"),
        (lambda: kaiwa.Scores.from_rows([("q1", "A")]), "is not a row of scores"),
        (lambda: kaiwa.Scores.from_rows([("q1", None, 1.0)]), "row 1: run None is not a name; give text"),
        (lambda: kaiwa.Scores.from_rows([("q", "A", 1.0), ("q", "A", 0.5)]), "row 2: duplicate score: .*own repeat"),
        (lambda: kaiwa.Scores.from_matrix("AP", ["q1"], ["A"], [["x"]]), "not a matrix of numbers; give one row per"),
        (lambda: kaiwa.Scores.from_matrix("AP", ["q1"], ["A"], [[1, 2]]), r"AP: a \(1, 2\) matrix for 1 topics"),
        (lambda: kaiwa.Scores([{"A": 1}]), "dict is not scores; give them to from_dict, from_rows or from_pandas"),  # type: ignore[list-item]
    ],
)
def test_what_are_no_scores_is_refused_with_its_place(make: Callable[[], object], message: str) -> None:
    """Never an AttributeError or a KeyError."""
    with pytest.raises(InputError, match=message):
        make()


def test_several_measures_are_compared_as_one_family_and_standardised_one_by_one() -> None:
    """``compare`` takes each alone unless it is told that they are a family."""
    rng = np.random.default_rng(1)
    tables = [kaiwa.Scores.from_matrix(name, range(20), "ABC", rng.random((20, 3))) for name in ("nG@1", "P+")]
    scores = kaiwa.Scores(tables)
    assert list(scores.compare(family=True, trials=99).measures) == ["nG@1", "P+"]
    assert scores.standardise()["P+"] == tables[1].standardise()
    assert scores["nG@1"].tau(scores["P+"], trials=99) == kaiwa.tau(tables[0], tables[1], trials=99)
