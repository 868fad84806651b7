"""The Python API reads as the design promises: nouns with verbs, named results."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kaiwa

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def scores() -> kaiwa.Scores:
    """Three runs on twelve topics, the first clearly best."""
    rng = np.random.default_rng(3)
    values = np.clip(np.array([0.8, 0.4, 0.35]) + rng.normal(0, 0.1, size=(12, 3)), 0, 1)
    return kaiwa.Scores.from_matrix("P+", tuple(f"q{n}" for n in range(12)), ("A", "B", "C"), values)


def test_scores_compare_themselves(scores: kaiwa.Scores) -> None:
    """The same seed gives the same result; ranks tie where nothing differs."""
    result = scores.compare(trials=999, seed=1)
    assert result == scores.compare(trials=999, seed=1)
    assert result.ranks == {"A": 1, "B": 2, "C": 2}
    assert result.to_latex().startswith(r"\begin{tabular}")
    assert "<table>" in result._repr_html_()
    assert str(result).splitlines()[2].split()[:2] == ["1", "A"]
    assert "12 topics" in result.methods()


def test_standardised_scores_keep_the_verbs(scores: kaiwa.Scores) -> None:
    """std-AB scores lie around one half, and compare as scores do."""
    std_ab = scores.standardise()
    assert std_ab.values.mean() == pytest.approx(0.5)
    assert std_ab.compare(trials=99).measure == std_ab.measure


def test_votes_become_gains_and_scores_in_one_line_each() -> None:
    """The promise of the README: read, gain, score, compare."""
    votes = kaiwa.Votes(
        topics=np.array([b"q", b"q"]),
        comments=np.array([b"a", b"b"]),
        assessors=("x", "y"),
        item=np.array([0, 0, 1, 1]),
        assessor=np.array([0, 1, 0, 1]),
        level=np.array([2, 2, 0, 1]),
        top=2,
    )
    gains = votes.gains(scheme="mean")
    run = kaiwa.Run.from_lists("R", {"q": [("b", 2.0), ("a", 1.0)]})
    table = kaiwa.score([run], gains, ["nG@1"]).matrix()
    assert table.means() == {"R": pytest.approx(0.5 / 3)}
    assert votes.agree().items == 2


def test_a_variance_can_be_designed_from(scores: kaiwa.Scores) -> None:
    """``kaiwa.design`` takes a number or what ``variance()`` gave, whatever was imported before."""
    found = scores.variance()
    by_object = kaiwa.design(variance=found, systems=3, min_diff=0.2, test="anova")
    assert by_object.plug_in_n == kaiwa.design(variance=found.v_e, systems=3, min_diff=0.2).n > 1


def test_one_run_has_no_variance_of_shared_topics_and_no_design_is_made_of_no_variance(scores: kaiwa.Scores) -> None:
    """The error names the test and what to give; one-way ANOVA needs one run only."""
    one = kaiwa.Scores.from_matrix("P+", scores.topics, scores.runs[:1], scores.values[:, :1]).variance()
    with pytest.raises(
        kaiwa.InputError, match='test="robust" needs V_E2, which one run does not have; give scores of 2 runs'
    ):
        kaiwa.design(variance=one, systems=3, min_diff=0.2)
    assert kaiwa.design(variance=one, systems=3, min_diff=0.2, test="anova").variance == pytest.approx(one.v_e)
    flat = kaiwa.Scores.from_matrix("P+", ("1", "2", "3"), ("A", "B"), np.array([[0.1, 0.2]] * 3)).variance()
    with pytest.raises(kaiwa.InputError, match="the variance is 0"):
        kaiwa.design(variance=flat, systems=3, min_diff=0.2)


def test_a_design_is_simulated_by_its_own_test(scores: kaiwa.Scores) -> None:
    """Unless another is named."""
    drawn = {"systems": 3, "min_diff": 0.2, "designed_test": "robust", "trials": 500}
    by_default, robust, anova = (
        kaiwa.design_simulate(scores, **drawn, **options).steps[0].power  # type: ignore[arg-type]
        for options in ({}, {"test": "robust"}, {"test": "anova"})
    )
    assert by_default == robust != anova


def test_a_vanishing_variance_is_designed_for_without_a_warning() -> None:
    """Two topics are enough, by both methods' arithmetic."""
    assert kaiwa.design(variance=1e-59, systems=3, min_diff=0.1).n == 2
    assert kaiwa.design(variance=1e-59, systems=3, min_diff=0.1).published_n is not None


def _gains() -> kaiwa.Qrels:
    return kaiwa.Qrels.from_lists({"q1": {"a": 2, "b": 1}, "q2": {"c": 0}})


