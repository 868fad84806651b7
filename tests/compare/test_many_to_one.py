"""The robust test of every run against a baseline: beside all sign patterns, and an implementation of its own."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from benchmarks.calibration.audit_tests import many_to_one_trials

from kaiwa.comparison.baseline import compare_with_baseline, many_to_one
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores
from kaiwa.stats.p_values import monte_carlo_error
from kaiwa.stats.resampling import drawn_pluses, trial_key

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

TRIALS = 2_000


def matrix(seed: int, *, topics: int = 9, runs: int = 4, decimals: int = 12) -> FloatArray:
    """Runs with unequal variances, of which the last is much better; few decimals make ties."""
    noise = np.random.default_rng(seed).normal(0, [0.1, 0.1, 0.2, 0.4][:runs], (topics, runs))
    values: FloatArray = np.round(noise + np.arange(runs) ** 2 / 20, decimals)
    return values


def p_values(values: FloatArray, seed: int = 1, baseline: int = 0) -> FloatArray:
    """Kaiwa's p of each other run."""
    found = many_to_one(values, baseline, trials=TRIALS, rng=np.random.default_rng(seed))
    return found.p_of(np.abs(found.means))


def compared(values: FloatArray, **settings: object) -> list[tuple[float, float, float]]:
    """P and the interval of each run against the first."""
    runs = tuple(f"r{run}" for run in range(values.shape[1]))
    scores = Matrix("AP", tuple(map(str, range(len(values)))), runs, values)
    found = compare_with_baseline(scores, "r0", rng=np.random.default_rng(1), **settings)  # type: ignore[arg-type]
    return [(pair.p, pair.low, pair.high) for pair in found.pairs]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("decimals", [12, 1])
def test_p_is_that_of_the_formula_with_the_same_signs(seed: int, decimals: int) -> None:
    """The other implementation gets the signs that Kaiwa draws: every p is equal, with ties too."""
    values = matrix(seed, decimals=decimals)
    signs = 2.0 * drawn_pluses(trial_key(np.random.default_rng(1)), 0, TRIALS, len(values)) - 1
    reached = many_to_one_trials(values, signs)[:, None] >= np.abs((values[:, 1:] - values[:, :1]).mean(axis=0)) - 1e-9
    expected = np.maximum((reached.sum(axis=0) + 1) / (TRIALS + 1), 2.0 ** (1 - len(values)))
    assert p_values(values).tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_p_is_near_the_share_of_all_sign_patterns(seed: int) -> None:
    """Over all 2^8 patterns of 8 topics, within four standard errors of the trials; never below 2^(1 - n)."""
    values = matrix(seed, topics=8)
    signs = np.array(list(product((-1.0, 1.0), repeat=8)))
    differences = np.abs((values[:, 1:] - values[:, :1]).mean(axis=0))
    exact = np.maximum((many_to_one_trials(values, signs)[:, None] >= differences - 1e-9).mean(axis=0), 2.0**-7)
    assert np.abs(p_values(values) - exact).max() <= 4 * monte_carlo_error(exact, TRIALS).max() + 1 / TRIALS


def test_a_constant_baseline_is_compared_by_the_variance_of_the_other_runs() -> None:
    """The differences to a constant are the runs themselves, so p does not depend on which constant it is."""
    values = matrix(3)
    low, high = (p_values(np.column_stack((np.full(9, constant), values[:, 1:] + constant))) for constant in (0.1, 0.7))
    assert low.tolist() == high.tolist()
    assert low[2] < 0.05 < low[0]


def test_a_run_identical_to_the_baseline_has_p_1_and_the_others_keep_theirs() -> None:
    """Its differences are 0 in every trial, and add nothing to the residual variance."""
    values = matrix(4)
    twin = np.column_stack((values, values[:, 0]))
    assert p_values(twin).tolist() == [*p_values(values).tolist(), 1.0]


def test_runs_that_never_differ_have_p_1_and_intervals_of_zero() -> None:
    """All differences are 0: nothing varies, and nothing is found."""
    assert compared(np.tile(matrix(5)[:, :1], (1, 3))) == [(1.0, 0.0, 0.0)] * 2


def test_a_difference_without_variance_has_the_smallest_p() -> None:
    """Of ten topics 2^-9; of five .0625, which is never significant, and the interval is infinite."""
    ten, five = np.tile([0.2, 0.5], (10, 1)), np.tile([0.2, 0.5], (5, 1))
    assert compared(ten)[0][0] == 2.0**-9
    assert compared(five) == [(0.0625, float("-inf"), float("inf"))]


@pytest.mark.parametrize("seed", range(10))
def test_an_interval_without_0_is_a_significant_difference(seed: int) -> None:
    """One critical difference for all runs: intervals and p-values say the same."""
    limits = compared(matrix(seed, topics=12), trials=999)
    assert len({round(high - low, 12) for _, low, high in limits}) == 1
    assert [p <= 0.05 for p, _, _ in limits] == [low > 0 or high < 0 for _, low, high in limits]


def test_a_pair_of_runs_is_tested_as_by_the_robust_test_of_all_pairs() -> None:
    """Two runs have one difference: the range of two runs is its absolute mean, so both tests have the same trials."""
    values = matrix(6, runs=2)
    scores = Scores.from_matrix("AP", tuple(map(str, range(9))), ("A", "B"), values)
    one, two = scores.compare(trials=999).pairs[0], scores.compare(baseline="A", trials=999).pairs[0]
    assert (one.p, one.high - one.diff) == pytest.approx((two.p, two.high - two.diff))
    assert two.raw_p is None


def test_the_default_with_a_baseline_is_the_robust_test_with_5000_trials() -> None:
    """Many runs do not need more trials, because there is one largest difference a trial."""
    scores = Scores.from_matrix("AP", tuple(map(str, range(9))), tuple("ABCD"), matrix(7))
    found = scores.compare(baseline="A", margin=5.0)
    assert (found.test, found.trials) == ("robust", 5_000)
    assert {pair.verdict for pair in found.pairs} == {"equivalent"}
    assert "(benchmarks/results/audit.md, Familywise error of 9 runs against a baseline)" in found.methods()
