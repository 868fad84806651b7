"""``kaiwa design``: the answer first, one JSON object, grids, figures, scores, prompts; refusals in one line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kaiwa as package
from kaiwa.formats.readers import read_scores

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
    assert done.stdout.rstrip().endswith("using Kaiwa.")


def test_json_holds_the_fields_scripts_rely_on(kaiwa: Kaiwa) -> None:
    """n, power, method, alternatives."""
    found = fields(kaiwa("design", *CELL, "--method", "sakai", "--json"))
    assert (found["n"], found["method"], found["exact_n"]) == (90, "sakai", 91)
    assert found["exact_power"] < 0.8 <= found["power"]  # type: ignore[operator]
    assert {"n", "power", "min_diff"} == set(found["alternatives"][0])  # type: ignore[index]


def test_the_published_table_is_printed_as_in_the_paper(kaiwa: Kaiwa) -> None:
    """Sakai (2015), Table 4, P+."""
    grid = ("--systems", "2,5,10,50,100", "--min-diff", ".05,.1")
    done = kaiwa("design", "--variance", ".0637", *grid, "--method", "sakai", "--table", "grid")
    assert [line.split() for line in done.stdout.splitlines()[::2]][:2] == [
        ["minD", "m=2", "m=5", "m=10", "m=50", "m=100"],
        ["0.05", "391", "604", "794", "1,524", "2,056"],
    ]
    tidy = kaiwa("design", "--variance", ".0637", *grid, "--method", "sakai", "--format", "csv", "--table", "grid")
    assert tidy.stdout.splitlines()[:2] == ["systems,min_diff,n", "2,0.05,391"]


@pytest.mark.parametrize("style", ["text", "tex"])
def test_a_table_of_ones_own_grid(kaiwa: Kaiwa, style: str) -> None:
    """Systems and differences as lists."""
    grid = ("--systems", "2,10", "--min-diff", "0.1,0.15", "--format", style)
    done = kaiwa("design", "--variance", "0.0643", "--table", "grid", *grid)
    assert done.returncode == 0
    assert "91" in done.stdout
    assert ("tabular" in done.stdout) == (style == "tex")


def test_what_is_left_out_is_found(kaiwa: Kaiwa) -> None:
    """Topics given: the difference; difference too: the power."""
    assert fields(kaiwa("design", "--variance", "0.0643", "--systems", "10", "--topics", "91", "--json"))[
        "min_diff"
    ] == pytest.approx(0.1494, abs=1e-4)
    assert fields(kaiwa("design", *CELL, "--topics", "90", "--json"))["power"] == pytest.approx(0.7984, abs=1e-4)


def test_a_pilot_gives_raw_and_standardised_with_limits(kaiwa: Kaiwa, made: Made) -> None:
    """std-AB beside raw, bootstrap limits on n, and the worst case without a pilot."""
    path = made("pilot.csv", matrix(pilot()))
    found = fields(kaiwa("design", str(path), "--systems", "5", "--min-diff", "0.1", "--json"))
    sides = found["pilot"]["sides"]  # type: ignore[index]
    assert [side["scores"] for side in sides] == ["raw", "std-AB"]
    assert found["n_low"] <= found["n"] <= found["n_high"]  # type: ignore[operator]
    assert sides[1]["n"] <= found["pilot"]["worst_case_n"]  # type: ignore[index]


def test_a_pilot_is_answered_for_the_test_of_compare(kaiwa: Kaiwa, made: Made) -> None:
    """By V_E2, which the paragraph names; one-way ANOVA, which counts topic difficulty, needs more and is beside it."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = (path, "--systems", "5", "--min-diff", "0.1")
    found = fields(kaiwa("design", *asked, "--json"))
    assert found["test"] == "robust"
    one_way = fields(kaiwa("design", *asked, "--test", "anova", "--json"))
    assert found["one_way"]["n"] == one_way["plug_in_n"] > 1.4 * found["n"]  # type: ignore[index, operator]
    assert one_way["one_way"] is None
    text = kaiwa("design", *asked).stdout
    assert f"from the residual variance after systems and topics (V_E2), {found['variance']:.4g}" in text
    assert f"gives {one_way['plug_in_n']:,} topics from V_E {one_way['variance']:.4g}" in text
    published = fields(kaiwa("design", *asked, "--method", "sakai", "--json"))
    assert published["test"] == "anova"


