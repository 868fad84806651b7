"""The pilot against the round: hand-made variances, limits, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.errors import InputError
from kaiwa.nouns.scores import Scores
from kaiwa.topicset.design_review import design_review, ratio_limits
from kaiwa.topicset.power_functions import VarianceEstimate

FEW = {"systems": 3, "min_diff": 0.2}


def interaction(topics: int, size: float, measure: str = "M") -> Scores:
    """Three runs of equal means; every residual after topics and runs is +size, -size or 0.

    Topics come in threes of which each run is up once and down once; so V_E2 is 2 size^2 T / (2 (T - 1)).
    """
    pattern = np.array([[1, -1, 0], [0, 1, -1], [-1, 0, 1]]) * size
    difficulty = np.linspace(0.3, 0.6, topics)[:, None]
    return Scores.from_matrix(measure, range(topics), "ABC", difficulty + np.tile(pattern, (topics // 3, 1)))


def test_the_variances_before_and_after_are_those_of_the_two_score_files() -> None:
    """By hand: size^2 T / (T - 1), .1 on 30 topics and .2 on 60; the ratio is of one over the other."""
    found = design_review(interaction(60, 0.2), pilot=interaction(30, 0.1), **FEW)  # type: ignore[arg-type]  # as named
    assert found.assumed == pytest.approx(0.01 * 30 / 29)
    assert found.variance == pytest.approx(0.04 * 60 / 59)
    assert found.ratio == pytest.approx(found.variance / found.assumed)
    assert (found.verdict, found.one.topics, found.one.runs) == ("larger", 60, 3)


def test_sizes_are_those_of_design_from_either_side() -> None:
    """The planned number is that of the pilot, the next one that of the round; the power that of the round's topics."""
    pilot, scores = interaction(30, 0.1), interaction(60, 0.2)
    found = design_review(scores, pilot=pilot, **FEW)  # type: ignore[arg-type]  # as named
    assert found.one.planned_n == kaiwa.design(pilot, systems=3, min_diff=0.2).n
    assert found.n == kaiwa.design(scores, systems=3, min_diff=0.2).n
    at_60 = kaiwa.design(scores, systems=3, min_diff=0.2, topics=60)
    assert found.power == pytest.approx(at_60.power or 0.0)
    assert found.one.min_diff == pytest.approx(kaiwa.design(scores, systems=3, topics=60).min_diff)
    assert found.one.planned_power == pytest.approx(
        kaiwa.design(pilot, systems=3, min_diff=0.2, topics=60).power or 0.0
    )


@pytest.mark.parametrize(("size", "verdict"), [(0.05, "smaller"), (0.1, "as assumed"), (0.2, "larger")])
def test_the_verdict_is_by_the_limits_of_the_ratio(size: float, verdict: str) -> None:
    """A quarter of the variance, the same, four times it; also of a variance that is a number."""
    scores = interaction(60, size)
    assert design_review(scores, pilot=interaction(30, 0.1), **FEW).verdict == verdict  # type: ignore[arg-type]  # as named
    of_number = design_review(scores, variance=0.01, test="robust", **FEW)  # type: ignore[arg-type]  # as named
    assert (of_number.assumed, of_number.verdict) == (0.01, verdict)


def test_the_limits_of_a_ratio_are_those_of_f() -> None:
    """scipy.stats: 2 / f.ppf([.975, .025], 30, 20)."""
    low, high = ratio_limits(VarianceEstimate(2.0, 30), VarianceEstimate(1.0, 20))
    assert (low, high) == (pytest.approx(0.85157, abs=1e-5), pytest.approx(4.39032, abs=1e-5))


def test_a_number_without_a_test_is_that_of_one_way_anova() -> None:
    """As in design: V_E, which includes the difficulty of topics, before and after."""
    scores = interaction(60, 0.1)
    found = design_review(scores, variance=0.02, **FEW)  # type: ignore[arg-type]  # as named
    assert (found.test, found.one.planned_n) == ("anova", kaiwa.design(variance=0.02, systems=3, min_diff=0.2).n)
    assert found.variance == pytest.approx(kaiwa.variance(scores).v_e)


def test_each_measure_is_compared_with_its_own() -> None:
    """The size is enough for all of them; measures are matched by name, and alone by being alone."""
    pilot = Scores([interaction(30, 0.1, "M"), interaction(30, 0.1, "N")])
    scores = Scores([interaction(60, 0.1, "M"), interaction(60, 0.2, "N")])
    found = design_review(scores, pilot=pilot, **FEW)  # type: ignore[arg-type]  # as named
    assert {name: one.verdict for name, one in found.measures.items()} == {"M": "as assumed", "N": "larger"}
    assert (found.measure, found.n) == ("N", found.measures["N"].n)
    renamed = design_review(interaction(60, 0.1, "P"), pilot=interaction(30, 0.1, "Q"), **FEW)  # type: ignore[arg-type]  # as named
    assert renamed.measure == "P"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "pilot: is missing"),
        ({"variance": 0.01, "pilot": interaction(30, 0.1)}, "pilot: stands beside a variance"),
        ({"variance": 0.01, "test": "interval"}, "an interval has no power"),
        ({"variance": -1.0}, "variance: -1 is not a positive number"),
        ({"pilot": Scores([interaction(30, 0.1, "A"), interaction(30, 0.1, "B")])}, "has no measure 'M'"),
    ],
)
def test_what_cannot_be_compared_is_refused(options: dict[str, object], message: str) -> None:
    """With what works."""
    with pytest.raises(InputError, match=message):
        design_review(interaction(60, 0.1), **FEW, **options)  # type: ignore[arg-type]  # as named


def test_one_number_is_of_one_measure() -> None:
    """Of several, one is chosen."""
    scores = Scores([interaction(60, 0.1, "M"), interaction(60, 0.2, "N")])
    with pytest.raises(InputError, match="contains 2 measures"):
        design_review(scores, variance=0.01, **FEW)  # type: ignore[arg-type]  # as named
    assert design_review(scores, "N", variance=0.01, **FEW).measure == "N"  # type: ignore[arg-type]  # as named


def test_a_round_without_scores_is_refused() -> None:
    """There is nothing to compare."""
    with pytest.raises(InputError, match="scores: is missing"):
        design_review(variance=0.01, **FEW)  # type: ignore[arg-type]  # as named
