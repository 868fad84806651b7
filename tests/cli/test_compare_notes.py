"""The notes of a comparison: few topics, no upper limit, the step-down version; the same in every place."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kaiwa.comparison.allpairs import ALL_PAIRS, DEFAULT_TEST, robust_step_down
from kaiwa.comparison.baseline import BASELINE_TESTS, BaselineComparison
from kaiwa.comparison.figures import caterpillar_svg
from kaiwa.comparison.leaderboard import FOUND_SHARES, FOUND_TOPICS, Leaderboard, compare_runs, unbounded
from kaiwa.comparison.notes import ODD_BASELINE, ODD_RUN, few_notes, unbounded_note
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores
from kaiwa.reporting.measure_sections import measure_section
from kaiwa.task.folder import TEMPLATE, TaskSettings
from kaiwa.topicset.pilots import pilot_design
from kaiwa.topicset.requirement import Requirement

if TYPE_CHECKING:
    import kaiwa

Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).parents[2]
NO_DIFFERENCE = "5 topics: no difference can be significant (smallest p .0625)."


def scores(topics: int, *, runs: int = 4, seed: int = 1, measure: str = "quality") -> Scores:
    """Runs whose means differ by .2 from each to the next, with noise."""
    rng = np.random.default_rng(seed)
    values = rng.random((topics, 1)) + rng.normal(0, 0.2, (topics, runs)) + np.arange(runs) * 0.2
    return Scores.from_matrix(
        measure, tuple(f"q{topic}" for topic in range(topics)), tuple("ABCDEFGHIJ"[:runs]), values
    )


def board(compared: Scores | kaiwa.Comparison, **options: Any) -> Leaderboard:  # Any: of kaiwa.compare
    """What a test of all pairs found."""
    found = (compared.compare(**options) if isinstance(compared, Scores) else compared).one
    assert isinstance(found, Leaderboard)
    return found


def planned(table: Scores, **options: Any) -> BaselineComparison:  # Any: of kaiwa.compare
    """What a test of every run against A found."""
    found = table.compare(baseline="A", **options).one
    assert isinstance(found, BaselineComparison)
    return found


def written(table: Scores, path: Path) -> str:
    """The name of a file of these scores."""
    table.write(path / "few.csv")
    return "few.csv"


def test_robust_is_the_default_of_every_comparison(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Python, the command, a family, the settings of a task, and its template."""
    table = scores(30)
    fields = json.loads(kaiwa("compare", written(table, tmp_path), "--json").stdout)
    rng = np.random.default_rng(1)
    tests = {table.compare(trials=99).test, fields["test"], compare_runs(table.matrix(), trials=99, rng=rng).test}
    assert tests == {"robust"} == {DEFAULT_TEST, TaskSettings().test}
    assert 'test = "robust" ' in TEMPLATE


@pytest.mark.parametrize("seed", range(12))
def test_more_by_steps_is_what_the_step_down_test_finds_more(seed: int) -> None:
    """Counted on the same trials by the test itself, with unequal variances and with ties."""
    rng = np.random.default_rng(seed)
    runs = int(rng.integers(2, 15))
    values = rng.normal(np.linspace(0, 1.5, runs), rng.uniform(0.2, 1.5, runs), (int(rng.integers(5, 40)), runs))
    values = np.round(values, 1) if seed % 2 else values
    table = Matrix("AP", tuple(map(str, range(len(values)))), tuple(map(str, range(runs))), values)
    found = compare_runs(table, trials=499, rng=np.random.default_rng(1))
    stepped = robust_step_down(values, trials=499, rng=np.random.default_rng(1)).p[np.triu_indices(runs, 1)] <= 0.05
    assert found.more_by_steps == stepped.sum() - found.significant_pairs