def _run(name: str = "R1") -> kaiwa.Run:
    return kaiwa.Run.from_dict({"q1": {"b": 2.0, "a": 1.0}, "q9": {"a": 1.0}}, name=name)


def test_scores_carry_what_was_left_out() -> None:
    """Undefined, unanswered and unknown topics, as fields and in the text."""
    scores = kaiwa.score(_run(), _gains(), "nG@1")
    assert scores.undefined == ("q2",)
    assert scores.unanswered == {"R1": ("q2",)}
    assert scores.unknown == {"R1": ("q9",)}
    assert str(scores).splitlines()[-3:] == [
        '1 topic without a relevant item left out (no_relevant="zero" counts them 0): q2',
        "R1: no answer for 1 judged topic, scored 0: q2",
        "R1: 1 topic never judged and not scored: q9",
    ]
    assert "counted 0: q2" in str(kaiwa.score(_run(), _gains(), "nG@1", no_relevant="zero"))


def test_one_measure_may_be_given_as_text() -> None:
    """A plain string is one measure, not its letters."""
    assert kaiwa.score(_run(), _gains(), "nERR@10") == kaiwa.score(_run(), _gains(), ["nERR@10"])


def test_votes_are_scored_as_they_are() -> None:
    """Acc needs the votes themselves; the other measures weigh them by a scheme."""
    votes = kaiwa.Votes.from_rows([("q1", "a", "x", 2), ("q1", "a", "y", 1), ("q1", "b", "x", 0), ("q1", "b", "y", 1)])
    found = kaiwa.score(_run(), None, ["Acc(L2)@2", "nG@1"], votes=votes, scheme="sum")
    assert found.means()["R1"]["Acc(L2)@2"] == pytest.approx(0.25)
    assert found["nG@1"] == kaiwa.score(_run(), votes.gains(scheme="sum"), "nG@1")["nG@1"]


def test_judgements_by_intent_are_scored() -> None:
    """A mapping from intent to gains, with equal chances unless some are given."""
    intents = {"1": kaiwa.Qrels.from_lists({"q1": {"a": 1}}), "2": kaiwa.Qrels.from_lists({"q1": {"b": 1}})}
    assert kaiwa.score(_run(), None, "I-rec@2", intents=intents).means() == {"R1": {"I-rec@2": 1.0}}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kaiwa.score(_run(), _gains(), []), r'no measures; give at least one, as measures=\["nG@1"'),
        (lambda: kaiwa.score([], _gains()), "no runs; give at least one"),
        (lambda: kaiwa.score([_run(), _run()], _gains()), "duplicate run name 'R1'"),
        (lambda: kaiwa.score(_run(), _gains(), no_relevant="zer0"), "unknown no_relevant 'zer0'; did you mean 'zero'"),
        (lambda: kaiwa.score(_run(), _gains(), "nER@10"), "unknown measure 'nER'; did you mean 'nERR'"),
        (lambda: kaiwa.score(_run(), _gains(), max_gain="topics"), "max_gain='topics' is neither a gain nor 'topic'"),
        (lambda: kaiwa.score(_run(), _gains(), levels={1: 0}), r"as levels=\{1: 1, 2: 3\}"),
        (lambda: kaiwa.read_run(_run(), order="scores"), "unknown order 'scores'; did you mean 'score'"),
        (lambda: kaiwa.read_scores(missing="drop"), "nothing to read"),
        (lambda: kaiwa.design(variance=0.1, systems=3, min_diff=0.1, test="anove"), "unknown test 'anove'"),
        (lambda: kaiwa.design(variance=0.1, systems=3), r"min_diff: is missing; give it \(min_diff=\)"),
        (lambda: _run().write("x", format="trec"), "unknown format 'trec'; did you mean 'trec-run'"),
        (lambda: kaiwa.index("x", "y", language="fr"), "unknown language 'fr'"),
        (lambda: kaiwa.pool([]), "no runs; give at least one"),
    ],
)
def test_unknown_words_and_values_are_refused(call: Callable[[], object], message: str) -> None:
    """With the argument's name, and the nearest known value."""
    with pytest.raises(kaiwa.InputError, match=message):
        call()


@pytest.mark.parametrize(
    "options", [{"test": "hds"}, {"p_rule": "plus_one"}, {"trials": 1}, {"alpha": 2.0}, {"trials": "many"}]
)
def test_a_comparison_refuses_odd_settings(scores: kaiwa.Scores, options: dict[str, Any]) -> None:
    """Names and numbers alike."""
    with pytest.raises(kaiwa.InputError):
        scores.compare(**options)


