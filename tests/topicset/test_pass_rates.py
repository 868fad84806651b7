"""Prompts for pass rates: the bounds of rates, the textbook formula, and more than two systems."""

from __future__ import annotations

import pytest

from kaiwa.errors import DesignError, InputError
from kaiwa.topicset.pass_rates import (
    PassRates,
    checked_rates,
    many_pass_rates_design,
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
