"""A whole comparison: defaults, settings at their edges, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.comparison.allpairs import AUTO_FIRST, randomised_hsd, require_trials, step_down_hsd
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.errors import InputError
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.anova import residual_variance

SCORES = Matrix("AP", tuple("12345678"), tuple("ABC"), np.random.default_rng(1).random((8, 3)))


def test_the_default_is_5000_trials() -> None:
    """For every randomised test of all pairs."""
    chance = np.random.default_rng(1)
    assert compare_runs(SCORES, rng=chance).trials == 5000
    assert randomised_hsd(SCORES.values, rng=chance).trials == 5000
    assert step_down_hsd(SCORES.values, rng=chance).single_step.trials == 5000


def test_automatic_trials_run_until_clear_and_a_number_is_kept() -> None:
    """A clear case ends after the first trials."""
    clear = Matrix("AP", tuple("12345678"), ("A", "B"), np.tile([0.9, 0.1], (8, 1)) + np.eye(8, 2) / 100)
    assert compare_runs(clear, trials="auto", rng=np.random.default_rng(1)).trials == AUTO_FIRST
    assert compare_runs(clear, trials=999, rng=np.random.default_rng(1)).trials == 999


def test_the_fewest_trials_that_can_show_anything_are_taken_and_one_less_is_refused() -> None:
    """19 at alpha .05; the analytic test needs none."""
    assert compare_runs(SCORES, trials=19, rng=np.random.default_rng(1)).trials == 19
    with pytest.raises(InputError, match=r"18 trials cannot make any pair .* give at least 19"):
        compare_runs(SCORES, trials=18, rng=np.random.default_rng(1))
    assert compare_runs(SCORES, test="tukey", trials=1, rng=np.random.default_rng(1)).trials is None


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_an_alpha_at_either_end_is_refused(alpha: float) -> None:
    """A level lies between 0 and 1."""
    with pytest.raises(InputError, match="not between 0 and 1"):
        compare_runs(SCORES, alpha=alpha, rng=np.random.default_rng(1))


@pytest.mark.parametrize("trials", [0, 100_000_001])
def test_trials_beyond_reason_are_refused(trials: int) -> None:
    """1 to a hundred million, both included."""
    require_trials(1)
    require_trials(100_000_000)
    with pytest.raises(InputError, match="give 1 to 100,000,000"):
        require_trials(trials)


def test_the_effect_size_is_the_difference_over_the_residual_standard_deviation() -> None:
    """ES_HSD; the interval lies around the difference."""
    found = compare_runs(SCORES, trials=999, rng=np.random.default_rng(1))
    pair = found.pairs[1]
    means = SCORES.values.mean(axis=0)
    assert (pair.a, pair.b) == ("A", "C")
    assert pair.diff == pytest.approx(means[0] - means[2])
    assert pair.effect_size == pytest.approx(pair.diff / residual_variance(SCORES.values) ** 0.5)
    assert (pair.low + pair.high) / 2 == pytest.approx(pair.diff)
    assert pair.high - pair.low == pytest.approx(2 * found.critical_difference)
    assert pair.error == pytest.approx((pair.p * (1 - pair.p) / 999) ** 0.5)


def test_p_at_alpha_is_significant() -> None:
    """P of 1 in 20 at alpha .05: the level is included, in pairs and in ranks."""
    apart = Matrix("AP", tuple("12345678"), ("A", "B"), np.tile([0.9, 0.1], (8, 1)))
    by_seed = [compare_runs(apart, trials=19, rng=np.random.default_rng(seed)) for seed in range(5)]
    at_alpha = [found for found in by_seed if found.pairs[0].p == 0.05]
    assert at_alpha
    assert all(found.pairs[0].significant and found.ranks == {"A": 1, "B": 2} for found in at_alpha)


def test_discriminative_power_is_the_share_of_pairs_that_differ() -> None:
    """Two of three pairs: A and B are far above C and tie with each other."""
    values = np.tile([0.9, 0.9, 0.1], (12, 1)) + np.random.default_rng(2).normal(0, 0.05, (12, 3))
    found = compare_runs(Matrix("AP", tuple("abcdefghijkl"), tuple("ABC"), values), rng=np.random.default_rng(1))
    assert found.significant_pairs == 2
    assert found.discriminative_power == pytest.approx(2 / 3)


def test_as_many_runs_as_allowed_are_compared_and_one_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message counts the pairs: 4 runs have 6."""
    monkeypatch.setattr("kaiwa.comparison.leaderboard.MAX_RUNS", 3)
    assert len(compare_runs(SCORES, trials=99, rng=np.random.default_rng(1)).pairs) == 3
    four = Matrix("AP", tuple("12345678"), tuple("ABCD"), np.random.default_rng(1).random((8, 4)))
    with pytest.raises(InputError, match="4 runs have 6 pairs, and at most 3 runs are compared"):
        compare_runs(four, trials=99, rng=np.random.default_rng(1))