@pytest.mark.parametrize("options", [{"ties": "tau"}, {"interval": "none"}, {"persistence": 2.0}])
def test_tau_refuses_odd_settings(scores: kaiwa.Scores, options: dict[str, Any]) -> None:
    """Names and numbers alike."""
    with pytest.raises(kaiwa.InputError):
        kaiwa.tau(scores, scores, **options)


@pytest.mark.parametrize("scheme", ["men", "", "Mean "])
def test_an_unknown_scheme_is_refused(scheme: str) -> None:
    """With the known ones."""
    votes = kaiwa.Votes.from_rows([("q", "a", "x", 1)])
    with pytest.raises(kaiwa.InputError, match="unknown scheme"):
        votes.gains(scheme=scheme)


def test_runs_and_scores_have_short_reprs(scores: kaiwa.Scores) -> None:
    """Names and sizes, no arrays."""
    run = kaiwa.Run.from_lists("InexpC2", {f"q{n}": [(f"c{k}", -k) for k in range(10)] for n in range(100)})
    assert repr(run) == "Run('InexpC2', 100 topics, 1,000 comments)"
    assert repr(scores) == "Scores('P+', 12 topics, 3 runs)"
    assert repr(scores.compare(trials=99)) == "Comparison('P+', 12 topics, 3 runs, 2 of 3 pairs significant)"


def test_a_design_takes_the_variance_that_its_test_divides_by(scores: kaiwa.Scores) -> None:
    """V_E2 where topics are shared, as a design from the same scores as a pilot does."""
    found = scores.variance()
    two_way = kaiwa.design(variance=found, systems=3, min_diff=0.2, test="two-way")
    assert two_way.variance == found.v_e2
    assert two_way.n == kaiwa.design(scores, systems=3, min_diff=0.2, test="two-way").n


def test_gaps_are_reported_by_the_scores_that_lost_something(made: Callable[[str, str], Path]) -> None:
    """As fields by measure, and in the text."""
    path = made("scores.csv", "measure,topic,run,score\nm,1,A,1\nm,2,A,0\nm,1,B,1\n")
    assert kaiwa.read_scores(path, missing="drop-runs").runs_left_out == {"m": ("B",)}
    dropped = kaiwa.read_scores(path, missing="drop-topics")
    assert dropped.topics_left_out == {"m": ("2",)}
    assert "m: 1 topic left out for missing scores: 2" in str(dropped)
    assert kaiwa.read_scores(path, missing="zero").filled == {"m": 1}


@pytest.mark.parametrize("name", ["ntcir-run", "trec-run"])
def test_a_run_is_written_and_read_back(name: str, tmp_path: Path) -> None:
    """In each format that is one file."""
    run = kaiwa.Run.from_dict({"q1": {"a": 2.0, "b": 1.0}}, name="R1")
    run.write(tmp_path / "R1.txt", format=name)
    assert kaiwa.read_run(tmp_path / "R1.txt") == run
    kaiwa.Runs([run]).write(tmp_path / "runs", format=name)
    assert kaiwa.read_runs(str(tmp_path / "runs" / "*.txt")) == [run]


def test_gains_votes_and_scores_are_written_and_read_back(scores: kaiwa.Scores, tmp_path: Path) -> None:
    """In the formats of other tools too."""
    gains = kaiwa.Qrels.from_lists({"q1": {"a": 2, "b": 1}})
    for name in ("trec-qrels", "ntcir-qrels", "beir-qrels", "rel", "grelv"):
        gains.write(tmp_path / name, format=name)
        assert kaiwa.read_qrels(tmp_path / name) == gains
    votes = kaiwa.Votes.from_rows([("q1", "a", "x", 2), ("q1", "a", "y", None)])
    votes.write(tmp_path / "votes.csv")
    assert kaiwa.read_votes(tmp_path / "votes.csv").columns() == votes.columns()
    scores.write(tmp_path / "P+.csv", format="matrix")
    assert kaiwa.read_scores(tmp_path / "P+.csv")["P+"] == scores
    kaiwa.Scores([scores]).write(tmp_path / "scores.csv")
    assert kaiwa.read_scores(tmp_path / "scores.csv")["P+"] == scores


def test_reading_scores_loads_nothing_heavy(made: Callable[[str, str], Path]) -> None:
    """Neither the compiler nor Arrow nor figures nor scipy."""
    path = made("scores.csv", "measure,topic,run,score\nm,1,A,1\n")
    heavy = {"numba", "pyarrow", "matplotlib", "scipy", "pandas", "polars", "click"}
    program = f"import sys, kaiwa; kaiwa.read_scores({str(path)!r}); print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_version_is_that_of_the_package() -> None:
    """From its metadata."""
    from importlib.metadata import version

    assert kaiwa.__version__ == version("kaiwa")