def test_one_line_says_what_the_step_down_version_finds_more(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """In the text, in JSON, in Python and in the report, each with its own way to choose the test; not for others."""
    table = scores(30, runs=8, seed=3)
    more = table.compare().more_by_steps
    assert more
    line = f"robust-step-down finds {more} pairs more"
    name = written(table, tmp_path)
    text, fields = kaiwa("compare", name).stdout, json.loads(kaiwa("compare", name, "--json").stdout)
    assert f"{line} (--test robust-step-down)." in text
    assert (fields["more_by_steps"], f'{line} (test="robust-step-down").' in fields["notes"]) == (more, True)
    assert f'{line} (test="robust-step-down").' in str(table.compare())
    assert f'{line} (test = "robust-step-down" in kaiwa.toml).' in report_of(table)
    assert "finds" not in str(table.compare(test="hsd")) + str(table.compare(test="robust-step-down"))


def report_of(table: Scores) -> str:
    """The words of the report's section of a measure."""
    return str(measure_section(board(table), [])).replace("\\", "")


@pytest.mark.parametrize("topics", [2, 3, 5])
def test_five_topics_or_fewer_are_said_to_show_nothing(kaiwa: Kaiwa, tmp_path: Path, topics: int) -> None:
    """Text without infinite numbers and JSON with null, of every test; the figure is drawn."""
    name = written(scores(topics), tmp_path)
    done = [
        kaiwa("compare", name, "--test", test, *how) for test in ALL_PAIRS for how in (["--table", "pairs"], ["--json"])
    ]
    done += [
        kaiwa("compare", name, "--baseline", "B", "--test", test, *how)
        for test in BASELINE_TESTS
        for how in (["--margin", "0.1"], ["--json"])
    ]
    assert [one.returncode for one in done] == [0] * len(done)
    assert not re.search(r"(?<!\w)-?inf(inity)?\b", "".join(one.stdout for one in done), re.IGNORECASE)
    fields = json.loads(kaiwa("compare", name, "--json").stdout)
    assert (fields["critical_difference"], fields["pairs"][0]["low"], fields["leaderboard"][0]["high"]) == (None,) * 3
    assert "<svg" in caterpillar_svg(board(scores(topics)))


def test_the_line_on_five_topics_is_the_same_everywhere(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Text, JSON, Python and the report; with a baseline too, but not by a test that can find something."""
    table = scores(5)
    name = written(table, tmp_path)
    assert f"\n{NO_DIFFERENCE}\n" in kaiwa("compare", name).stdout
    assert NO_DIFFERENCE in json.loads(kaiwa("compare", name, "--json").stdout)["notes"]
    assert NO_DIFFERENCE in str(table.compare())
    assert NO_DIFFERENCE in str(table.compare(baseline="A"))
    assert NO_DIFFERENCE in report_of(table)
    assert "there are no intervals" in table.compare().methods()
    assert few_notes(board(table, test="hsd")) == few_notes(planned(table, test="t")) == []
    assert "smallest p .1875" in few_notes(planned(table, test="randomisation"))[0]


def test_from_6_to_24_topics_a_note_says_what_can_be_found(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The critical difference, the share of pairs, the topics of the design, and the error with one odd run."""
    table = scores(10)
    found = table.compare()
    note = few_notes(board(table))[0]
    largest = max(abs(pair.diff) for pair in found.pairs)
    assert note.startswith(f"10 topics: the critical difference is {found.critical_difference:.4f}. ")
    assert (
        "about 9% of the pairs of 10 TREC runs are found at .05, with 50 about 35% (benchmarks/results/audit.md)"
        in note
    )
    assert f"the largest difference here ({largest:.4f})" in note
    assert "may reach .11 instead of .05 if one run varies far more" in note
    name = written(table, tmp_path)
    assert note in kaiwa("compare", name).stdout
    assert json.loads(kaiwa("compare", name, "--json").stdout)["few_topics"]["found"] == 0.093
    assert note in json.loads(kaiwa("compare", name, "--json").stdout)["notes"]
    assert note in str(found)
    assert note in report_of(table)


@pytest.mark.parametrize(("topics", "noted"), [(6, True), (24, True), (25, False)])
def test_the_note_is_for_6_to_24_topics(topics: int, noted: bool) -> None:  # noqa: FBT001  a case
    """One topic more, and there is none; nor with another test, which the note's numbers are not of."""
    assert bool(few_notes(board(scores(topics)))) is noted
    assert few_notes(board(scores(topics), test="hsd")) == []


@pytest.mark.parametrize("margin", [None, 0.25])
def test_the_topics_of_the_note_are_those_of_a_design_from_these_scores(margin: float | None) -> None:
    """For the margin if there is one, else for the largest difference; by the robust test of as many runs."""
    table = scores(12, seed=5)
    found = table.compare(margin=margin)
    difference = margin or max(abs(pair.diff) for pair in found.pairs)
    asked = Requirement(1.0, systems=4, min_diff=difference, power=0.8, alpha=0.05, test="robust")
    assert found.few_topics is not None
    assert found.few_topics.needed == max(6, pilot_design([table.matrix()], asked).answer.n)
    assert ("To find the margin (0.2500)" in few_notes(board(table, margin=margin))[0]) is (margin is not None)


def test_a_baseline_and_a_family_have_their_own_notes() -> None:
    """The share of all pairs is not theirs; the critical difference is."""
    table, other = scores(10), scores(10, seed=2, measure="other")
    against_a = planned(table)
    for one in (against_a, board(Scores([table, other]).compare(family=True)["quality"])):
        assert f"the critical difference is {one.critical_difference:.4f}." in few_notes(one)[0]
        assert "TREC" not in few_notes(one)[0]
    assert "may reach .10 instead of .05 if the baseline varies" in few_notes(against_a)[0]


@pytest.mark.parametrize(
    ("title", "row", "column", "stated"),
    [
        ("Familywise error with few topics", "m = 10, one run with three times the deviation", 0, float(ODD_RUN)),
        ("Familywise error with few topics", "m = 3, one run with three times the deviation", 0, float(ODD_RUN)),
        ("Familywise error against a baseline", "a baseline with three times the deviation", 1, float(ODD_BASELINE)),
        ("Familywise error against a baseline", "the same, 2 runs", 1, float(ODD_BASELINE)),
    ],
)
def test_the_error_that_few_topics_may_have_is_not_below_the_audit(
    title: str, row: str, column: int, stated: float
) -> None:
    """From 6 topics on no error of the table is larger than what the note states."""
    page = (ROOT / "benchmarks/results/audit.md").read_text(encoding="utf-8")
    table = next(part for part in page.split("## ") if part.startswith(title) and "few topics" in part.split("\n")[0])
    line = next(line for line in table.split("\n") if line.startswith(f"| {row} |"))
    errors = [float(one) for one in line.split("|")[2 + column].split()]
    assert errors[:2] == [0.0, 0.0]
    assert max(errors) <= stated < max(errors) + 0.05


def test_shares_are_those_of_the_audit() -> None:
    """The numbers of the note are the row of ``robust`` in benchmarks/results/audit.md."""
    lines = (ROOT / "benchmarks/results/audit.md").read_text(encoding="utf-8").split("## Share of all pairs of 10")[1]
    head, _, row = [line.split("|")[2:-1] for line in lines.split("\n") if line.startswith("|")][:3]
    printed = {int(topics): float(cell.split("±")[0]) for topics, cell in zip(head, row, strict=True)}
    assert dict(zip(FOUND_TOPICS, FOUND_SHARES, strict=True)) == {n: printed[n] for n in FOUND_TOPICS}


@pytest.mark.parametrize(
    ("measure", "values", "expected"),
    [
        ("seconds to answer", [[0.2, 0.4], [0.3, 0.9]], True),
        ("word_perplexity", [[12.0, 14.0], [9.0, 11.0]], True),
        ("score", [[1.0, 2.0], [1.5, 30.0]], True),
        ("log_perplexity", [[2.5, 2.7], [2.2, 2.4]], False),
        ("likert", [[1.0, 5.0], [2.0, 4.0]], False),
        ("accuracy", [[0.01, 0.9], [0.02, 0.03]], False),
        ("percent", [[0.0, 100.0], [1.0, 2.0]], False),
        ("z", [[-1.0, 9.0], [0.5, 1.0]], False),
    ],
)
def test_unbounded_measures_are_recognised(measure: str, values: list[list[float]], expected: bool) -> None:  # noqa: FBT001
    """By a word of the name, or by scores above 1 of which the largest is far above the median; never with a 0."""
    assert unbounded(measure, np.array(values)) is expected


def test_scores_without_an_upper_limit_are_said_to_need_logarithms(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """In the text, in JSON, in Python and in the report; the logarithms have no such note."""
    values = np.exp(np.random.default_rng(1).normal(0, 0.8, (30, 4)))
    table = Scores.from_matrix("cost of a call", tuple(map(str, range(30))), tuple("ABCD"), values)
    note = unbounded_note(board(table))[0]
    assert "up to .13 instead of .05 (docs/compare.md, Where robust fails); compare logarithms" in note
    assert "up to .15 instead" in unbounded_note(board(table, test="hsd"))[0]
    name = written(table, tmp_path)
    assert note in kaiwa("compare", name).stdout
    assert note in json.loads(kaiwa("compare", name, "--json").stdout)["notes"]
    assert note in str(table.compare())
    assert note in report_of(table)
    assert "compare logarithms" in str(table.compare(baseline="A"))
    logarithms = Scores.from_matrix("log cost", table.topics, table.runs, np.log(values))
    assert unbounded_note(board(logarithms)) == []


@pytest.mark.parametrize("test", list(ALL_PAIRS))
def test_a_stated_guarantee_names_its_table(test: str) -> None:
    """The methods paragraph has the measured error of the test, and where it is printed."""
    text = scores(30).compare(test=test).methods()
    assert re.search(r"its error at \.05 was \.\d+ to \.\d+.* \(docs/compare\.md\)", text)
