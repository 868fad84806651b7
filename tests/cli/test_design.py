"""``kaiwa design``: the answer first, one JSON object, grids, figures, pilots, prompts; refusals in one line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from kaiwa.cli import kaiwa as group

Made = Callable[[str, str | bytes], Path]
Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
CELL = ("--variance", "0.0643", "--systems", "10", "--min-diff", "0.15")


def matrix(values: np.ndarray) -> str:
    """A topics x runs CSV matrix with a header."""
    head = ",".join(["topic", *(f"R{run}" for run in range(values.shape[1]))])
    rows = [",".join([f"q{row}", *(f"{cell:.6f}" for cell in line)]) for row, line in enumerate(values.tolist())]
    return "\n".join([head, *rows]) + "\n"


def pilot(runs: int = 6, topics: int = 50) -> np.ndarray:
    """Scores between 0 and 1 with topic effects and runs that differ."""
    rng = np.random.default_rng(3)
    scores = rng.normal(0.4, 0.12, (topics, 1)) + rng.normal(np.linspace(0.06, -0.06, runs), 0.1, (topics, runs))
    return np.clip(scores, 0, 1)


def fields(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    """The one JSON object on stdout."""
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_the_answer_comes_first_in_plain_words(kaiwa: Kaiwa) -> None:
    """Topics to create, then why, then detail and the paragraph for the overview."""
    done = kaiwa("design", *CELL)
    assert done.stdout.startswith("Create 91 topics: ")
    assert "The published tables give 90, exact computation 91" in done.stdout
    assert "For the overview paper" in done.stdout


def test_json_holds_the_fields_scripts_rely_on(kaiwa: Kaiwa) -> None:
    """n, power, method, alternatives."""
    found = fields(kaiwa("design", *CELL, "--method", "sakai", "--json"))
    assert (found["n"], found["method"], found["exact_n"]) == (90, "sakai", 91)
    assert found["exact_power"] < 0.8 <= found["power"]  # type: ignore[operator]
    assert {"n", "power", "min_diff"} == set(found["alternatives"][0])  # type: ignore[index]


def test_the_published_table_is_printed_as_in_the_paper(kaiwa: Kaiwa) -> None:
    """Sakai (2015), Table 4, P+."""
    done = kaiwa("design", "--variance", ".0637", "--table", "--method", "sakai", "--format", "csv")
    assert done.stdout.splitlines()[:2] == ["minD,m=2,m=5,m=10,m=50,m=100", "0.05,391,604,794,1524,2056"]


@pytest.mark.parametrize("style", ["text", "latex"])
def test_a_table_of_ones_own_grid(kaiwa: Kaiwa, style: str) -> None:
    """Systems and differences as lists."""
    grid = ("--systems", "2,10", "--min-diff", "0.1,0.15", "--format", style)
    done = kaiwa("design", "--variance", "0.0643", "--table", *grid)
    assert done.returncode == 0
    assert "91" in done.stdout
    assert ("tabular" in done.stdout) == (style == "latex")


def test_what_is_left_out_is_found(kaiwa: Kaiwa) -> None:
    """Topics given: the difference; difference too: the power."""
    assert fields(kaiwa("design", "--variance", "0.0643", "--systems", "10", "--topics", "91", "--json"))[
        "min_diff"
    ] == pytest.approx(0.1494, abs=1e-4)
    assert fields(kaiwa("design", *CELL, "--topics", "90", "--json"))["power"] == pytest.approx(0.7984, abs=1e-4)


def test_a_pilot_gives_raw_and_standardised_with_limits(kaiwa: Kaiwa, made: Made) -> None:
    """std-AB beside raw, bootstrap limits on n, and the worst case without a pilot."""
    path = made("pilot.csv", matrix(pilot()))
    found = fields(kaiwa("design", "--pilot", str(path), "--systems", "5", "--min-diff", "0.1", "--json"))
    sides = found["pilot"]["sides"]  # type: ignore[index]
    assert [side["scores"] for side in sides] == ["raw", "std-AB"]
    assert found["n_low"] <= found["n"] <= found["n_high"]  # type: ignore[operator]
    assert sides[1]["n"] <= found["pilot"]["worst_case_n"]  # type: ignore[index]


def test_a_pilot_is_answered_for_the_test_of_compare(kaiwa: Kaiwa, made: Made) -> None:
    """By V_E2, which the paragraph names; one-way ANOVA, which counts topic difficulty, needs more and is beside it."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = ("--pilot", path, "--systems", "5", "--min-diff", "0.1")
    found = fields(kaiwa("design", *asked, "--json"))
    assert found["test"] == "randomised-hsd"
    one_way = fields(kaiwa("design", *asked, "--test", "anova", "--json"))
    assert found["one_way"]["n"] == one_way["n"] > 1.4 * found["n"]  # type: ignore[index, operator]
    assert one_way["one_way"] is None
    text = kaiwa("design", *asked).stdout
    assert f"from the residual variance after systems and topics (V_E2), {found['variance']:.4g}" in text
    assert f"gives {one_way['n']:,} topics from V_E {one_way['variance']:.4g}" in text
    published = fields(kaiwa("design", *asked, "--method", "sakai", "--json"))
    assert published["test"] == "anova"


