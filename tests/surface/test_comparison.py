"""One door for ``kaiwa compare`` and ``kaiwa.compare``: parameters, results, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.comparison.command import compare_command

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = {"as_json", "form", "output", "table"}
"""Options of the command that say how a result is shown; in Python these are methods of the result."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Scores of two measures, scores with gaps and assessors, runs and qrels; the test works in this folder."""
    rng = np.random.default_rng(1)
    lines = ["measure,topic,run,score"]
    for measure in ("nG@1", "ppl"):
        for topic in range(12):
            lines += [
                f"{measure},q{topic},{run},{rng.random() + lift:.4f}"
                for run, lift in (("A-C-R1", 1.5), ("A-C-R2", 0.7), ("B-C-R1", 0.0))
            ]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "gaps.csv").write_text("\n".join(line for line in lines if "q3,A-C-R2" not in line) + "\n")
    panel = ["topic,run,assessor,score"]
    panel += [
        f"q{topic},{run},{who},{rng.random() + topic / 9:.4f}"
        for topic in range(9)
        for run in ("A", "B")
        for who in ("ann", "bob")
    ]
    (tmp_path / "panel.csv").write_text("\n".join(panel[:-1]) + "\n")
    for run, order in (("R1", "abc"), ("R2", "cba")):
        rows = [f"q{topic} Q0 {one} {at} {9 - at} {run}" for topic in range(6) for at, one in enumerate(order, 1)]
        (tmp_path / f"{run}.txt").write_text("\n".join(rows) + "\n")
    judged = [f"q{topic} 0 {one} {grade}" for topic in range(6) for one, grade in (("a", 2), ("b", 1), ("c", 0))]
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words_of(inputs: list[str], options: dict[str, Any]) -> list[str]:
    """The options as they are typed."""
    words = list(inputs)
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        words += [flag] if value is True else [flag, str(value)]
    return words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "{test t} compares with a baseline; add {baseline RUN}"),
        ({"test": "tukey", "baseline": "A"}, "{test tukey} compares all pairs; leave out {baseline}"),
        ({"test": "crossed", "baseline": "A"}, "{test crossed} compares all pairs; leave out {baseline}"),
        ({"family": True, "baseline": "A"}, "{family} compares all pairs; leave out {baseline}"),
        ({"family": True, "test": "hsd"}, "{test hsd} has no family of measures; choose robust"),
        ({"family": True, "test": "crossed"}, "{test crossed} has no family of measures; choose robust"),
        ({"family": True, "measures": "nG@1"}, "a family needs several measures, and there is nG@1"),
        ({"family": True, "trials": "auto"}, "{trials auto} is for all pairs under one measure each; give a number"),
        ({"baseline": "A", "trials": "auto"}, "{trials auto} is for all pairs under one measure each; give a number"),
        ({"test": "tukey", "trials": 199}, "{test tukey} draws no trials for its p-values; leave out {trials}"),
        ({"test": "t", "baseline": "A", "trials": 199}, "{test t} draws no trials for its p-values"),
        ({"test": "crossed", "trials": 199}, "{test crossed} draws no trials for its p-values; leave out {trials}"),
        ({"test": "tukey", "p_rule": "share"}, "draws no trials for its p-values; leave out {p_rule}"),
        ({"max_trials": 9}, "{max_trials} limits {trials auto}; add it, or leave this out"),
        ({"test": "crossed", "margin": 0.1}, "{test crossed} has no verdicts; leave out {margin}"),
        ({"test": "crossed", "missing": "zero"}, "{test crossed} uses every score; leave out {missing}"),
        ({"test": "crossed", "team_pattern": "(.)"}, "{team_pattern} is for all pairs by one of robust"),
        ({"baseline": "A", "team_pattern": "(.)"}, "{team_pattern} is for all pairs by one of robust"),
        ({"lower_is_better": "ppl", "higher_is_better": "ppl"}, "{lower_is_better} and {higher_is_better} both name"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], message: str) -> None:
    """In both doors, each with its own words for the options."""
    with pytest.raises(kaiwa.InputError) as refused:
        kaiwa.compare("scores.csv", **options)
    done = CliRunner().invoke(compare_command, words_of(["scores.csv"], options))
    assert isinstance(done.exception, kaiwa.InputError)
    assert done.exception.marked == refused.value.marked
    parts = [part.partition("}") for part in f"}}{message}".split("{")]
    assert all(rest in str(refused.value) for _, _, rest in parts)
    named = [option.split()[0] for option, _, _ in parts if option]
    assert all(f"{name}=" in str(refused.value) for name in named)