@pytest.mark.parametrize("test", [None, "robust", "anova", "tukey", "hsd", "two-way"])
def test_the_command_and_python_give_one_number(kaiwa: Kaiwa, made: Made, test: str | None) -> None:
    """A computed variance gives each test its own; the default test is the same, whichever door."""
    path = made("pilot.csv", matrix(pilot()))
    scores = read_scores(path)["pilot"]
    options = ("--test", test) if test else ()
    found = fields(kaiwa("design", str(path), "--systems", "5", "--min-diff", "0.1", *options, "--json"))
    by_variance = package.design(variance=package.variance(scores), systems=5, min_diff=0.1, test=test)
    by_pilot = package.design(scores, systems=5, min_diff=0.1, test=test)
    names = ("n", "assured_n", "plug_in_n", "power", "test", "variance")
    for one in (by_variance, by_pilot):
        assert {name: getattr(one, name) for name in names} == {name: found[name] for name in names}
    assert by_variance.test == test or (test is None and by_variance.test == "robust")


def test_a_number_is_v_e_and_asks_for_the_test_of_the_papers(kaiwa: Kaiwa) -> None:
    """Unless a test is named; one line says so, in the text, in the JSON, in a table and in Python."""
    line = "No test is named, so the variance is taken as V_E, and the test is the papers' one-way ANOVA."
    found = fields(kaiwa("design", *CELL, "--json"))
    assert (found["test"], found["notes"], found["assured_n"], found["plug_in_n"]) == ("anova", [line], None, 91)
    assert line in kaiwa("design", *CELL).stdout.splitlines()
    assert line in kaiwa("design", "--variance", "0.0643", "--systems", "2,3", "--min-diff", ".1").stdout.splitlines()
    given = package.design(variance=0.0643, systems=10, min_diff=0.15)
    assert (given.n, given.notes) == (91, (line,))
    assert line in str(given)
    assert "No test is named" in given._repr_html_()
    named = fields(kaiwa("design", *CELL, "--test", "robust", "--json"))
    assert (named["test"], named["notes"]) == ("robust", [])
    assert package.design(variance=0.0643, systems=10, min_diff=0.15, test="anova").notes == ()


def test_a_pilot_is_designed_for_the_robust_test_by_how_unequal_its_runs_are(kaiwa: Kaiwa, made: Made) -> None:
    """The ratio is a sentence, a field and in the number; the table has the same number."""
    values = pilot() - 0.5
    values[:, 0] *= 3
    asked = (str(made("pilot.csv", matrix(values))), "--systems", "3", "--min-diff", "0.2", "--test")
    found, equal = (fields(kaiwa("design", *asked, test, "--json")) for test in ("robust", "tukey"))
    assert found["range_ratio"] > 1  # type: ignore[operator]
    assert found["n"] > equal["n"]  # type: ignore[operator]
    assert f"{found['range_ratio']:.3f} times that of equal runs" in kaiwa("design", *asked, "robust").stdout
    cells = fields(kaiwa("design", *asked, "robust", "--systems", "2", "--json"))["grid"]
    assert cells[0]["n"] == found["n"]  # type: ignore[index]


