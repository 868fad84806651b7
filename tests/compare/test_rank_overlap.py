from itertools import permutations

import numpy as np
import pytest

from kaiwa.compare.rank_overlap import rank_biased_overlap, symmetric_tau_ap, tau_ap, top_overlap
from kaiwa.errors import InputError
from kaiwa.stats.kendall import kendall_tau, tau_b

ORDER = np.array([5.0, 4.0, 3.0, 2.0, 1.0])


def test_tau_ap_of_the_reverse_is_minus_one() -> None:
    """The ends of the scale."""
    assert tau_ap(ORDER, ORDER) == pytest.approx(1)
    assert tau_ap(ORDER, -ORDER) == pytest.approx(-1)


def test_tau_ap_averages_to_zero_over_all_orders() -> None:
    """A random order has no AP correlation with the truth (Yilmaz et al. 2008)."""
    taus = [tau_ap(ORDER, np.array(order, dtype=float)) for order in permutations(range(5))]
    assert np.mean(taus) == pytest.approx(0, abs=1e-12)


def test_tau_ap_punishes_swaps_at_the_top_more() -> None:
    """Swapping ranks 1 and 2 costs more than swapping 4 and 5; tau sees no difference."""
    top, bottom = np.array([4.0, 5.0, 3.0, 2.0, 1.0]), np.array([5.0, 4.0, 3.0, 1.0, 2.0])
    assert tau_ap(ORDER, top) < tau_ap(ORDER, bottom)
    assert tau_b(ORDER, top) == tau_b(ORDER, bottom)


def test_symmetric_tau_ap_does_not_care_which_is_the_truth() -> None:
    """The mean of both directions."""
    x, y = np.random.default_rng(1).random((2, 9))
    assert symmetric_tau_ap(x, y) == pytest.approx(symmetric_tau_ap(y, x))


def test_rbo_matches_its_definition_summed_directly() -> None:
    """Agreement at each depth, weighted (1-p) p^(d-1), the last agreement carried on for ever."""
    x, y = np.random.default_rng(2).random((2, 7))
    first, second = list(np.argsort(-x)), list(np.argsort(-y))
    agreement = [len(set(first[:d]) & set(second[:d])) / d for d in range(1, 8)]
    carried = agreement + [agreement[-1]] * 2000
    expected = sum(0.1 * 0.9**depth * share for depth, share in enumerate(carried))
    assert rank_biased_overlap(x, y, persistence=0.9) == pytest.approx(expected)


def test_top_overlap_beyond_the_runs_is_refused() -> None:
    """K must fit the ranking."""
    with pytest.raises(InputError, match="give 1 to 5"):
        top_overlap(ORDER, ORDER, k=6)


def test_bootstrap_limits_of_tau_enclose_it() -> None:
    """Runs drawn with replacement."""
    x = np.arange(20.0)
    y = x + np.random.default_rng(1).normal(0, 4, 20)
    result = kendall_tau(x, y, interval="bootstrap", trials=300, rng=np.random.default_rng(1))
    assert result.low < result.tau < result.high


def test_a_bootstrap_interval_takes_2000_draws_unless_told() -> None:
    """The same limits as with 2,000 by name, and others with 300."""
    x, y = np.random.default_rng(1).random((2, 40))
    default = kendall_tau(x, y, interval="bootstrap", rng=np.random.default_rng(1))
    named, fewer = (
        kendall_tau(x, y, interval="bootstrap", trials=trials, rng=np.random.default_rng(1)) for trials in (2000, 300)
    )
    assert default == named != fewer


def test_all_tied_scores_have_no_tau() -> None:
    """No order, no correlation: one clear line."""
    with pytest.raises(InputError, match="all means are equal"):
        kendall_tau(np.ones(4), ORDER[:4])
