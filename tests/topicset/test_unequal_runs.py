"""Designs for the robust test: the critical range of runs that do not vary alike, and the power that it leaves."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.comparison.allpairs import robust_hsd
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.anova import residual_variance
from kaiwa.stats.studentised_range import critical_range
from kaiwa.topicset.pilots import PilotDesign, pilot_design, simulated_design
from kaiwa.topicset.requirement import Requirement, completed
from kaiwa.topicset.rounds import planned_rounds
from kaiwa.topicset.simulation import Lift, kept_sets
from kaiwa.topicset.sizes import answered
from kaiwa.topicset.tests import range_ratio

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

SPREADS = np.geomspace(0.05, 0.45, 8)


def unequal(rng: np.random.Generator, topics: int) -> FloatArray:
    """Eight runs of the same mean whose residual standard deviations lie between .05 and .45."""
    return rng.normal(0.4, 0.2, (topics, 1)) + rng.normal(0, 1, (topics, 8)) * SPREADS


def designed(values: FloatArray, test: str = "robust", min_diff: float = 0.2) -> PilotDesign:
    """The design of a pilot for eight systems."""
    topics, runs = (tuple(map(str, range(size))) for size in values.shape)
    asked = Requirement(1.0, systems=8, min_diff=min_diff, test=test)
    return pilot_design([Matrix("AP", topics, runs, values)], completed(asked))


def test_the_ratio_is_that_of_simulated_ranges() -> None:
    """300,000 ranges of eight normal means of these variances; the pilot has 2,000 topics, so it knows them."""
    rng = np.random.default_rng(1)
    ranges = np.ptp(rng.normal(0, 1, (300_000, 8)) * SPREADS, axis=1)
    exact = np.quantile(ranges, 0.95) / (critical_range(0.05, 8, 1e7) * sqrt((SPREADS**2).mean()))
    assert exact > 1.1
    assert range_ratio([unequal(rng, 2_000)], systems=8, alpha=0.05) == pytest.approx(exact, rel=0.04)


def test_equal_runs_and_two_runs_have_a_ratio_of_one() -> None:
    """The law of Tukey's test; correlated runs do not make the ratio smaller than 1."""
    rng = np.random.default_rng(2)
    assert range_ratio([rng.normal(size=(2_000, 8))], systems=8, alpha=0.05) == pytest.approx(1, abs=0.03)
    assert range_ratio([rng.normal(size=(40, 2))], systems=2, alpha=0.05) == 1
    copies = np.repeat(rng.normal(size=(40, 2)), 6, axis=1)
    assert range_ratio([copies + rng.normal(0, 1e-3, copies.shape)], systems=12, alpha=0.05) == 1


def test_pilots_are_averaged_and_fewer_systems_are_drawn_from_the_runs() -> None:
    """By degrees of freedom; with two of the eight runs the mean pair counts, not the largest."""
    one, two = (unequal(np.random.default_rng(seed), 50) for seed in (3, 4))
    alone = [range_ratio([each], systems=8, alpha=0.05) for each in (one, two)]
    assert range_ratio([one, two], systems=8, alpha=0.05) == pytest.approx(np.mean(alone))
    assert range_ratio([one], systems=4, alpha=0.05) != alone[0]
    assert range_ratio([np.ones((5, 3))], systems=3, alpha=0.05) == 1


def test_a_design_for_the_robust_test_has_its_power_where_tukeys_falls_short() -> None:
    """400 data sets of the pilot's runs at the plug-in n of each design for 80%; the audit found .74 for Tukey's."""
    rng = np.random.default_rng(5)
    pilot = unequal(rng, 400)
    lift = np.array([0.1, *[0.0] * 6, -0.1])
    power = {}
    for test in ("tukey", "robust"):
        n = designed(pilot, test).answer.plug_in_n or 0
        found = []
        for _ in range(400):
            order = rng.permutation(8)
            values = unequal(rng, n)[:, order] + lift
            found.append(robust_hsd(values, trials=199, rng=rng).p_values()[0, -1] <= 0.05)
        power[test] = float(np.mean(found))
    assert power["robust"] > power["tukey"] + 0.04
    assert power["robust"] == pytest.approx(0.8, abs=0.06)


def test_the_ratio_is_in_every_number_of_a_design() -> None:
    """More topics, a larger difference at the same n, less power; the answer has the promised power."""
    found = designed(unequal(np.random.default_rng(6), 60)).answer
    equal = kaiwa.design(variance=found.variance, systems=8, min_diff=0.2, test="robust")
    assert found.asked.range_ratio > 1.05
    assert found.n > equal.n
    assert (found.power or 0) >= 0.8 > (answered(completed(_at(found, n=found.n - 1))).power or 0)
    least = answered(completed(_at(found, n=found.n, min_diff=None))).min_diff
    assert equal.alternatives[0].min_diff != least
    assert least == pytest.approx(0.2, rel=0.02)


def _at(design: kaiwa.Design, *, n: int, min_diff: float | None = 0.2) -> Requirement:
    """The requirement with so many topics."""
    asked = design.asked
    power = 0.8 if min_diff is None else None
    return Requirement(
        asked.variance, n, power, min_diff, 8, 0.05, "robust", range_ratio=asked.range_ratio, df=asked.df
    )  # fmt: skip


def test_without_a_pilot_the_design_is_that_of_equal_runs() -> None:
    """Nothing says how unequal the runs are."""
    one, other = (kaiwa.design(variance=0.02, systems=10, min_diff=0.1, test=test).n for test in ("robust", "tukey"))
    assert one == other


def test_rounds_of_unequal_runs_stop_later() -> None:
    """The levels are the same, because p is uniform without a difference; the power is lower."""
    plans = [
        planned_rounds(
            [30, 60],
            systems=8,
            min_diff=0.15,
            variance=0.03,
            shared_topics=True,
            by="range",
            range_ratio=ratio,
            trials=20_000,
            rng=np.random.default_rng(1),
        )
        for ratio in (1.0, 1.2)
    ]
    assert plans[0].looks[0].level == plans[1].looks[0].level
    assert plans[0].kept == plans[1].kept
    assert plans[1].power < plans[0].power - 0.05


def test_simulated_sets_keep_the_runs_of_the_pilot() -> None:
    """Two near-duplicate runs stay near-duplicates; the first system is lifted and the last lowered."""
    rng = np.random.default_rng(7)
    pilot = np.repeat(rng.normal(size=(30, 1)), 3, axis=1) + rng.normal(0, 1e-3, (30, 3))
    sets = kept_sets(pilot, Lift(added=0.5), sets=20, n=40, systems=2, rng=rng)
    assert sets.shape == (20, 40, 2)
    assert (sets[:, :, 0] - sets[:, :, 1]) == pytest.approx(np.ones((20, 40)), abs=0.01)


def test_the_simulated_power_of_the_robust_test_is_the_designed_one() -> None:
    """Drawn from the pilot with its variances; scores with few values are dealt to the systems instead."""
    pilot = unequal(np.random.default_rng(8), 200)
    asked = replace(designed(pilot).answer.asked, df=None)
    found = answered(asked)
    steps = simulated_design(pilot, found, test="robust", trials=500, rng=np.random.default_rng(1))
    assert steps[0].power == pytest.approx(0.8, abs=0.07)
    coarse = np.random.default_rng(9).integers(0, 3, (60, 4)) / 2
    other = kaiwa.design(variance=residual_variance(coarse), systems=4, min_diff=0.3, topics=40, test="robust")
    assert 0 < simulated_design(coarse, other, test="robust", trials=500, rng=np.random.default_rng(1))[0].power < 1