def test_a_table_from_a_pilot_is_for_the_same_test(kaiwa: Kaiwa, made: Made) -> None:
    """The cell of the table is the answer."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = (path, "--min-diff", "0.1", "--json", "--systems")
    grid = fields(kaiwa("design", *asked, "3,5"))
    assert grid["grid"][1]["n"] == fields(kaiwa("design", *asked, "5"))["n"] == grid["n"]  # type: ignore[index]


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
    asked = (path, "--systems", "5", "--min-diff", "0.1")
    done = kaiwa("design", *asked, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = fields(done)
    assert found["n"] == found["assured_n"] > found["plug_in_n"]  # type: ignore[operator]
    assert found["plug_in_power"] < 0.8 <= found["power"]  # type: ignore[operator]
    assert f"The plug-in number, which takes the pilot's variance for the true one, is {found['plug_in_n']:,};" in (
        kaiwa("design", *asked).stdout
    )
    assert bool(found["warnings"]) is warned
    assert ("Warning: " in kaiwa("design", *asked).stdout) is warned


def test_a_pilot_without_residuals_is_refused(kaiwa: Kaiwa, made: Made) -> None:
    """Topics differ, but every run by the same amount: the paired test would need no topics at all."""
    path = str(made("p.csv", "topic,A,B\nq1,0.1,0.2\nq2,0.5,0.6\n"))
    done = kaiwa("design", path, "--systems", "3", "--min-diff", "0.1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "differ equally on every topic" in done.stderr


def test_a_decision_tells_what_the_pilot_leaves_uncertain(kaiwa: Kaiwa, made: Made) -> None:
    """In the text and as n_low and n_high."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = ("design", "decide", path, "--goal", "tau", "--target", "0.7")
    found = fields(kaiwa(*asked, "--json"))
    assert found["n_low"] <= found["n"]  # type: ignore[operator]
    assert f"8 in 10 other pilots of 50 topics would answer from {found['n_low']:,}" in kaiwa(*asked).stdout


def test_rounds_name_their_spending_and_serve_all_pairs(kaiwa: Kaiwa) -> None:
    """The function of Lan and DeMets, in the text and in the JSON."""
    asked = ("design", "rounds", "--looks", "30,60", *CELL, "--test", "tukey", "--spending", "pocock")
    assert "with alpha spent by the Pocock function of Lan and DeMets" in kaiwa(*asked).stdout
    rounds = fields(kaiwa(*asked, "--json"))
    assert rounds["spending"] == "pocock"
    assert rounds["kept"] == pytest.approx(0.05, abs=0.0015)


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
        runs += ["--runs", str(made(f"{name}.run", "\n".join(lines) + "\n"))]
    asked = ("design", "cost", *CELL, *runs, "--votes-per-item", "1,3", "--depth", "1,10", "--json")
    ways = fields(kaiwa(*asked))["ways"]
    assert (ways[0]["depth"], ways[0]["assessors"]) == (10, 3)  # type: ignore[index]
    assert ways[0]["items"] == pytest.approx(12.0)  # type: ignore[index]
    fewer = fields(kaiwa(*asked, "--pooled", "1"))["ways"]
    assert fewer[0]["items"] == 10.0  # type: ignore[index]


def test_two_pilots_are_pooled(kaiwa: Kaiwa, made: Made) -> None:
    """The pooled variance of the same pilot twice is its own."""
    one, two = made("a.csv", matrix(pilot())), made("b.csv", matrix(pilot()))
    asked = ("--systems", "5", "--min-diff", "0.1", "--json")
    single = fields(kaiwa("design", str(one), *asked))
    pooled = fields(kaiwa("design", str(one), str(two), *asked))
    assert pooled["variance"] == pytest.approx(single["variance"])


def test_simulation_cost_and_rounds_hold_the_design(kaiwa: Kaiwa, made: Made) -> None:
    """Each beside its own answer."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = (path, "--systems", "3", "--min-diff", "0.1", "--json")
    designed = fields(kaiwa("design", *asked, "--test", "two-way"))["n"]
    drawn = ("--test", "hsd", "--designed-test", "two-way", "--trials", "500")
    simulated = fields(kaiwa("design", "simulate", *asked, *drawn))
    assert (simulated["test"], simulated["method"]) == ("hsd", "simulation")
    assert simulated["error"] > 0  # type: ignore[operator]
    assert simulated["steps"][0]["n"] == designed == simulated["design"]["n"]  # type: ignore[index]
    cost = fields(kaiwa("design", "cost", *asked, "--test", "two-way", "--depth", "5,10"))
    assert (len(cost["ways"]), cost["design"]["n"]) == (2, designed)  # type: ignore[arg-type, index]
    rounds = fields(kaiwa("design", "rounds", *asked, "--test", "two-way", "--looks", "10,20"))
    assert rounds["naive"] > rounds["kept"]  # type: ignore[operator]
    assert rounds["design"]["n"] == designed  # type: ignore[index]
    decision = fields(kaiwa("design", "decide", path, "--goal", "tau", "--target", "0.7", "--json"))
    assert decision["power"] >= 0.7  # type: ignore[operator]


def test_figures_are_svg_and_the_same_twice(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Power and difference against topics."""
    kaiwa("design", *CELL, "-o", "power.svg")
    kaiwa("design", *CELL, "-o", "diff.svg", "--table", "differences")
    first = (tmp_path / "power.svg").read_bytes()
    kaiwa("design", *CELL, "-o", "power.svg", "--quiet")
    assert first.startswith(b"<?xml")
    assert first == (tmp_path / "power.svg").read_bytes()
    assert (tmp_path / "diff.svg").stat().st_size > 1000