def test_a_pilot_is_designed_for_the_robust_test_by_how_unequal_its_runs_are(kaiwa: Kaiwa, made: Made) -> None:
    """The ratio is a sentence, a field and in the number; the table has the same number."""
    values = pilot() - 0.5
    values[:, 0] *= 3
    asked = ("--pilot", str(made("pilot.csv", matrix(values))), "--systems", "3", "--min-diff", "0.2", "--test")
    found, equal = (fields(kaiwa("design", *asked, test, "--json")) for test in ("robust", "hsd-paired"))
    assert found["range_ratio"] > 1  # type: ignore[operator]
    assert found["n"] > equal["n"]  # type: ignore[operator]
    assert f"{found['range_ratio']:.3f} times that of equal runs" in kaiwa("design", *asked, "robust").stdout
    assert fields(kaiwa("design", *asked, "robust", "--table", "--json"))["table"][0]["n"] == found["n"]  # type: ignore[index]


def test_a_table_from_a_pilot_is_for_the_same_test(kaiwa: Kaiwa, made: Made) -> None:
    """The cell of the table is the answer."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = ("--pilot", path, "--systems", "5", "--min-diff", "0.1", "--json")
    cell = fields(kaiwa("design", *asked, "--table"))["table"][0]  # type: ignore[index]
    assert cell["n"] == fields(kaiwa("design", *asked))["n"]


@pytest.mark.parametrize(("topics", "runs", "warned"), [(2, 2, True), (19, 6, True), (20, 4, True), (20, 5, False)])
def test_a_small_pilot_is_answered_with_a_warning_and_an_assured_number(
    kaiwa: Kaiwa,
    made: Made,
    topics: int,
    runs: int,
    warned: bool,  # noqa: FBT001
) -> None:
    """Below 20 topics or 5 runs; nothing but the answer is printed, and no warning of another library."""
    path = str(made("pilot.csv", matrix(pilot()[:topics, :runs])))
    asked = ("--pilot", path, "--systems", "5", "--min-diff", "0.1")
    done = kaiwa("design", *asked, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = fields(done)
    assert found["assurance"]["n"] > found["n"]  # type: ignore[index, operator]
    assert found["assurance"]["expected_power"] < found["power"]  # type: ignore[index, operator]
    assert bool(found["warnings"]) is warned
    assert ("Warning: " in kaiwa("design", *asked).stdout) is warned


def test_a_pilot_without_residuals_is_refused(kaiwa: Kaiwa, made: Made) -> None:
    """Topics differ, but every run by the same amount: the paired test would need no topics at all."""
    path = str(made("p.csv", "topic,A,B\nq1,0.1,0.2\nq2,0.5,0.6\n"))
    done = kaiwa("design", "--pilot", path, "--systems", "3", "--min-diff", "0.1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "differ equally on every topic" in done.stderr


def test_a_decision_tells_what_the_pilot_leaves_uncertain(kaiwa: Kaiwa, made: Made) -> None:
    """In the text and as n_low and n_high."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = ("design", "decide", "tau", "--pilot", path, "--target", "0.7")
    found = fields(kaiwa(*asked, "--json"))
    assert found["n_low"] <= found["n"]  # type: ignore[operator]
    assert f"8 in 10 other pilots of 50 topics would answer from {found['n_low']:,}" in kaiwa(*asked).stdout


