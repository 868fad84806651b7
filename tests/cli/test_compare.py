"""The verbs that compare: compare, tau, standardise, variance."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Two measures of four runs on twelve topics, the runs of team X better."""
    rng = np.random.default_rng(1)
    lines = ["measure,topic,run,score"]
    for measure in ("nG@1", "P+"):
        for topic in range(12):
            for run, lift in (("X-C-R1", 2.0), ("X-C-R2", 1.8), ("Y-C-R1", 0.1), ("Z-C-R1", 0.0)):
                lines.append(f"{measure},{topic},{run},{rng.random() + lift:.4f}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_compare_speaks_the_promised_json(kaiwa: Kaiwa, scores: Path) -> None:
    """Pairs [{a, b, diff, p, effect_size, significant}] and ranks {run: rank}, one object and nothing else."""
    done = kaiwa("compare", str(scores), "-m", "P+", "--json")
    fields = json.loads(done.stdout)
    assert {"a", "b", "diff", "p", "effect_size", "significant"} <= set(fields["pairs"][0])
    assert fields["ranks"] == {"X-C-R1": 1, "X-C-R2": 1, "Y-C-R1": 3, "Z-C-R1": 3}
    assert len(fields["pairs"]) == 6


def test_rank_sets_stand_beside_the_ranks(kaiwa: Kaiwa, scores: Path) -> None:
    """JSON ``rank_sets`` {run: [low, high]} and ``may_be_best``; the same in the table, the note and LaTeX."""
    fields = json.loads(kaiwa("compare", str(scores), "-m", "P+", "--test", "hsd", "--json").stdout)
    assert fields["rank_sets"] == {"X-C-R1": [1, 2], "X-C-R2": [1, 2], "Y-C-R1": [3, 4], "Z-C-R1": [3, 4]}
    assert fields["may_be_best"] == ["X-C-R1"]
    shown = kaiwa("compare", str(scores), "-m", "P+", "--test", "hsd").stdout
    assert [line.split("  ")[-1].strip() for line in shown.splitlines()[2:6]] == ["1-2", "1-2", "3-4", "3-4"]
    assert "X-C-R1 has rank 1 to 2 (jointly 95% for all runs). 1 run may be best (95%): X-C-R1." in shown
    assert "3-4" in kaiwa("compare", str(scores), "-m", "P+", "--test", "hsd", "--format", "tex").stdout


def test_runs_that_may_be_best_are_named(kaiwa: Kaiwa, scores: Path) -> None:
    """At a confidence that two runs share."""
    shown = kaiwa("compare", str(scores), "-m", "P+", "--alpha", "0.001").stdout
    assert "X-C-R1 has rank 1 to 2 (jointly 99.9% for all runs). 2 runs may be best (99.9%): X-C-R1, X-C-R2." in shown


def test_a_margin_gives_every_pair_a_verdict(kaiwa: Kaiwa, scores: Path) -> None:
    """The pairs are listed with their verdicts, counted below; JSON has the margin and each verdict."""
    words = ["compare", str(scores), "-m", "P+", "--test", "robust", "--margin", "1"]
    shown = kaiwa(*words).stdout
    assert "verdict" in shown
    assert "Margin 1: 6 pairs, 2 equivalent, 4 different, 0 undecided." in shown
    assert "Two runs are equivalent if the simultaneous 95% interval of their difference lies within ±1" in shown
    fields = json.loads(kaiwa(*words, "--json").stdout)
    assert fields["margin"] == 1.0
    assert [pair["verdict"] for pair in fields["pairs"]] == ["equivalent", *["better"] * 4, "equivalent"]
    assert "equivalent" in kaiwa(*words, "--format", "tex").stdout


def test_a_margin_gives_every_run_a_verdict_against_the_baseline(kaiwa: Kaiwa, scores: Path) -> None:
    """Better, worse, equivalent or not inferior."""
    words = ["compare", str(scores), "-m", "P+", "--baseline", "X-C-R2", "--alpha", "0.01", "--margin"]
    fields = json.loads(kaiwa(*words, "0.4", "--json").stdout)
    assert [pair["verdict"] for pair in fields["pairs"]] == ["not inferior", "worse", "worse"]
    shown = kaiwa(*words, "0.4").stdout
    assert "Margin 0.4: 3 pairs, 0 equivalent, 2 different, 1 not inferior, 0 undecided." in shown
    assert "not inferior if the whole interval is less than 0.4 on the worse side of 0" in shown


def test_a_margin_must_be_above_zero(kaiwa: Kaiwa, scores: Path) -> None:
    """One line that says what to give."""
    for margin in ("0", "-1", "nan", "inf"):
        for more in ([], ["--baseline", "X-C-R2"]):
            done = kaiwa("compare", str(scores), "-m", "P+", "--margin", margin, *more)
            assert done.returncode == 2
            assert "is not above 0; give the smallest difference that matters" in done.stderr


def test_several_measures_are_one_family(kaiwa: Kaiwa, scores: Path) -> None:
    """JSON by measure, with larger intervals than each alone; one table with the ranks; the text names the family."""
    words = ["compare", str(scores), "-m", "nG@1", "-m", "P+", "--family"]
    fields = json.loads(kaiwa(*words, "--json").stdout)
    assert fields["family"] == ["nG@1", "P+"]
    assert list(fields["measures"]) == ["nG@1", "P+"]
    one = fields["measures"]["P+"]
    assert one["ranks"] == {"X-C-R1": 1, "X-C-R2": 1, "Y-C-R1": 3, "Z-C-R1": 3}
    assert one["rank_sets"] == {"X-C-R1": [1, 2], "X-C-R2": [1, 2], "Y-C-R1": [3, 4], "Z-C-R1": [3, 4]}
    shown = kaiwa(*words).stdout
    assert shown.splitlines()[0].split() == ["run", "nG@1", "P+"]
    assert re.match(r"X-C-R1 +[\d.]+ \(1\) +[\d.]+ \(1\)$", shown.splitlines()[2])
    assert "over all 12 comparisons under nG@1, P+ together to 0.05" in shown
    assert "hold jointly for all runs and all 2 measures with 95% confidence" in shown
    assert kaiwa("compare", str(scores), "--family", "--json").stdout == kaiwa(*words, "--json").stdout
    assert "nG@1 & P+" in kaiwa(*words, "--format", "tex").stdout.replace("}", "").replace("{", "")
    pairs = list(csv.DictReader(kaiwa(*words, "--table", "pairs", "--format", "csv").stdout.splitlines()))
    assert [row["measure"] for row in pairs] == ["nG@1"] * 6 + ["P+"] * 6


def test_several_measures_without_a_family_are_compared_side_by_side(kaiwa: Kaiwa, scores: Path) -> None:
    """Each as alone; against a baseline with differences and p-values."""
    each = json.loads(kaiwa("compare", str(scores), "--json").stdout)
    assert (each["family"], list(each["measures"])) == ([], ["nG@1", "P+"])
    alone = json.loads(kaiwa("compare", str(scores), "-m", "P+", "--json").stdout)
    assert each["measures"]["P+"] == alone
    planned = kaiwa("compare", str(scores), "--baseline", "Z-C-R1").stdout
    assert re.match(r"X-C-R1 +\+[\d.]+ \(p [\d.]+\) +\+[\d.]+ \(p [\d.]+\)$", planned.splitlines()[2])


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-m", "P+", "--family"], "a family needs several measures, and there is P+; leave out --family"),
        (["--family", "--baseline", "X-C-R1"], "leave out --baseline"),
        (["--family", "--test", "hsd"], "--test hsd has no family of measures"),
        (["--family", "--trials", "auto"], "--trials auto is for all pairs under one measure each; give a number"),
        (["--family", "-o", "p.svg"], "choose one measure"),
        (["--family", "-m", "nope", "-m", "P+"], "unknown measure 'nope'"),
    ],
)
def test_a_family_that_cannot_be_compared_is_one_line(
    kaiwa: Kaiwa, scores: Path, words: list[str], reason: str
) -> None:
    """What is wrong and what to give."""
    done = kaiwa("compare", str(scores), *words)
    assert done.returncode == 2
    assert reason in done.stderr