@pytest.mark.parametrize("test", ["robust", "robust-step-down", "hsd", "step-down"])
def test_auto_adds_trials_up_to_the_most(folder: Path, test: str) -> None:
    """Where a p is close to alpha; a test that draws another number of trials at once refuses it."""
    scores = kaiwa.read_scores(folder / "scores.csv")["nG@1"]
    near = max(pair.p for pair in scores.compare(test=test).pairs if pair.p < 0.9) + 1e-4
    try:
        found = [scores.compare(test=test, trials="auto", alpha=near, max_trials=cap).trials for cap in (7_000, 9_000)]
    except kaiwa.InputError:
        assert test.endswith("step-down")
    else:
        assert found == [7_000, 9_000]


@pytest.mark.usefixtures("folder")
def test_runs_are_scored_by_their_qrels_first() -> None:
    """As by ``score`` and ``compare``; without measures by the default ones of ``score``."""
    runs, qrels = kaiwa.read_runs("R1.txt", "R2.txt"), kaiwa.read_qrels("qrels.txt")
    apart = kaiwa.score(runs, qrels, ["nG@1", "P+"]).compare(trials=99)
    assert kaiwa.compare(runs, ["nG@1", "P+"], qrels=qrels, trials=99) == apart
    assert kaiwa.compare("R?.txt", "nG@1,P+", qrels="qrels.txt", trials=99) == apart
    assert list(kaiwa.compare("R?.txt", qrels="qrels.txt", trials=99).measures) == ["nG@1", "nERR@10", "P+"]
    with pytest.raises(kaiwa.InputError, match="got qrels where runs are expected"):
        kaiwa.compare(qrels, qrels=qrels)


@pytest.mark.usefixtures("folder")
def test_several_measures_are_one_table() -> None:
    """A column of means and one of ranks for each; all pairs with their measure; a run of another is missing."""
    found = kaiwa.compare("scores.csv", trials=99)
    assert list(found.columns()) == ["run", "nG@1", "nG@1 rank", "ppl", "ppl rank"]
    assert found.columns("pairs")["measure"] == ["nG@1"] * 3 + ["ppl"] * 3
    assert found["ppl"].ranks == {"B-C-R1": 1, "A-C-R2": 2, "A-C-R1": 3}
    assert found["ppl"] == kaiwa.compare("scores.csv", "ppl", trials=99)
    with pytest.raises(
        kaiwa.InputError, match=r"compared under nG@1, ppl; choose one measure, as in comparison\['nG@1'\]"
    ):
        _ = found.ranks
    with pytest.raises(kaiwa.UnknownName, match="unknown measure 'pl'; did you mean 'ppl'"):
        _ = found["pl"]
    dropped = kaiwa.compare("gaps.csv", missing="drop-runs", trials=99)
    rows = dict(zip(dropped.columns()["run"], dropped.columns()["ppl rank"], strict=True))
    assert rows == {"A-C-R1": 2, "B-C-R1": 1, "A-C-R2": None}
    assert "ppl: 1 run left out for missing scores: A-C-R2." in dropped.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "nope"}, "scores.csv: unknown measure 'nope'; known: nG@1, ppl"),
        ({"baseline": "C"}, "scores.csv: unknown run 'C'"),
        ({"lower_is_better": "pl"}, "scores.csv: unknown measure 'pl'; did you mean 'ppl'?"),
        ({"team_pattern": "("}, "scores.csv: team pattern '(' is not a regular expression"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_an_error_of_scores_from_a_file_begins_with_its_name(options: dict[str, Any], message: str) -> None:
    """The first of several; scores in memory have no name."""
    for given in ("scores.csv", ["scores.csv"]):
        with pytest.raises(kaiwa.InputError) as refused:
            kaiwa.compare(given, **options)
        assert str(refused.value).startswith(message)
    with pytest.raises(kaiwa.InputError) as refused:
        kaiwa.read_scores("scores.csv").compare(**options)
    assert str(refused.value).startswith(message.removeprefix("scores.csv: "))
