"""Prompts for pass rates: the bounds of rates, the textbook formula, and more than two systems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from kaiwa.errors import DesignError, InputError
from kaiwa.topicset.pass_rates import (
    PassRates,
    _binomial,
    checked_rates,
    many_pass_rates_design,
    mid_p_power,
    normal_power,
    normal_size,
    pass_rate_design,
)

MANY = {"systems": 5, "correlation": 0.5, "alpha": 0.05, "power": 0.8}


@pytest.mark.parametrize(
    ("pass_rate", "min_diff", "variance"), [(0.3, 0.25, 0.25), (0.1, 0.1, 0.16), (0.6, 0.05, 0.24), (0.45, 0.2, 0.25)]
)
def test_several_pass_rates_are_designed_at_the_largest_variance(
    pass_rate: float, min_diff: float, variance: float
) -> None:
    """That of the rate nearest to one half, r (1 - r); passing and failing can change places."""
    found = many_pass_rates_design(pass_rate=pass_rate, min_diff=min_diff, **MANY)  # type: ignore[arg-type]  # its options
    turned = many_pass_rates_design(pass_rate=1 - pass_rate - min_diff, min_diff=min_diff, **MANY)  # type: ignore[arg-type]  # as above
    assert found.variance == pytest.approx(variance)
    assert found.n == turned.n


@pytest.mark.parametrize(
    ("pass_rate", "min_diff", "words"),
    [
        (0.0, 0.1, "pass_rate: 0 is not between 0 and 1"),
        (1.0, 0.1, "pass_rate: 1 is not between 0 and 1"),
        (0.6, 0.0, "give a difference above 0 and up to 0.4"),
        (0.6, -0.1, "give a difference above 0 and up to 0.4"),
        (0.6, 0.41, "min_diff: 0.41 above a pass rate of 0.6 is not a rate"),
    ],
)
def test_what_is_not_a_rate_is_refused_for_two_systems_and_for_many(
    pass_rate: float, min_diff: float, words: str
) -> None:
    """The message has the largest difference that is possible."""
    with pytest.raises(InputError, match=words):
        pass_rate_design(pass_rate=pass_rate, min_diff=min_diff)
    with pytest.raises(InputError, match=words):
        many_pass_rates_design(pass_rate=pass_rate, min_diff=min_diff, **MANY)  # type: ignore[arg-type]  # its options


def test_a_rate_of_1_is_possible_and_correlates_with_nothing() -> None:
    """A system that passes every prompt wins wherever the other fails."""
    rates = checked_rates(0.6, 0.4, 0.0)
    assert (rates.better, rates.both, rates.losses) == pytest.approx((1.0, 0.6, 0.0))
    with pytest.raises(DesignError, match=r"the nearest possible is 0\.0000"):
        checked_rates(0.6, 0.4, 0.1)


@pytest.mark.parametrize(("limit", "both"), [(0.2 / 0.06**0.5, 0.5), (-0.2 / 0.06**0.5, 0.1)])
def test_a_correlation_at_its_limit_is_possible_and_beyond_is_not(limit: float, both: float) -> None:
    """Rates .5 and .6: both pass at most .5 and at least .1 of the prompts, .2 from the .3 of chance."""
    assert checked_rates(0.5, 0.1, limit).both == pytest.approx(both)
    with pytest.raises(DesignError, match="cannot correlate"):
        checked_rates(0.5, 0.1, limit * 1.001)


RATES = PassRates(0.4, 0.6, 0.25)


def test_the_textbook_formula_by_hand() -> None:
    """Disagreement .4, difference .2: (1.95996 sqrt .4 + .84162 sqrt .36)^2 / .04 = 76.09. Two at least."""
    assert (RATES.gains, RATES.losses) == pytest.approx((0.3, 0.1))
    assert normal_size(RATES, alpha=0.05, power=0.8) == 77
    assert normal_size(RATES, alpha=0.05, power=0.81) > 77
    assert normal_size(PassRates(0.01, 0.99, 0.0), alpha=0.5, power=0.5) == 2


def test_the_textbook_size_reaches_the_power_and_one_less_does_not() -> None:
    """The formula for n is that for the power, turned round."""
    assert normal_power(77, RATES, alpha=0.05) >= 0.8 > normal_power(76, RATES, alpha=0.05)


def test_above_20000_prompts_the_textbook_formula_is_the_answer() -> None:
    """For the number and for its alternatives, from half to twice."""
    found = pass_rate_design(pass_rate=0.5, min_diff=0.01)
    assert (found.method, found.n) == ("normal", found.normal_n)
    assert found.n > 20_000
    shares = (0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0)
    assert [n for n, _ in found.alternatives] == [round(found.n * share) for share in shares]
    assert found.power == normal_power(found.n, found.rates, alpha=0.05)
    assert found.alternatives[-1][1] == normal_power(2 * found.n, found.rates, alpha=0.05)


def test_a_difference_too_small_for_any_number_of_prompts_is_refused() -> None:
    """A thousand million prompts at most."""
    with pytest.raises(DesignError, match="no set of up to 1,000,000,000 prompts is enough"):
        pass_rate_design(pass_rate=0.5, min_diff=1e-5)


def test_alternatives_have_the_exact_power_of_their_number() -> None:
    """Where the number is exact, and it has two prompts at least."""
    found = pass_rate_design(pass_rate=0.6, min_diff=0.3)
    assert found.method == "exact"
    assert [power for _, power in found.alternatives] == [
        mid_p_power(n, found.rates, alpha=0.05) for n, _ in found.alternatives
    ]
    few = pass_rate_design(pass_rate=0.01, min_diff=0.98, alpha=0.5, power=0.5)
    assert min(n for n, _ in few.alternatives) == 2


def test_a_p_value_of_exactly_alpha_rejects() -> None:
    """On 4 prompts that all favour one system the mid-p value is 2 (1/16) / 2 = 1/16.

    With rates of .2 and .8 on their own, a prompt favours the better system with .64 and the worse with .04.
    """
    rates = PassRates(0.2, 0.8, 0.0)
    assert mid_p_power(4, rates, alpha=1 / 16) == pytest.approx(0.64**4 + 0.04**4)
    assert mid_p_power(4, rates, alpha=1 / 16 - 1e-9) == pytest.approx(0.0)


def test_a_rate_above_1_by_rounding_is_1() -> None:
    """A difference that was computed may be off by a few units in the last place."""
    assert checked_rates(0.6, 0.4 + 5e-13, 0.0).better == 1.0


@pytest.mark.parametrize(
    "counts", [[0.0, 2.0], [*range(105, 296), *range(333, 401)], [*range(360, 401)], [*range(401)], [400.0]]
)
def test_binomial_probabilities_are_those_of_scipy_over_the_given_counts(counts: list[float]) -> None:
    """As shares of their sum, also if counts between them are left out."""
    n = int(max(counts))
    expected = binom.pmf(counts, n, 0.93)
    assert _binomial(np.array(counts), n, 0.93) == pytest.approx(expected / expected.sum(), rel=1e-9, abs=1e-300)


def test_a_sure_outcome_has_one_count() -> None:
    """None of the prompts, or all."""
    assert _binomial(np.arange(3.0), 2, 0.0).tolist() == [1.0, 0.0, 0.0]
    assert _binomial(np.arange(3.0), 2, 1.0).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("rate", "apart", "correlation", "alpha", "power"),
    [
        (0.5, 0.3, 0.0, 0.05, 0.8),
        (0.2, 0.5, 0.3, 0.01, 0.9),
        (0.6, 0.4, 0.0, 0.05, 0.8),
        (0.1, 0.8, 0.0, 0.05, 0.5),
        (0.01, 0.98, 0.0, 0.5, 0.5),
        (0.3, 0.6, 0.2, 0.05, 0.95),
    ],
)
def test_the_number_of_prompts_is_one_past_the_last_shortfall(
    rate: float, apart: float, correlation: float, alpha: float, power: float
) -> None:
    """The exact power rises and falls: every number from the answer on is enough, and the one before is not."""
    found = pass_rate_design(pass_rate=rate, min_diff=apart, correlation=correlation, alpha=alpha, power=power)
    powers = [mid_p_power(n, found.rates, alpha=alpha) for n in range(2, 3 * found.normal_n + 60)]
    short = [n for n, reached in enumerate(powers, start=2) if reached < power]
    assert found.n == max(short, default=1) + 1
