"""What standardisation changes: sizes by raw and std-AB scores, and what runs get that had no part in the factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.comparison.standardise import variance_bound
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

TEAMS = ("T1-C-R1", "T2-C-R1", "T3-C-R1")
# T3's z by all runs: 1 and (.4 - .2333) / .1528 = 1.0911. By the others (mean .15, sd .0707): 2.1213 and 3.5355.
VALUES = [[0.1, 0.2, 0.3], [0.2, 0.1, 0.4]]


def scores(values: object = VALUES, *, measure: str = "AP", runs: tuple[str, ...] = TEAMS) -> kaiwa.Scores:
    """Scores of topics q0, q1, ..."""
    table = np.asarray(values, dtype=float)
    return kaiwa.Scores.from_matrix(measure, [f"q{row}" for row in range(len(table))], runs, table)


def drawn(topics: int = 60, runs: int = 12, *, unit: float = 1.0) -> kaiwa.Scores:
    """Scores of runs named A, B, ... on topics of unequal difficulty."""
    rng = np.random.default_rng(3)
    values = rng.beta(0.5, 1.0, (topics, 1)) * 0.6 + 0.1 * rng.random((topics, runs)) + np.linspace(0, 0.1, runs)
    return scores(unit * values, runs=tuple("ABCDEFGHIJKL"[:runs]))


def test_variances_are_those_of_both_kinds_of_scores_with_the_bound() -> None:
    """V_E by hand: raw squares of deviations of runs .005, .005 and .005 over 3; the bound is A^2 * 4/3."""
    raw, std_ab = kaiwa.standardisation(scores(), systems=2, min_diff=0.1).variances
    assert (raw["scores"], raw["runs"], raw["topics"], raw["bound"]) == ("raw", 3, 2, None)
    assert raw["variance"] == pytest.approx(0.005)
    assert std_ab["bound"] == pytest.approx(0.15**2 * 4 / 3)
    assert std_ab["variance"] == pytest.approx(kaiwa.variance(kaiwa.standardise(scores())).v_e)
    assert std_ab["tau"] == pytest.approx(kaiwa.tau(scores(), kaiwa.standardise(scores()), interval="null").tau)
    assert std_ab["high"] > 1  # as computed


@pytest.mark.parametrize("words", [{"test": "anova", "method": "sakai"}, {"test": "anova"}, {"test": "robust"}, {}])
def test_sizes_are_those_of_the_design_of_each_kind_of_scores(words: dict[str, str]) -> None:
    """The next number of topics by raw scores, and by the same scores standardised."""
    study = kaiwa.standardisation(drawn(), systems=[2, 10], min_diff=[0.05, 0.2], **words)  # type: ignore[arg-type]
    found = {(row["scores"], row["systems"], row["min_diff"]): row["n"] for row in study.sizes}
    for kind, source in (("raw", drawn()), ("std-AB", kaiwa.standardise(drawn()))):
        for systems in (2, 10):
            for min_diff in (0.05, 0.2):
                needed = kaiwa.design(source, systems=systems, min_diff=min_diff, **words).n  # type: ignore[arg-type]
                assert found[kind, systems, min_diff] == needed


def test_the_bound_is_the_design_that_needs_no_pilot() -> None:
    """The same for every measure."""
    study = kaiwa.standardisation(drawn(), systems=10, min_diff=0.1, test="anova")
    needed = kaiwa.design(variance="std-ab", systems=10, min_diff=0.1, test="anova").n
    assert [row["n"] for row in study.sizes if row["scores"] == "bound"] == [needed]


def test_another_scale_is_another_unit_and_its_bound_goes_along() -> None:
    """Hensachi (10, 50) on 0..100 is A = .1, B = .5 on 0..1: the same sizes, variances and bounds times 100^2."""
    hensachi, unit = (
        kaiwa.standardisation(drawn(), systems=[2, 10], min_diff=0.1, a=a, b=b) for a, b in ((10, 50), (0.1, 0.5))
    )
    assert hensachi.sizes == unit.sizes
    for name in ("variance", "bound"):
        assert hensachi.variances[1][name] == pytest.approx(1e4 * unit.variances[1][name])
    assert hensachi.variances[1]["bound"] == pytest.approx(variance_bound(60, 12, a=10))


@pytest.mark.parametrize("measure", ["U-measure", "M-measure", "TBG"])
def test_scores_that_are_not_normalised_are_files_as_any_other(tmp_path: Path, measure: str) -> None:
    """By raw scores the topics are too many to count; standardised, the sizes are those of the scores in any unit."""
    many = drawn(unit=50_000.0)
    kaiwa.Scores.from_matrix(measure, many.topics, many.runs, many.values).write(tmp_path / "scores.csv")
    study = kaiwa.standardisation(tmp_path / "scores.csv", systems=10, min_diff=0.05)
    found = {row["scores"]: row["n"] for row in study.sizes}
    assert found == {row["scores"]: row["n"] for row in drawn_sizes()} | {"raw": None}
    assert "too large" in str(study)
    assert f"Too large: more than 1,000,000,000 topics, as for scores that are not normalised ({measure})." in str(
        study
    )
    assert kaiwa.compare(tmp_path / "scores.csv", trials=99).measure == measure
    assert kaiwa.standardise(tmp_path / "scores.csv").values.max() <= 1


def test_two_runs_that_never_change_place_have_no_size_by_their_ranks() -> None:
    """Standardised, one of them is always at +.7071 and the other at -.7071: nothing varies."""
    study = kaiwa.standardisation(scores([[0.7, 0.5], [0.3, 0.2]], runs=TEAMS[:2]), systems=2, min_diff=0.1)
    found = {row["scores"]: (row["n"], row["too_large"]) for row in study.sizes}
    assert found["std-AB"] == (None, False)
    assert found["raw"][0] is not None
    assert "n/a" in str(study)


def drawn_sizes() -> list[dict[str, object]]:
    """The sizes of the same scores in the unit 0..1."""
    return kaiwa.standardisation(drawn(), systems=10, min_diff=0.05).sizes


def test_a_team_left_out_of_the_factors_gets_more_if_it_is_the_best() -> None:
    """By hand: known .5 + .15 (1 + 1.0911) / 2; unknown .8182 and 1.0303, which is clipped to 1."""
    study = kaiwa.standardisation(scores(), systems=2, min_diff=0.1, leave_out="teams")
    row = next(row for row in study.held if row["left_out"] == "T3")
    assert (row["factors_of"], row["runs"], row["topics"]) == ("others", 1, 2)
    assert row["mean_known"] == pytest.approx(0.65683, abs=5e-6)
    assert row["mean_unknown"] == pytest.approx((0.81820 + 1) / 2, abs=5e-6)
    assert row["largest_change"] == pytest.approx(row["mean_unknown"] - row["mean_known"])
    assert (row["clipped_known"], row["clipped_unknown"]) == (0, 0.5)
    run = next(one for one in study.unknown_runs if one["run"] == "T3-C-R1")
    assert (run["mean_unknown"], run["place_known"], run["place_unknown"]) == (row["mean_unknown"], 1, 1)
    assert [one["left_out"] for one in study.held] == ["T1", "T2", "T3"]


def test_runs_of_a_later_year_are_standardised_by_each_earlier_one(tmp_path: Path) -> None:
    """On shared topics only. q1 of 2016: .2 and .4, mean .3, sd .1414; the run .5 of 2017 gets .5 + .15 * 1.4142."""
    first = [[0.2, 0.4], [0.1, 0.3]]
    second = [[0.5, 0.3], [0.2, 0.4], [0.9, 0.1]]
    third = [[0.3, 0.2], [0.2, 0.2], [0.4, 0.2]]
    for year, values in (("2016", first), ("2017", second), ("2018", third)):
        scores(values, runs=(f"{year}A", f"{year}B")).write(tmp_path / f"{year}.csv")
    files = [tmp_path / f"{year}.csv" for year in (2016, 2017, 2018)]
    study = kaiwa.standardisation(files, systems=2, min_diff=0.1, leave_out="years")
    pairs = [(row["factors_of"], row["left_out"], row["topics"]) for row in study.held]
    assert pairs == [("2016.csv", "2017.csv", 2), ("2016.csv", "2018.csv", 2), ("2017.csv", "2018.csv", 3)]
    run = next(one for one in study.unknown_runs if one["run"] == "2017A")
    # q0: (.5 - .3) / .1414 = 1.4142; q1: (.2 - .2) = 0. Known: its own year's z are .7071 and -.7071.
    assert run["mean_unknown"] == pytest.approx(0.5 + 0.15 * 1.41421 / 2, abs=1e-6)
    assert run["mean_known"] == pytest.approx(0.5)
    with pytest.raises(InputError, match=r"1 file of scores; leave_out=\"years\" needs two or more"):
        kaiwa.standardisation(files[0], systems=2, min_diff=0.1, leave_out="years")


def test_years_without_a_common_topic_have_no_common_factors(tmp_path: Path) -> None:
    """The message names both files."""
    for year, topic in (("a", "x"), ("b", "y")):
        table = kaiwa.Scores.from_matrix("AP", [f"{topic}1", f"{topic}2"], ["A", "B"], [[0.1, 0.2], [0.4, 0.2]])
        table.write(tmp_path / f"{year}.csv")
    with pytest.raises(InputError, match=r"b\.csv: shares no topic with a\.csv; factors hold for the same topics only"):
        kaiwa.standardisation([tmp_path / "a.csv", tmp_path / "b.csv"], systems=2, min_diff=0.1, leave_out="years")


@pytest.mark.parametrize(
    ("values", "runs", "words", "message"),
    [
        (VALUES, ("A", "B", "C"), {"leave_out": "teams"}, "run 'A' is not named by team"),
        (
            VALUES,
            ("T1-C-R1", "T1-C-R2", "T2-C-R1"),
            {"leave_out": "teams"},
            "1 run of other teams than 'T1'; factors need 2",
        ),
        (VALUES, TEAMS, {"leave_out": "runs"}, "did you mean|teams"),
        (VALUES, TEAMS, {"team_pattern": "(..).*"}, r"finds the teams of leave_out=\"teams\"; add it"),
        (VALUES, TEAMS, {"marked": "T9-C-R1"}, "unknown run 'T9-C-R1'"),
        (VALUES, TEAMS, {"method": "sakai"}, "sakai is published for anova"),
        (VALUES, TEAMS, {"a": 0.0}, "give a positive A"),
        (VALUES, TEAMS, {"min_diff": 1.5}, "is not a share of the standardised scale; give one up to 1"),
    ],
)
def test_what_cannot_be_studied_is_refused(
    values: object, runs: tuple[str, ...], words: dict[str, object], message: str
) -> None:
    """One line that says what to do."""
    with pytest.raises(InputError, match=message):
        kaiwa.standardisation(scores(values, runs=runs), **{"systems": 2, "min_diff": 0.1, **words})  # type: ignore[arg-type]


def test_the_figure_has_the_marked_runs_in_their_colours() -> None:
    """Figure 1 from scores alone; the table has its numbers, from the hardest topic to the easiest."""
    study = kaiwa.standardisation(scores(VALUES[::-1]), systems=2, min_diff=0.1, marked=["T1-C-R1", "T3-C-R1"])
    drawn_once = study.figure()
    assert "T1-C-R1" in drawn_once
    assert "T3-C-R1" in drawn_once
    assert "T2-C-R1" not in drawn_once
    assert "#0b6e99" in drawn_once
    assert "#d1495b" in drawn_once
    rows = [(row["place"], row["topic"], row["run"], row["raw"]) for row in study.topics]
    assert rows == [
        (1, "q1", "T1-C-R1", 0.1),
        (1, "q1", "T3-C-R1", 0.3),
        (2, "q0", "T1-C-R1", 0.2),
        (2, "q0", "T3-C-R1", 0.4),
    ]
    assert "highest mean" in kaiwa.standardisation(scores(), systems=2, min_diff=0.1).figure()


def test_seven_runs_are_too_many_colours_and_two_measures_two_figures() -> None:
    """Each with what to do."""
    many = kaiwa.standardisation(drawn(), systems=2, min_diff=0.1, marked=list("ABCDEFG"))
    with pytest.raises(InputError, match="7 marked runs for 6 colours; mark fewer"):
        many.figure()
    both = kaiwa.Scores([scores(), scores(measure="P+")])
    with pytest.raises(InputError, match="the figure is of one measure; choose it with"):
        kaiwa.standardisation(both, systems=2, min_diff=0.1).figure()
