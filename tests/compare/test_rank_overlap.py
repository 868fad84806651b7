from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.comparison.tau import rank_biased_overlap, symmetric_tau_ap, tau_ap, top_overlap
from kaiwa.errors import InputError
from kaiwa.stats.kendall import kendall_tau, tau_b

# The example of ircor's tauAP (R, CRAN), with the numbers that it prints
IRCOR_X = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
IRCOR_Y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])
TIED = st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(lambda scores: len(set(scores)) > 1)

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


def test_symmetric_tau_ap_is_the_mean_of_both_directions() -> None:
    """1 for the same order, -1 for the reverse, and between the two otherwise."""
    other = np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    assert symmetric_tau_ap(ORDER, ORDER) == pytest.approx(1)
    assert symmetric_tau_ap(ORDER, -ORDER) == pytest.approx(-1)
    both = tau_ap(ORDER, other), tau_ap(other, ORDER)
    assert symmetric_tau_ap(ORDER, other) == pytest.approx(np.mean(both))


@pytest.mark.parametrize("persistence", [-0.1, 0.0, 1.0, 1.5])
def test_a_persistence_that_is_no_probability_between_0_and_1_is_refused(persistence: float) -> None:
    """At 0 only the first rank counts and at 1 none ends: neither has weights."""
    with pytest.raises(InputError, match="is not between 0 and 1"):
        rank_biased_overlap(ORDER, ORDER, persistence=persistence)


def orders(scores: np.ndarray) -> list[np.ndarray]:
    """Every order of the tied runs, as distinct scores in the same order."""
    every = (np.array(place, dtype=float) for place in permutations(range(len(scores))))
    return [one for one in every if all(np.diff(scores[np.argsort(one)]) >= 0)]


def overlap_of_orders(first: np.ndarray, second: np.ndarray) -> list[float]:
    """The shares of common runs at each depth of two rankings without ties."""
    one, two = list(np.argsort(-first)), list(np.argsort(-second))
    return [len(set(one[:depth]) & set(two[:depth])) / depth for depth in range(1, len(one) + 1)]


def carried_on(agreement: list[float], persistence: float) -> float:
    """Rank-biased overlap summed directly, the last agreement carried on."""
    longer = agreement + [agreement[-1]] * 2000
    return sum((1 - persistence) * persistence**depth * share for depth, share in enumerate(longer))


def test_tau_ap_with_ties_gives_the_numbers_that_ircor_prints() -> None:
    """Urbano & Marrero 2017, their R package: ties in y by rounding to one digit, then in x too."""
    y = IRCOR_Y.round(1)
    assert tau_ap(IRCOR_X, IRCOR_Y) == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap(IRCOR_X, y) == pytest.approx(0.39903, abs=5e-6)
    assert symmetric_tau_ap(IRCOR_X, y) == pytest.approx(0.3317019, abs=5e-8)
    assert symmetric_tau_ap(IRCOR_X.round(1), y) == pytest.approx(0.339418, abs=5e-7)


@settings(max_examples=60, deadline=None)
@given(TIED, TIED)
def test_tau_ap_is_the_mean_over_all_orders_of_tied_runs(truth: list[int], estimate: list[int]) -> None:
    """tau_ap,a, by every order of both rankings."""
    x, y = np.array(truth, dtype=float), np.array(estimate, dtype=float)
    every = [tau_ap(one, two) for one, two in product(orders(x), orders(y))]
    assert tau_ap(x, y) == pytest.approx(np.mean(every))


@settings(max_examples=60, deadline=None)
@given(TIED, TIED)
def test_symmetric_tau_ap_with_ties_counts_agreeing_runs_above_each_group(first: list[int], second: list[int]) -> None:
    """tau_ap,b, by its definition in loops."""

    def one_way(x: list[int], y: list[int]) -> float:
        shares = []
        for run in range(len(x)):
            above = [other for other in range(len(x)) if y[other] > y[run]]
            if above:
                shares.append(sum(x[other] > x[run] for other in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1

    x, y = np.array(first, dtype=float), np.array(second, dtype=float)
    assert symmetric_tau_ap(x, y) == pytest.approx((one_way(first, second) + one_way(second, first)) / 2)
    assert symmetric_tau_ap(x, x) == pytest.approx(1)


@settings(max_examples=60, deadline=None)
@given(TIED, TIED)
def test_overlaps_with_ties_follow_their_three_forms(first: list[int], second: list[int]) -> None:
    """RBO^a is the mean over all orders; RBO^b divides by each ranking's own; RBO^w has tied runs at one rank."""
    x, y = np.array(first, dtype=float), np.array(second, dtype=float)

    def expected(one: np.ndarray, two: np.ndarray) -> np.ndarray:
        return np.mean([overlap_of_orders(a, b) for a, b in product(orders(one), orders(two))], axis=0)

    def own(one: np.ndarray) -> np.ndarray:
        return np.mean([overlap_of_orders(a, b) for a, b in product(orders(one), orders(one))], axis=0)

    def shared_rank(depth: int) -> float:
        one, two = ({run for run in range(5) if sum(s > side[run] for s in side) < depth} for side in (first, second))
        return 2 * len(one & two) / (len(one) + len(two))

    wanted = {
        "a": expected(x, y),
        "b": expected(x, y) / np.sqrt(own(x) * own(y)),
        "w": np.array([shared_rank(depth) for depth in range(1, 6)]),
    }
    for form, agreement in wanted.items():
        found = rank_biased_overlap(x, y, persistence=0.8, ties=form)  # type: ignore[arg-type]  # the three names
        assert found == pytest.approx(carried_on(list(agreement), 0.8))
    assert [top_overlap(x, y, k=k) for k in range(1, 6)] == pytest.approx(list(wanted["a"]))


@settings(max_examples=40, deadline=None)
@given(TIED, TIED, st.permutations(range(5)))
def test_no_agreement_depends_on_the_order_in_which_runs_are_listed(
    first: list[int], second: list[int], listed: list[int]
) -> None:
    """Tied runs have no order, so a listing gives them none."""
    x, y = np.array(first, dtype=float), np.array(second, dtype=float)
    for statistic in (tau_ap, symmetric_tau_ap, rank_biased_overlap, tau_b):
        assert statistic(x[listed], y[listed]) == pytest.approx(statistic(x, y))
