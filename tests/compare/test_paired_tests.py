from itertools import product

import numpy as np
import pytest

from kaiwa.compare.paired_tests import against_baseline, bootstrap_p, paired_t_p, randomisation_p

DIFFERENCES = np.array([[0.1, -0.2], [0.3, 0.1], [-0.05, 0.0], [0.4, 0.3], [0.2, -0.1], [0.15, 0.25]])


def test_randomisation_p_approaches_every_sign() -> None:
    """Sampled signs come within four standard errors of all 64."""
    signs = np.array(list(product([1, -1], repeat=6)))
    exact = (np.abs(signs @ DIFFERENCES) >= np.abs(DIFFERENCES.sum(axis=0)) - 1e-12).mean(axis=0)
    sampled = randomisation_p(DIFFERENCES, trials=40_000, rng=np.random.default_rng(1), p_rule="share")
    assert np.abs(sampled - exact).max() <= 4 * np.sqrt(0.25 / 40_000)


def test_bootstrap_p_approaches_every_draw() -> None:
    """Sampled draws come within four standard errors of all 4^4 draws of four topics."""
    differences = DIFFERENCES[:4]
    shifted = differences - differences.mean(axis=0)
    t_observed = np.abs(differences.mean(axis=0)) / (differences.std(axis=0, ddof=1) / 2)
    drawn = shifted[np.array(list(product(range(4), repeat=4)))]
    mean, sd = np.abs(drawn.mean(axis=1)), drawn.std(axis=1, ddof=1) / 2
    flat = sd < 1e-12
    by_t = mean / np.where(flat, 1, sd) >= t_observed - 1e-12
    extreme = np.where(flat, mean >= np.abs(differences.mean(axis=0)) - 1e-12, by_t)
    sampled = bootstrap_p(differences, trials=40_000, rng=np.random.default_rng(1), p_rule="share")
    assert np.abs(sampled - extreme.mean(axis=0)).max() <= 4 * np.sqrt(0.25 / 40_000)


def test_equal_differences_leave_the_t_test_no_doubt() -> None:
    """No spread: p is 0 for a difference and 1 for none, without a division by zero."""
    assert paired_t_p(np.array([[0.1, 0.0], [0.1, 0.0], [0.1, 0.0]])).tolist() == [0.0, 1.0]


def test_one_planned_pair_needs_no_correction() -> None:
    """With a single run beside the baseline Holm's p is the raw p."""
    tests = against_baseline(
        np.random.default_rng(1).random((9, 2)), 0, test="t", trials=1, rng=np.random.default_rng(1)
    )
    assert tests.holm.tolist() == tests.p.tolist()


def test_bonferroni_limits_exclude_zero_only_if_holm_rejects() -> None:
    """A simultaneous t interval without zero implies a Holm-corrected t-test below alpha."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        by_topic = rng.random((15, 5)) + np.linspace(0, 0.5, 5)
        tests = against_baseline(by_topic, 2, test="t", trials=1, rng=rng)
        excluded = (tests.low > 0) | (tests.high < 0)
        assert (tests.holm[excluded] <= 0.05).all()


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_a_large_difference_is_found_by_every_paired_test(test: str) -> None:
    """Three roads to the same conclusion."""
    rng = np.random.default_rng(2)
    by_topic = np.column_stack((rng.random(40), rng.random(40) + 1))
    assert against_baseline(by_topic, 0, test=test, trials=999, rng=rng).holm[0] < 0.01