def test_compare_prints_leaderboard_teams_and_methods(kaiwa: Kaiwa, scores: Path) -> None:
    """What people read."""
    shown = kaiwa("compare", str(scores), "-m", "P+").stdout
    assert shown.splitlines()[0].split() == ["rank", "run", "mean", "low", "high", "groups", "ranks"]
    assert "X-C-R1 > Y-C-R1, Z-C-R1" in shown
    assert (
        "4 runs were compared by mean P+ over 12 topics with the studentised range test by sign flips of whole topics"
        in shown
    )
    hsd = kaiwa("compare", str(scores), "-m", "P+", "--test", "hsd").stdout
    assert "P+ over 12 topics with the randomised Tukey HSD test (5,000 trials" in hsd


def test_same_seed_same_output(kaiwa: Kaiwa, scores: Path) -> None:
    """Every bit, and another seed differs."""
    first, again, other = (
        kaiwa("compare", str(scores), "-m", "P+", "--json", "--trials", "99", "--seed", seed).stdout
        for seed in ("7", "7", "8")
    )
    assert first == again
    assert first != other


def test_compare_says_when_the_test_does_not_hold_its_error(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Near-duplicate runs of one team: one line with the option that holds it, and ``familywise`` in JSON."""
    rng = np.random.default_rng(2)
    team = rng.normal(0.4, 0.2, (40, 1)) + rng.normal(0, 0.02, (40, 20))
    values = np.hstack((team, rng.normal(0.4, 0.2, (40, 2))))
    path = tmp_path / "nERR@10.csv"
    np.savetxt(path, values, delimiter=",", header=",".join(f"run{n}" for n in range(22)), comments="")
    shown = kaiwa("compare", str(path), "--trials", "499", "--test", "hsd").stdout
    assert "not 0.05, because their variances or correlations are not equal; --test robust holds it (.045 to" in shown
    assert "if runs are exchangeable (equal variances and correlations)" in shown
    fields = json.loads(kaiwa("compare", str(path), "--trials", "499", "--test", "hsd", "--json").stdout)
    assert fields["familywise"] > 0.15
    robust = kaiwa("compare", str(path), "--trials", "499").stdout
    assert "holds it" not in robust
    assert "to 0.05 and keeps the variances and correlations of the runs" in robust
    assert json.loads(kaiwa("compare", str(path), "--test", "robust", "--json").stdout)["familywise"] <= 0.05


@pytest.mark.parametrize(
    ("test", "last"), [("hsd", 3), ("step-down", 3), ("tukey", 3), ("robust", 3), ("robust-step-down", 4)]
)
def test_every_all_pairs_test_runs(kaiwa: Kaiwa, scores: Path, test: str, last: int) -> None:
    """Each finds the large difference."""
    fields = json.loads(kaiwa("compare", str(scores), "-m", "P+", "--test", test, "--json").stdout)
    assert fields["ranks"]["Z-C-R1"] == last


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_every_planned_test_runs(kaiwa: Kaiwa, scores: Path, test: str) -> None:
    """Each run against the baseline, Holm-corrected."""
    done = kaiwa("compare", str(scores), "-m", "P+", "--baseline", "Z-C-R1", "--test", test, "--json")
    fields = json.loads(done.stdout)
    assert [pair["a"] for pair in fields["pairs"]] == ["X-C-R1", "X-C-R2", "Y-C-R1"]
    assert [pair["significant"] for pair in fields["pairs"]] == [True, True, False]
    assert fields["ranks"] == {}


def test_figures_are_written(kaiwa: Kaiwa, scores: Path, tmp_path: Path) -> None:
    """The means as SVG, of the table of pairs the p-values; the text is printed as without a file."""
    heat, means = tmp_path / "heat.svg", tmp_path / "means.svg"
    words = ["compare", str(scores), "-m", "P+"]
    done = [kaiwa(*words, "-o", str(means)), kaiwa(*words, "--table", "pairs", "-o", str(heat))]
    assert [one.stderr for one in done] == [f"wrote {means}\n", f"wrote {heat}\n"]
    assert [one.stdout for one in done] == [kaiwa(*words).stdout, kaiwa(*words, "--table", "pairs").stdout]
    assert "mean P+" in means.read_text(encoding="utf-8")
    assert "<svg" in heat.read_text(encoding="utf-8") != means.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--table", "anova"], "unknown figure 'anova'; known: leaderboard, pairs"),
        (["--baseline", "X-C-R1"], "figures show all pairs"),
        (["--table", "pair"], "unknown table 'pair'; did you mean 'pairs'"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(kaiwa: Kaiwa, scores: Path, options: list[str], message: str) -> None:
    """No file, nothing on stdout, exit code 2."""
    done = kaiwa("compare", str(scores), "-m", "P+", "-o", "p.svg", *options)
    assert (done.returncode, done.stdout, (scores.parent / "p.svg").exists()) == (2, "", False)
    assert message in done.stderr


def test_latex_uses_booktabs(kaiwa: Kaiwa, scores: Path) -> None:
    """A tabular ready to paste."""
    shown = kaiwa("compare", str(scores), "-m", "P+", "--format", "tex").stdout
    assert r"\toprule" in shown
    assert "X-C-R1 &" in shown


def test_output_goes_to_the_file_named(kaiwa: Kaiwa, scores: Path, tmp_path: Path) -> None:
    """The ending of -o chooses the form, stdout stays as it is, and -o - prints what a file would hold."""
    words = ["compare", str(scores), "-m", "P+"]
    made = {ending: tmp_path / f"result.{ending}" for ending in ("json", "csv", "tex", "html", "md", "txt")}
    done = {ending: kaiwa(*words, "--json", "-o", str(path)) for ending, path in made.items()}
    assert {one.stdout for one in done.values()} == {kaiwa(*words, "--json").stdout}
    assert done["txt"].stderr == f"wrote {made['txt']}\n"
    texts = {ending: path.read_text(encoding="utf-8") for ending, path in made.items()}
    assert json.loads(texts["json"])["topics"] == 12
    starts = {"csv": "rank,run,mean,low,high", "tex": r"\begin{tabular}", "html": "<!doctype html>", "md": "| rank |"}
    assert all(texts[ending].startswith(start) for ending, start in starts.items())
    assert "4 runs were compared by mean P+ over 12 topics" in texts["txt"]
    assert kaiwa(*words, "-o", "-").stdout == texts["txt"]
    assert kaiwa(*words, "-q", "-o", str(made["csv"])).stderr == ""


def test_an_output_that_is_an_input_is_refused(kaiwa: Kaiwa, scores: Path) -> None:
    """The scores are as before."""
    before = scores.read_bytes()
    done = kaiwa("compare", str(scores), "-m", "P+", "-o", str(scores))
    assert (done.returncode, scores.read_bytes()) == (2, before)


def test_runs_with_gaps_are_listed_and_never_ranked(kaiwa: Kaiwa, scores: Path) -> None:
    """--missing drop-runs keeps them on the board as n/a."""
    text = scores.read_text(encoding="utf-8").replace("P+,3,Y-C-R1,", "P+,3,Y-C-R1,n/a,").splitlines()
    scores.write_text("\n".join(line.rsplit(",", 1)[0] if "n/a" in line else line for line in text) + "\n")
    done = kaiwa("compare", str(scores), "-m", "P+", "--missing", "drop-runs", "--json")
    fields = json.loads(done.stdout)
    assert "Y-C-R1" not in fields["ranks"]
    assert fields["unranked"] == ["Y-C-R1"]
    assert "1 run left out for missing scores: Y-C-R1." in fields["notes"]
    shown = kaiwa("compare", str(scores), "-m", "P+", "--missing", "drop-runs").stdout
    assert " n/a  Y-C-R1     n/a" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "P"], "did you mean 'P+'"),
        (["-o", "p.svg"], "compared under nG@1, P+; choose one measure"),
        (["-m", "P+", "--trials", "0"], "neither a positive whole number nor 'auto'"),
        (["-m", "P+", "--trials", "5"], "give at least 19"),
        (["-m", "P+", "--trials", "1000000000"], "give 1 to 100,000,000"),
        (["-m", "P+", "--alpha", "2"], "between 0 and 1"),
        (["-m", "P+", "--alpha", "nan"], "between 0 and 1"),
        (["-m", "P+", "--baseline", "X-C-R9"], "unknown run 'X-C-R9'; did you mean"),
        (["-m", "P+", "--test", "t"], "add --baseline RUN"),
        (["-m", "P+", "--baseline", "X-C-R1", "--test", "hsd"], "leave out --baseline"),
        (["-m", "P+", "--test", "step-down", "--trials", "auto"], "give the step-down test a number"),
        (["-m", "P+", "--team-pattern", "("], "is not a regular expression"),
        (["-m", "P+", "--seed", "-1"], "--seed"),
    ],
)
def test_a_wrong_option_gets_one_line(kaiwa: Kaiwa, scores: Path, options: list[str], message: str) -> None:
    """Exit code 2, one line on stderr that says what to do, nothing on stdout."""
    done = kaiwa("compare", str(scores), *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A\n0.5\n0.6\n", "1 run"),
        ("A,B\n0.5,0.6\n", "1 topic"),
        ("A,B\n0.5,inf\n0.5,0.1\n", "not a finite number"),
        ("A,B\n0.5,nan\n0.5,0.1\n", "not a finite number"),
        ("A,A\n0.5,0.2\n0.5,0.1\n", "'A'"),
        ("measure,topic,run,score\nAP,1,A,1\nAP,1,A,1\n", "duplicate score"),
        ("measure,topic,run,score\nAP,1,A,1\nAP,1,B,1\nAP,2,A,1\n", "no score on topic '2'"),
        ("", "empty"),
    ],
)
def test_scores_that_cannot_be_compared_get_one_line(kaiwa: Kaiwa, tmp_path: Path, text: str, message: str) -> None:
    """One run, one topic, infinities, NaN, duplicates, gaps, nothing."""
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    done = kaiwa("compare", str(path))
    assert done.returncode == 2
    assert message in done.stderr
    assert "bad.csv" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_all_equal_scores_are_compared_without_a_warning(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Everyone ranks first; nothing on stderr."""
    path = tmp_path / "flat.csv"
    path.write_text("A,B,C\n" + "0.1,0.1,0.1\n" * 5, encoding="utf-8")
    done = kaiwa("compare", str(path), "--json")
    assert done.stderr == ""
    assert json.loads(done.stdout)["ranks"] == {"A": 1, "B": 1, "C": 1}


def test_llm_logs_are_compared_like_scores(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Is model A better than B and C? The same command answers."""
    paths = []
    for model, right in (("a", 38), ("b", 10), ("c", 9)):
        folder = tmp_path / model
        folder.mkdir()
        paths.append(folder / "samples_arc_easy_2026-01-05T10-20-30.1.jsonl")
        rows = [{"doc_id": doc, "filter": "none", "metrics": ["acc"], "acc": float(doc < right)} for doc in range(40)]
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = kaiwa("compare", *map(str, paths), "--json")
    assert json.loads(done.stdout)["ranks"] == {"a": 1, "b": 2, "c": 2}
    variance = json.loads(kaiwa("variance", *map(str, paths), "--json").stdout)
    assert (variance["topics"], variance["runs"], variance["matrices"]) == (40, 3, 1)
    assert (
        json.loads(kaiwa("design", *map(str, paths), "--systems", "2", "--min-diff", "0.1", "--json").stdout)["n"] > 40
    )


def test_tau_speaks_the_promised_json(kaiwa: Kaiwa, scores: Path) -> None:
    """tau, low, high."""
    fields = json.loads(kaiwa("tau", str(scores), "-m", "nG@1", "-m", "P+", "--json").stdout)
    assert fields["low"] <= fields["tau"] <= fields["high"]
    assert fields["runs"] == 4


def test_tau_between_two_files_joins_runs_by_name(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Runs that only one file has are left out and named."""
    (tmp_path / "a.csv").write_text("A,B,C,D\n0.1,0.2,0.3,0.4\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("C,B,A,E\n0.3,0.2,0.1,0.9\n", encoding="utf-8")
    done = kaiwa("tau", str(tmp_path / "a.csv"), "--other", str(tmp_path / "b.csv"), "--json")
    found = json.loads(done.stdout)
    assert (found["tau"], found["left_out"]) == (pytest.approx(1.0), ["D", "E"])
    assert (found["a"], found["b"]) == ("a (a.csv)", "b (b.csv)")


def test_tau_of_one_measure_is_refused(kaiwa: Kaiwa, scores: Path) -> None:
    """Two are needed."""
    done = kaiwa("tau", str(scores), "-m", "P+")
    assert done.returncode == 2
    assert "choose two" in done.stderr


def test_standardised_scores_read_back(kaiwa: Kaiwa, scores: Path, tmp_path: Path) -> None:
    """Standardise, save the factors, standardise again by them: the same file."""
    first, second, factors = tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "factors.csv"
    kaiwa("standardise", str(scores), "--save-factors", str(factors), "-o", str(first))
    kaiwa("standardise", str(scores), "--factors", str(factors), "-o", str(second))
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8")
    assert kaiwa("compare", str(first), "-m", "P+").returncode == 0


def test_a_single_run_needs_factors(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """One run alone cannot be standardised; the line names what to do."""
    path = tmp_path / "one.csv"
    path.write_text("measure,topic,run,score\nAP,1,A,0.5\nAP,2,A,0.6\n", encoding="utf-8")
    done = kaiwa("standardise", str(path))
    assert done.returncode == 2
    assert "factors of an earlier round" in done.stderr


def test_variance_speaks_the_promised_json(kaiwa: Kaiwa, scores: Path) -> None:
    """v_e, v_e2, topics, runs, with limits and components."""
    fields = json.loads(kaiwa("variance", str(scores), "-m", "P+", "--json").stdout)
    assert (fields["topics"], fields["runs"]) == (12, 4)
    assert fields["v_e_limits"][0] < fields["v_e"] < fields["v_e_limits"][1]
    assert [one["name"] for one in fields["components"]] == ["topic", "run", "residual"]
    assert 0 <= fields["generalisability"] <= 1


@pytest.fixture
def losses(tmp_path: Path) -> Path:
    """A gain and a loss of three runs; the run with the lowest loss has the highest gain."""
    rng = np.random.default_rng(1)
    lines = ["measure,topic,run,score"]
    for topic in range(20):
        for run, ppl in (("A", 15.5), ("B", 10.5), ("C", 13.0)):
            noise = rng.normal()
            lines += [f"ppl,{topic},{run},{ppl + noise:.4f}", f"acc,{topic},{run},{20 - ppl - noise:.4f}"]
    path = tmp_path / "losses.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_model_with_a_lower_perplexity_is_ranked_first(kaiwa: Kaiwa, losses: Path) -> None:
    """Ranks, direction and the better run of each pair in JSON; the words in the text."""
    fields = json.loads(kaiwa("compare", str(losses), "-m", "ppl", "--json").stdout)
    assert (fields["direction"], fields["ranks"]) == ("lower", {"B": 1, "C": 2, "A": 3})
    assert [pair["better"] for pair in fields["pairs"]] == ["B", "C", "B"]
    shown = kaiwa("compare", str(losses), "-m", "ppl").stdout
    assert "mean (lower is better)" in shown.splitlines()[0]
    assert "compared by mean ppl (lower is better) over 20 topics" in shown
    latex = kaiwa("compare", str(losses), "-m", "ppl", "--format", "tex").stdout
    assert "mean (lower is better)" in latex.replace(r"\\", " ")  # a narrow heading is stacked


def test_the_user_decides_the_direction(kaiwa: Kaiwa, losses: Path) -> None:
    """Against the name; for a name that says nothing; never for a measure that is not there."""
    chosen = kaiwa("compare", str(losses), "-m", "ppl", "--higher-is-better", "ppl", "--json")
    assert json.loads(chosen.stdout)["ranks"] == {"A": 1, "C": 2, "B": 3}
    chosen = kaiwa("compare", str(losses), "-m", "acc", "--lower-is-better", "acc", "--json")
    assert json.loads(chosen.stdout)["direction"] == "lower"
    done = kaiwa("compare", str(losses), "-m", "acc", "--lower-is-better", "pl")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown measure 'pl'; did you mean 'ppl'?" in done.stderr
    done = kaiwa("compare", str(losses), "-m", "acc", "--lower-is-better", "acc", "--higher-is-better", "acc")
    assert "both name 'acc'; give one of them" in done.stderr


def test_every_verb_of_scores_carries_the_direction(kaiwa: Kaiwa, losses: Path, tmp_path: Path) -> None:
    """Text, JSON and files of tau, standardise, variance, design and convert."""
    tau = json.loads(kaiwa("tau", str(losses), "-m", "ppl", "-m", "acc", "--json").stdout)
    assert (tau["tau"], tau["directions"]) == (1.0, ["lower", "higher"])
    out = tmp_path / "std.csv"
    done = kaiwa("standardise", str(losses), "-m", "ppl", "-o", str(out))
    assert "ppl: lower is better, also after standardisation" in done.stdout
    assert out.read_text().startswith("# lower is better: ppl\n")
    assert json.loads(kaiwa("compare", str(out), "--json").stdout)["ranks"] == {"B": 1, "C": 2, "A": 3}
    variance = kaiwa("variance", str(losses), "-m", "acc", "--lower-is-better", "acc").stdout
    assert variance.startswith("acc (lower is better): 20 topics, 3 runs")
    assert json.loads(kaiwa("variance", str(losses), "-m", "ppl", "--json").stdout)["direction"] == "lower"
    design = ["design", str(losses), "-m", "ppl", "--systems", "3", "--min-diff", "2", "--scale", "30"]
    assert "Scores: ppl (lower is better), 20 topics, 3 runs" in kaiwa(*design).stdout
    assert json.loads(kaiwa(*design, "--json").stdout)["direction"] == "lower"
    matrix = kaiwa("convert", str(losses), "--format", "matrix", "-m", "acc", "--lower-is-better", "acc").stdout
    assert matrix.startswith("# lower is better\ntopic,A,B,C\n")


def test_the_better_side_of_a_caterpillar_has_the_line(kaiwa: Kaiwa, losses: Path, tmp_path: Path) -> None:
    """The label of the axis says which way is up."""
    svg = tmp_path / "means.svg"
    kaiwa("compare", str(losses), "-m", "ppl", "-o", str(svg))
    assert "mean ppl (lower is better)" in svg.read_text(encoding="utf-8")


def test_every_verb_of_scores_takes_a_folder_of_logs_in_its_words(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Samples and models, not topics and runs."""
    rng = np.random.default_rng(1)
    for model, skill in (("small", 0.3), ("middle", 0.5), ("large", 0.8)):
        rows = [
            {"doc_id": doc, "filter": "none", "metrics": ["acc", "nll"], "acc": float(right), "nll": 1.5 - skill}
            for doc, right in enumerate(rng.random(30) < skill)
        ]
        folder = tmp_path / "logs" / model
        folder.mkdir(parents=True)
        lines = "".join(json.dumps(row | {"nll": row["nll"] + rng.random()}) + "\n" for row in rows)  # type: ignore[operator]
        (folder / "samples_quiz_2026-01-05T10-20-30.123456.jsonl").write_text(lines)
        told = {"results": {}, "higher_is_better": {"quiz": {"acc": True, "nll": False}}}
        (folder / "results_2026-01-05T10-20-30.123456.json").write_text(json.dumps(told, indent=2))
    logs = str(tmp_path / "logs")
    shown = kaiwa("compare", logs, "-m", "nll").stdout
    assert shown.splitlines()[0].split()[:2] == ["rank", "model"]
    assert shown.splitlines()[2].split()[1] == "large"
    assert "3 models were compared by mean nll (lower is better) over 30 samples" in shown
    assert "topic" not in shown
    assert "run" not in shown.replace("rounded", "")
    assert "model - small" in kaiwa("compare", logs, "-m", "acc", "--baseline", "small").stdout
    assert "nll (lower is better) against acc, 3 models" in kaiwa("tau", logs, "-m", "nll", "-m", "acc").stdout
    assert kaiwa("variance", logs, "-m", "acc").stdout.startswith("acc: 30 samples, 3 models")
    pilot = [logs, "-m", "acc"]
    design = kaiwa("design", *pilot, "--systems", "3", "--min-diff", "0.3").stdout
    assert design.startswith("Use ")
    assert "topic" not in design
    assert "samples" in kaiwa("design", "decide", *pilot).stdout
    assert kaiwa("standardise", logs, "-m", "nll", "-o", "-").stdout.startswith("# lower is better: nll\n")
    assert kaiwa("convert", logs, "--format", "csv").stdout.startswith(
        "# lower is better: nll\nmeasure,topic,run,score\n"
    )
