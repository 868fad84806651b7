"""P-values from counts, and Holm's correction."""

from __future__ import annotations

import numpy as np

from kaiwa.stats.p_values import fewest_trials, holm


def test_holm_never_reorders_and_never_exceeds_one() -> None:
    """Corrected p-values keep the order of the raw ones."""
    p = np.random.default_rng(1).random(20)
    corrected = holm(p)
    assert (np.argsort(corrected[np.argsort(p)], kind="stable") == np.arange(20)).all()
    assert (corrected >= p).all()
    assert corrected.max() <= 1


def test_the_fewest_trials_reach_alpha_and_one_less_does_not() -> None:
    """The smallest p of t trials is 1/(t + 1), or 0 without the one."""
    assert [fewest_trials(alpha, "plus-one") for alpha in (0.05, 0.01, 0.03, 0.9)] == [19, 99, 33, 1]
    assert fewest_trials(0.001, "share") == 1