def test_prompts_for_language_models(kaiwa: Kaiwa) -> None:
    """The question in the words of those who evaluate language models."""
    asked = ("design", "pass-rate", "0.62", "--min-diff", "0.03", "--systems", "2", "--correlation", "0.5")
    assert kaiwa(*asked).stdout.startswith("Use 2,022 prompts: ")
    assert fields(kaiwa(*asked, "--json"))["n"] == 2022


def test_pass_rates_of_many_systems_are_answered_in_prompts(kaiwa: Kaiwa) -> None:
    """Two-way ANOVA, in terms of prompts."""
    done = kaiwa("design", "pass-rate", "0.6", "--min-diff", "0.05", "--systems", "5", "--correlation", "0.5")
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
        runs += ["--runs", str(made(f"{name}.run", "\n".join(lines) + "\n"))]
    grades = [f"q{q} 0 d{d} {int(rng.integers(3))}" for q in range(12) for d in range(8)]
    qrels = made("qrels.txt", "\n".join(grades) + "\n")
    asked = ("--variance", "0.1", "--systems", "3", "--min-diff", "0.2", "--depth", "1,5")
    found = fields(kaiwa("design", "cost", *asked, *runs, "--qrels", str(qrels), "-m", "nERR@5", "--json"))
    depths = {way["depth"]: way for way in found["ways"]}  # type: ignore[attr-defined]
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
        runs += ["--runs", str(made(f"{name}.run", "\n".join(lines) + "\n"))]
    cast = rng.binomial(2, quality[:, :, None], (40, 8, 9))
    labels = [f"q{q}\td{d}\t" + "\t".join(map(str, cast[q, d])) for q in range(40) for d in range(8)]
    votes = made("votes.txt", "\n".join(labels) + "\n")
    asked = ("--variance", "0.1", "--systems", "3", "--min-diff", "0.2", "--hours", "40", "--votes-per-item", "1,3")
    found = fields(kaiwa("design", "cost", *asked, *runs, "--votes", str(votes), "-m", "nERR@5", "--json"))
    ways = {way["assessors"]: way for way in found["ways"]}  # type: ignore[attr-defined]
    assert set(ways) == {1, 3, 9}
    assert ways[1]["variance"] > ways[3]["variance"] > ways[9]["variance"]
    assert ways[1]["agreement"] <= ways[9]["agreement"] == pytest.approx(1.0)
    assert ways[1]["n"] > ways[9]["n"]
    refused = kaiwa("design", "cost", *asked[:-1], "10", *runs, "--votes", str(votes))
    assert (refused.returncode, "give at most 9" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--systems", "3", "--min-diff", "0.1"), "variance: is missing"),
        (("cost", *CELL, "--runs", "a.run", "--qrels", "q", "--votes", "v"), "give one of them"),
        ((*CELL, "--alpha", "1"), "alpha: 1 is not between"),
        (("--variance", ".1", "--systems", "2,3", "--min-diff", ".1", "--test", "interval"), "interval"),
        (("simulate", "absent.csv", *CELL[2:]), "absent.csv: no such file"),
        (("pass-rate", "0.6"), "Missing option '--min-diff'"),
        (("pass-rate", "1.6", "--min-diff", "0.1"), "pass_rate: 1.6 is not between"),
        (("rounds", *CELL, "--looks", "50"), "looks: [50] is not a growing list"),
        (("cost", *CELL, "--hours", "0.001"), "give at least"),
        (("cost", *CELL, "--overlap", "2"), "overlap: 2 is not in"),
        (("--variance", "0.1", "--systems", "2,3"), "min_diff: is missing; a grid needs it"),
        (
            ("--variance", "0.1", "--systems", "2,3", "--min-diff", ".1", "--topics", "9"),
            "a grid has numbers of topics",
        ),
        (("cost", *CELL, "--qrels", "q.txt"), "judge runs; give these too (--runs)"),
        (("rounds", *CELL, "--spending", "pocok", "--looks", "30,60"), "did you mean 'pocock'"),
        (("p.csv", *CELL), "both scores and a variance are given; leave one out"),
        ((*CELL, "-m", "P+"), "-m chooses among the measures of scores"),
        ((*CELL, "--correlation", "0.5"), "--correlation acts in tests that share topics; add --test two-way"),
        ((*CELL, "--test", "interval", "--power", "0.9"), "an interval has no power; leave out --power"),
        ((*CELL, "--solve", "n"), "unknown quantity to solve for 'n'"),
        ((*CELL, "--solve", "power"), "topics: is missing; give it (--topics)"),
        (("--variance", "abc", *CELL[2:]), "variance: 'abc' is not a number"),
        (("--variance", "std-ab", *CELL[2:], "--topics", "50"), "--variance std-ab finds one number of topics"),
        ((*CELL, "--lower-is-better", "ppl"), "need scores; give these too"),
        (("decide", "p.csv", "--best", "2", "--goal", "tau"), "--goal tau has no best systems; leave out --best"),
        (("decide", "p.csv", "--alpha", "0.1"), "--goal top tests nothing; leave out --alpha"),
        (("cost", *CELL, "--max-level", "2"), "is the scale of votes"),
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
    done = kaiwa("design", str(made("p.csv", content)), "--systems", "3", "--min-diff", "0.1")
    assert done.returncode == 2
    assert message in done.stderr


def test_options_before_a_command_of_design_are_refused(kaiwa: Kaiwa) -> None:
    """They would be lost otherwise."""
    done = kaiwa("design", "--variance", "0.1", "cost", "--systems", "3", "--min-diff", "0.1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "options go after the command: kaiwa design cost" in done.stderr


def test_a_file_of_a_command_of_design_is_recorded_in_a_task_folder(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Under the words that were typed."""
    kaiwa("init", "task")
    assert kaiwa("design", "cost", *CELL, "-o", "task/cost.json").returncode == 0
    record = json.loads((tmp_path / "task" / ".kaiwa-steps.json").read_text())
    assert record["cost.json"]["verb"] == "design cost"


def test_a_file_that_is_called_as_a_command_is_given_by_its_path(kaiwa: Kaiwa, made: Made) -> None:
    """The first word is a command if it is the name of one."""
    made("cost", matrix(pilot()))
    found = fields(kaiwa("design", "./cost", "--systems", "3", "--min-diff", "0.1", "--json"))
    assert found["measure"] == "cost"


def test_the_highest_variance_of_std_ab_needs_no_scores(kaiwa: Kaiwa, made: Made) -> None:
    """The same as the worst case beside the answer of scores."""
    path = str(made("pilot.csv", matrix(pilot())))
    asked = ("--systems", "5", "--min-diff", "0.1", "--test", "robust", "--json")
    worst = fields(kaiwa("design", "--variance", "std-ab", *asked))
    assert worst["n"] == fields(kaiwa("design", path, *asked))["pilot"]["worst_case_n"]  # type: ignore[index]


def test_a_task_folder_stands_for_its_scores_and_its_requirement(kaiwa: Kaiwa, small_round: Path) -> None:
    """In the folder without a word, from outside by its name, and in Python; JSON names the settings taken."""
    found = fields(kaiwa("design", str(small_round), "--json"))
    required = {"test": "robust", "systems": 10, "min_diff": 0.1, "power": 0.8, "alpha": 0.05}
    assert found["settings"] == {**required, "measures": ["nG@1", "nERR@10"]}
    assert found == json.loads(package.design(small_round).to_json())
    changed = package.design(small_round, min_diff=0.2)
    assert changed.n < found["n"]  # type: ignore[operator]
    assert "min_diff" not in changed.settings