def test_rounds_name_their_spending_and_serve_all_pairs(kaiwa: Kaiwa) -> None:
    """The function of Lan and DeMets, in the text and in the JSON."""
    asked = ("design", "rounds", "30,60", *CELL, "--test", "hsd-paired", "--spending", "pocock")
    assert "with alpha spent by the Pocock function of Lan and DeMets" in kaiwa(*asked).stdout
    rounds = fields(kaiwa(*asked, "--json"))["rounds"]
    assert rounds["spending"] == "pocock"  # type: ignore[index]
    assert rounds["kept"] == pytest.approx(0.05, abs=0.0015)  # type: ignore[index]


def test_pool_sizes_are_measured_on_runs_without_judgements(kaiwa: Kaiwa, made: Made) -> None:
    """Four runs over the same 12 of 100 items: 12 at most, where the formula for half shared lists gives 25."""
    rng = np.random.default_rng(1)
    runs: list[str] = []
    for name in ("A", "B", "C", "D"):
        lines = [
            f"q{q} Q0 d{d} {rank + 1} {20 - rank} {name}"
            for q in range(5)
            for rank, d in enumerate(rng.permutation(12)[:10].tolist())
        ]
        runs += ["--judged", str(made(f"{name}.run", "\n".join(lines) + "\n"))]
    asked = ("design", "cost", *CELL, *runs, "--assessors", "1,3", "--pool-depth", "1,10", "--json")
    ways = fields(kaiwa(*asked))["cost"]
    assert (ways[0]["depth"], ways[0]["assessors"]) == (10, 3)  # type: ignore[index]
    assert ways[0]["items"] == pytest.approx(12.0)  # type: ignore[index]
    fewer = fields(kaiwa(*asked, "--runs", "1"))["cost"]
    assert fewer[0]["items"] == 10.0  # type: ignore[index]


def test_two_pilots_are_pooled(kaiwa: Kaiwa, made: Made) -> None:
    """The pooled variance of the same pilot twice is its own."""
    one, two = made("a.csv", matrix(pilot())), made("b.csv", matrix(pilot()))
    asked = ("--systems", "5", "--min-diff", "0.1", "--json")
    single = fields(kaiwa("design", "--pilot", str(one), *asked))
    pooled = fields(kaiwa("design", "--pilot", str(one), "--pilot", str(two), *asked))
    assert pooled["variance"] == pytest.approx(single["variance"])


def test_simulation_decision_cost_and_rounds_join_the_answer(kaiwa: Kaiwa, made: Made) -> None:
    """Each part under its own name in the JSON."""
    path = made("pilot.csv", matrix(pilot()))
    asked = ("--pilot", str(path), "--systems", "3", "--min-diff", "0.1", "--test", "two-way")
    parts = ("--simulate", "randomised-hsd", "--trials", "500", "--cost", "--pool-depth", "5,10", "--rounds", "10,20")
    found = fields(kaiwa("design", *asked, *parts, "--json"))
    assert found["simulation"]["test"] == "randomised-hsd"  # type: ignore[index]
    assert found["simulation"]["error"] > 0  # type: ignore[index]
    assert len(found["cost"]) == 2  # type: ignore[arg-type]
    assert found["rounds"]["naive"] > found["rounds"]["kept"]  # type: ignore[index]
    decision = fields(kaiwa("design", "--pilot", str(path), "--decide", "tau", "--target", "0.7", "--json"))
    assert decision["power"] >= 0.7  # type: ignore[operator]


