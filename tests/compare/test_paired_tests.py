from itertools import product

import numpy as np
import pytest

from kaiwa.comparison.baseline import (
    PAIRED_TESTS,
    Draws,
    against_baseline,
    paired_bootstrap,
    paired_randomisation,
    paired_t,
)

DIFFERENCES = np.array([[0.1, -0.2], [0.3, 0.1], [-0.05, 0.0], [0.4, 0.3], [0.2, -0.1], [0.15, 0.25]])


def test_randomisation_p_approaches_every_sign() -> None:
    """Sampled signs come within four standard errors of all 64."""
    signs = np.array(list(product([1, -1], repeat=6)))
    exact = (np.abs(signs @ DIFFERENCES) >= np.abs(DIFFERENCES.sum(axis=0)) - 1e-12).mean(axis=0)
    sampled = paired_randomisation(DIFFERENCES, Draws(40_000, np.random.default_rng(1), "share")).p
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
    sampled = paired_bootstrap(differences, Draws(40_000, np.random.default_rng(1), "share")).p
    assert np.abs(sampled - extreme.mean(axis=0)).max() <= 4 * np.sqrt(0.25 / 40_000)


def test_equal_differences_leave_the_t_test_no_doubt() -> None:
    """No spread: p is 0 for a difference and 1 for none, without a division by zero."""
    differences = np.array([[0.1, 0.0], [0.1, 0.0], [0.1, 0.0]])
    assert paired_t(differences, Draws(1, np.random.default_rng(1))).p.tolist() == [0.0, 1.0]


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


def test_a_draw_as_extreme_as_the_data_counts_also_after_rounding() -> None:
    """Differences 0, 0, .3, shifted to -.1, -.1, .2, of mean .1 and t = 1.

    Of the 27 draws, the 8 without .2 have no variance and a mean as far from 0 as .1, the 6 with two have t = 1,
    the one with three has a mean of .2; the 12 with one have a mean of 0. So p is 15/27.
    """
    draws = Draws(40_000, np.random.default_rng(1), "share")
    assert paired_bootstrap(np.array([[0.0], [0.0], [0.3]]), draws).p[0] == pytest.approx(
        15 / 27, abs=4 * np.sqrt(0.25 / 40_000)
    )


@pytest.mark.parametrize("test", list(PAIRED_TESTS))
def test_an_interval_excludes_zero_exactly_if_the_same_test_rejects_at_its_level(test: str) -> None:
    """The interval belongs to the test that gives p, not to another one; skewed scores on 12 topics, 5 runs."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        by_topic = rng.exponential(size=(12, 6)) + np.linspace(0, 1.5, 6)
        found = against_baseline(by_topic, 0, test=test, trials=999, rng=rng)
        assert ((found.low > 0) | (found.high < 0)).tolist() == (found.p * 5 <= 0.05 * (1 + 1e-9)).tolist()


def test_randomisation_limits_are_those_of_every_shift_tried() -> None:
    """Shifted by the limit, no smaller share of the 2^6 signs is as extreme than the level; a little further, it is."""
    signs = np.array(list(product([1, -1], repeat=6)))
    found = paired_randomisation(DIFFERENCES, Draws(40_000, np.random.default_rng(1), level=0.25))
    mean = DIFFERENCES.mean(axis=0)

    def p_of(true: np.ndarray) -> np.ndarray:
        moved = DIFFERENCES - true
        return (np.abs(signs @ moved) >= np.abs(moved.sum(axis=0)) - 1e-12).mean(axis=0)

    for limit, outwards in ((mean - found.below, -1e-6), (mean + found.above, 1e-6)):
        assert (p_of(limit - outwards) > 0.25 - 0.02).all()
        assert (p_of(limit + outwards) <= 0.25 + 0.02).all()


def test_differences_by_rounding_only_are_no_differences() -> None:
    """Tiny scores too: the tolerance is a share of the largest score, not a number."""
    by_topic = np.array([[0.3, 0.1 + 0.2], [0.6, 0.2 * 3], [0.9, 0.3 * 3]] * 4)
    for scale in (1e-15, 1.0, 1e9):
        for test in PAIRED_TESTS:
            rng = np.random.default_rng(1)
            found = against_baseline(by_topic * scale, 0, test=test, trials=99, rng=rng)
            assert found.p.tolist() == [1.0]
            small = np.column_stack((by_topic[:, 0], by_topic[:, 0] * 1.5)) * scale
            assert against_baseline(small, 0, test=test, trials=999, rng=rng).p[0] <= 0.01
