"""Runs against one baseline: every field of the answer, for the three paired tests."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.comparison.baseline import compare_with_baseline
from kaiwa.errors import InputError, UnknownName
from kaiwa.nouns.matrix import Matrix

CHANCE = np.random.default_rng(11)
VALUES = CHANCE.beta(1, 2, (15, 1)) * 0.5 + CHANCE.random((15, 4)) * 0.5 + np.array([0, 0.1, 0.2, 0.3])
SCORES = Matrix("AP", tuple(map(str, range(15))), tuple("ABCD"), VALUES)
# printed with seed 1 and 999 trials since draws are keyed: raw p and Holm's p of A, C and D against B; with 200,000
# trials the raw p are .202, .124, .012 (randomisation) and .203, .124, .014 (bootstrap), before and after that change
PRINTED = {
    "t": ([0.202286, 0.124989, 0.012801], [0.249978, 0.249978, 0.038402]),
    "randomisation": ([0.212, 0.128, 0.017], [0.256, 0.256, 0.051]),
    "bootstrap": ([0.233, 0.133, 0.012], [0.266, 0.266, 0.036]),
}


@pytest.mark.parametrize("test", list(PRINTED))
def test_a_seed_gives_the_same_p_values_again(test: str) -> None:
    """Raw and corrected, for each run but the baseline, in the order of the runs."""
    found = compare_with_baseline(SCORES, "B", test=test, trials=999, rng=np.random.default_rng(1))
    raw, holm = PRINTED[test]
    assert [(pair.a, pair.b) for pair in found.pairs] == [("A", "B"), ("C", "B"), ("D", "B")]
    assert [pair.raw_p for pair in found.pairs] == pytest.approx(raw, abs=1e-6)
    assert [pair.p for pair in found.pairs] == pytest.approx(holm, abs=1e-6)
    assert [pair.significant for pair in found.pairs] == [p <= 0.05 for p in holm]
    assert (found.measure, found.topics, found.trials) == ("AP", 15, None if test == "t" else 999)


def test_difference_interval_and_effect_size_are_of_the_run_less_the_baseline() -> None:
    """Bonferroni's limits: t with 14 degrees of freedom at 1 - .05/6, 2.7178 by any table of t."""
    differences = VALUES[:, 3] - VALUES[:, 1]
    pair = compare_with_baseline(SCORES, "B", test="t", rng=np.random.default_rng(1)).pairs[2]
    mean, sd = differences.mean(), differences.std(ddof=1)
    reach = 2.7178 * sd / 15**0.5
    assert (pair.diff, pair.effect_size) == pytest.approx((mean, mean / sd))
    assert (pair.low, pair.high) == pytest.approx((mean - reach, mean + reach), abs=1e-5)


def test_a_constant_difference_has_no_effect_size() -> None:
    """There is no spread to divide by."""
    scores = Matrix("AP", tuple("123456"), ("A", "B"), np.tile([0.7, 0.5], (6, 1)))
    pair = compare_with_baseline(scores, "B", rng=np.random.default_rng(1)).pairs[0]
    assert pair.effect_size is None
    assert pair.diff == pytest.approx(0.2)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_an_alpha_at_either_end_is_refused(alpha: float) -> None:
    """A level lies between 0 and 1."""
    with pytest.raises(InputError, match="not between 0 and 1"):
        compare_with_baseline(SCORES, "B", alpha=alpha, rng=np.random.default_rng(1))


def test_an_unknown_baseline_offers_the_runs() -> None:
    """A run that is not there is a spelling mistake."""
    with pytest.raises(UnknownName, match="unknown run 'E'"):
        compare_with_baseline(SCORES, "E", rng=np.random.default_rng(1))


def test_the_default_is_5000_trials() -> None:
    """Of the randomisation test, for so few comparisons."""
    found = compare_with_baseline(SCORES, "B", test="randomisation", rng=np.random.default_rng(1))
    assert (found.test, found.trials) == ("randomisation", 5000)


def test_a_corrected_p_at_alpha_is_significant() -> None:
    """No trial of 19 is as extreme: p is 1/20, the level itself."""
    scores = Matrix("AP", tuple(map(str, range(20))), ("A", "B"), np.tile([0.9, 0.1], (20, 1)))
    pair = compare_with_baseline(scores, "B", trials=19, alpha=0.05, rng=np.random.default_rng(1)).pairs[0]
    assert pair.p == 0.05
    assert pair.significant


def many_runs(runs: int) -> Matrix:
    """A baseline and runs that are better by .3 on each of 60 topics, with noise."""
    rng = np.random.default_rng(3)
    values = rng.random((60, 1)) + rng.normal(0, 0.1, (60, runs)) + np.array([0.0] + [0.3] * (runs - 1))
    return Matrix("AP", tuple(map(str, range(60))), tuple(f"r{run}" for run in range(runs)), values)


def test_109_comparisons_at_one_percent_have_the_trials_to_find_what_t_finds() -> None:
    """With 5,000 trials the smallest Holm-corrected p would be 109/5001 = .0218: nothing could be significant."""
    scores = many_runs(110)
    by_trials = compare_with_baseline(scores, "r0", test="randomisation", alpha=0.01, rng=np.random.default_rng(1))
    by_t = compare_with_baseline(scores, "r0", test="t", alpha=0.01, rng=np.random.default_rng(1))
    assert by_trials.trials == 218_000
    assert [pair.significant for pair in by_trials.pairs] == [pair.significant for pair in by_t.pairs] == [True] * 109


def test_too_few_trials_for_the_comparisons_are_refused_with_the_number_needed() -> None:
    """One rule for a number that the user gives: it is an error, as in a comparison of all pairs."""
    scores, chance = many_runs(110), np.random.default_rng(1)
    with pytest.raises(InputError, match=r"5,000 trials cannot make any of 109 comparisons .* at least 10,899, or"):
        compare_with_baseline(scores, "r0", test="randomisation", trials=5_000, alpha=0.01, rng=chance)
    found = compare_with_baseline(scores, "r0", test="randomisation", trials=10_899, alpha=0.01, rng=chance)
    assert all(pair.significant for pair in found.pairs)


def test_equal_means_up_to_rounding_have_no_better_run() -> None:
    """.1 + .2 is not a better mean than .3."""
    scores = Matrix("AP", ("1", "2", "3"), ("A", "B"), np.array([[0.1 + 0.2, 0.3], [0.5, 0.5], [0.4, 0.4]]))
    assert compare_with_baseline(scores, "B", rng=np.random.default_rng(1)).pairs[0].better is None
