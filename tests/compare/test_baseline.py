"""Runs against one baseline: every field of the answer, for the three paired tests."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.compare.baseline import compare_with_baseline
from kaiwa.errors import InputError, UnknownName
from kaiwa.model.scores import Scores

CHANCE = np.random.default_rng(11)
VALUES = CHANCE.beta(1, 2, (15, 1)) * 0.5 + CHANCE.random((15, 4)) * 0.5 + np.array([0, 0.1, 0.2, 0.3])
SCORES = Scores("AP", tuple(map(str, range(15))), tuple("ABCD"), VALUES)
# printed by version 0.1.0 with seed 1 and 999 trials: raw p and Holm's p of A, C and D against B
PRINTED = {
    "t": ([0.202286, 0.124989, 0.012801], [0.249978, 0.249978, 0.038402]),
    "randomisation": ([0.192, 0.13, 0.012], [0.26, 0.26, 0.036]),
    "bootstrap": ([0.207, 0.118, 0.021], [0.236, 0.236, 0.063]),
}


@pytest.mark.parametrize("test", list(PRINTED))
def test_a_seed_gives_the_p_values_it_always_gave(test: str) -> None:
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
    scores = Scores("AP", tuple("123456"), ("A", "B"), np.tile([0.7, 0.5], (6, 1)))
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
    """Of the randomisation test."""
    found = compare_with_baseline(SCORES, "B", rng=np.random.default_rng(1))
    assert (found.test, found.trials) == ("randomisation", 5000)


def test_a_corrected_p_at_alpha_is_significant() -> None:
    """No trial of 19 is as extreme: p is 1/20, the level itself."""
    scores = Scores("AP", tuple(map(str, range(20))), ("A", "B"), np.tile([0.9, 0.1], (20, 1)))
    pair = compare_with_baseline(scores, "B", trials=19, alpha=0.05, rng=np.random.default_rng(1)).pairs[0]
    assert pair.p == 0.05
    assert pair.significant