def test_figures_are_svg_and_the_same_twice(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Power and difference against topics."""
    kaiwa("design", *CELL, "--power-curve", "power.svg", "--diff-curve", "diff.svg")
    first = (tmp_path / "power.svg").read_bytes()
    kaiwa("design", *CELL, "--power-curve", "power.svg", "--quiet")
    assert first.startswith(b"<?xml")
    assert first == (tmp_path / "power.svg").read_bytes()
    assert (tmp_path / "diff.svg").stat().st_size > 1000


def test_prompts_for_language_models(kaiwa: Kaiwa) -> None:
    """The question in the words of those who evaluate language models."""
    asked = ("--pass-rate", "0.62", "--min-diff", "0.03", "--systems", "2", "--paired-correlation", "0.5")
    assert kaiwa("design", *asked).stdout.startswith("Use 2,022 prompts: ")
    assert fields(kaiwa("design", *asked, "--json"))["n"] == 2022


def test_pass_rates_of_many_systems_are_answered_in_prompts(kaiwa: Kaiwa) -> None:
    """Two-way ANOVA, in terms of prompts."""
    done = kaiwa("design", "--pass-rate", "0.6", "--min-diff", "0.05", "--systems", "5", "--paired-correlation", "0.5")
    assert done.stdout.startswith("Create ")
    assert "prompts" in done.stdout
    assert "topic" not in done.stdout


def test_what_depth_does_is_measured_on_judged_runs(kaiwa: Kaiwa, made: Made) -> None:
    """Pool sizes, variances and agreement by depth from run files and judgements."""
    rng = np.random.default_rng(1)
    runs = []
    for name in ("A", "B", "C"):
        lines = [
            f"q{q} Q0 d{d} {rank + 1} {10 - rank} {name}"
            for q in range(12)
            for rank, d in enumerate(rng.permutation(8)[:5].tolist())
        ]
        runs += ["--judged", str(made(f"{name}.run", "\n".join(lines) + "\n"))]
    grades = [f"q{q} 0 d{d} {int(rng.integers(3))}" for q in range(12) for d in range(8)]
    qrels = made("qrels.txt", "\n".join(grades) + "\n")
    asked = ("--variance", "0.1", "--systems", "3", "--min-diff", "0.2", "--cost", "--pool-depth", "1,5")
    found = fields(kaiwa("design", *asked, *runs, "--qrels", str(qrels), "-m", "nERR@5", "--json"))
    depths = {way["depth"]: way for way in found["cost"]}  # type: ignore[attr-defined]
    assert depths[1]["items"] < depths[5]["items"]
    assert depths[5]["agreement"] == pytest.approx(1.0)


def test_what_fewer_assessors_do_is_measured_on_votes(kaiwa: Kaiwa, made: Made) -> None:
    """One assessor per item is noisier than nine: a larger variance, and an order that agrees less."""
    rng = np.random.default_rng(1)
    quality = rng.random((40, 8))
    runs = []
    for name, noise in (("A", 0.1), ("B", 0.3), ("C", 0.6), ("D", 1.0)):
        order = np.argsort(-(quality + rng.normal(0, noise, quality.shape)), axis=1)[:, :5]
        lines = [f"q{q} Q0 d{d} {rank + 1} {10 - rank} {name}" for q in range(40) for rank, d in enumerate(order[q])]
        runs += ["--judged", str(made(f"{name}.run", "\n".join(lines) + "\n"))]
    cast = rng.binomial(2, quality[:, :, None], (40, 8, 9))
    labels = [f"q{q}\td{d}\t" + "\t".join(map(str, cast[q, d])) for q in range(40) for d in range(8)]
    votes = made("votes.txt", "\n".join(labels) + "\n")
    asked = ("--variance", "0.1", "--systems", "3", "--min-diff", "0.2", "--budget", "40", "--assessors", "1,3")
    found = fields(kaiwa("design", *asked, *runs, "--votes", str(votes), "-m", "nERR@5", "--json"))
    ways = {way["assessors"]: way for way in found["cost"]}  # type: ignore[attr-defined]
    assert set(ways) == {1, 3, 9}
    assert ways[1]["variance"] > ways[3]["variance"] > ways[9]["variance"]
    assert ways[1]["agreement"] <= ways[9]["agreement"] == pytest.approx(1.0)
    assert ways[1]["n"] > ways[9]["n"]
    refused = kaiwa("design", *asked, "--assessors", "10", *runs, "--votes", str(votes))
    assert (refused.returncode, "give at most 9" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--systems", "3", "--min-diff", "0.1"), "variance: is missing"),
        ((*CELL, "--cost", "--judged", "a.run", "--qrels", "q", "--votes", "v"), "give one of them"),
        ((*CELL, "--alpha", "1"), "alpha: 1 is not between"),
        ((*CELL, "--table", "--test", "interval"), "interval"),
        ((*CELL, "--simulate", "anova"), "pilot: 0 are given, one is resampled"),
        (("--pass-rate", "0.6"), "min_diff: is missing"),
        (("--pass-rate", "1.6", "--min-diff", "0.1"), "pass_rate: 1.6 is not between"),
        ((*CELL, "--rounds", "50"), "rounds: [50] is not a growing list"),
        ((*CELL, "--budget", "0.001"), "give at least"),
        ((*CELL, "--cost", "--overlap", "2"), "overlap: 2 is not in"),
        (("--variance", "0.1", "--systems", "2,3", "--min-diff", "0.1"), "give one, or --table"),
        ((*CELL, "--table", "--cost"), "--table cannot be combined with --cost"),
        ((*CELL, "--cost", "--qrels", "q.txt"), "judge runs; give these too (--judged)"),
        ((*CELL, "--spending", "pocok", "--rounds", "30,60"), "did you mean 'pocock'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(kaiwa: Kaiwa, words: tuple[str, ...], message: str) -> None:
    """Place, fault, repair; no traceback."""
    done = kaiwa("design", *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("topic,A,B\nq1,0.1,0.2\n", "one topic"),
        ("topic,A\nq1,0.1\nq2,0.3\n", "one run"),
        ("topic,A,B\nq1,0.1,0.1\nq2,0.1,0.1\n", "every run scores the same"),
    ],
)
def test_a_pilot_that_shows_no_variance_is_refused(kaiwa: Kaiwa, made: Made, content: str, message: str) -> None:
    """One topic, one run, or all the same."""
    done = kaiwa("design", "--pilot", str(made("p.csv", content)), "--systems", "3", "--min-diff", "0.1")
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (("cost", *CELL, "--pool-depth", "5,10"), (*CELL, "--cost", "--pool-depth", "5,10")),
        (("cost", *CELL, "--budget", "500"), (*CELL, "--budget", "500")),
        (
            ("rounds", "30,60,91", *CELL, "--spending", "pocock"),
            (*CELL, "--rounds", "30,60,91", "--spending", "pocock"),
        ),
        (("pass-rate", "0.62", "--min-diff", "0.03"), ("--pass-rate", "0.62", "--min-diff", "0.03")),
        (
            ("pass-rate", "0.62", "--min-diff", "0.05", "--systems", "4"),
            ("--pass-rate", "0.62", "--min-diff", "0.05", "--systems", "4"),
        ),
        (
            ("simulate", "two-way", "--pilot", "p.csv", "--systems", "3", "--min-diff", "0.2", "--trials", "500"),
            ("--simulate", "two-way", "--pilot", "p.csv", "--systems", "3", "--min-diff", "0.2", "--trials", "500"),
        ),
        (
            ("decide", "tau", "--pilot", "p.csv", "--target", "0.7"),
            ("--decide", "tau", "--pilot", "p.csv", "--target", "0.7"),
        ),
    ],
)
def test_a_command_of_design_answers_as_its_option_does(
    made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    """Text and JSON, to the byte."""
    made("p.csv", matrix(pilot()))
    monkeypatch.chdir(tmp_path)
    for form in ((), ("--json",)):
        first, second = (CliRunner().invoke(group, ["design", *words, *form]) for words in (command, options))
        assert (first.exit_code, first.output) == (0, second.output)


def test_options_before_a_command_of_design_are_refused(kaiwa: Kaiwa) -> None:
    """They would be lost otherwise."""
    done = kaiwa("design", "--variance", "0.1", "cost", "--systems", "3", "--min-diff", "0.1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "options go after the command: kaiwa design cost" in done.stderr


def test_a_file_of_a_command_of_design_is_recorded_in_a_task_folder(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Under the words that were typed."""
    kaiwa("init", "task")
    assert kaiwa("design", "cost", *CELL, "-o", "task/cost.txt").returncode == 0
    record = json.loads((tmp_path / "task" / ".kaiwa-steps.json").read_text())
    assert record["cost.txt"]["verb"] == "design cost"


def test_a_form_without_a_table_is_refused(kaiwa: Kaiwa) -> None:
    """Sentences are not LaTeX: the form is for --table, and is not ignored."""
    done = kaiwa("design", *CELL, "--format", "latex")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--format latex is for a table of sizes; add --table" in done.stderr
