"""Critical values and power of F-tests, against fifty-digit arithmetic and across the change of method."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import fdtrc

from kaiwa.stats.anova import PLENTY, critical_f, noncentral_f_tail, noncentrality_needed

# printed by mpmath 1.4.1 with 50 digits: the root of log betainc(df2/2, df1/2, 0, df2/(df2 + df1 f)) = log alpha
CRITICAL = [
    (1e-12, 1, 1, 4.05284734569351e23),
    (1e-15, 9, 1, 6.02284362012177e29),
    (0.05, 1, 10, 4.96460274373071),
    (0.9, 4, 30, 0.261956907192282),
    (1e-12, 9, 1e5, 8.44801722453305),
    (0.3, 1, 199998, 1.07419974115325),
    (0.05, 999, 3e4, 1.07608031411557),
    (0.01, 49, 1e8, 1.52896907687836),
    (1e-6, 2, 1e10, 13.8155105770511),
    (0.05, 2000, 100050000, 1.0525776817384),
    (1e-6, 2000, 100050000, 1.15757974574724),
]
# by the same: Poisson weights times beta tails, summed to the last digit
POWER = [
    (4.0, 1, 2, 1.0, 0.30885056580901),
    (3.2, 9, 810, 15.75, 0.300308682911488),
    (1.25, 99, 9900, 40.0, 0.784811175502459),
    (30.0, 1, 57, 0.5, 1.06798931949123e-5),
    (2.0, 3, 400, 0.001, 0.113528091611869),
    (150.0, 1, 1, 8000.0, 0.999999999999663),
    (1.15, 999, 1e6, 250.0, 0.968819063177947),
    (2.5, 2, 199998, 9.0, 0.831900206331523),
    (4.9, 1, 9999998, 7.8, 0.718791253221288),
    (4.9, 1, 10000002, 7.8, 0.71879125322129),
    (2.0, 9, 1e9, 10.0, 0.505295352636106),
    (1.1, 999, 99999999, 120.0, 0.65227957251567),
    (1.1, 999, 1e11, 120.0, 0.652280239189233),
]


def arrays(*values: float) -> list[np.ndarray]:
    """Each number as an array of one."""
    return [np.array([float(value)]) for value in values]


@pytest.mark.parametrize(("alpha", "df1", "df2", "expected"), CRITICAL)
def test_critical_values_have_ten_digits(alpha: float, df1: float, df2: float, expected: float) -> None:
    """From one to ten thousand million degrees of freedom, and alpha down to 1e-15."""
    assert critical_f(*arrays(alpha, df1, df2))[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("f", "df1", "df2", "noncentrality", "expected"), POWER)
def test_noncentral_tails_have_ten_decimals(
    f: float, df1: float, df2: float, noncentrality: float, expected: float
) -> None:
    """On both sides of the change from noncentral F to noncentral chi-square."""
    assert noncentral_f_tail(*arrays(f, df1, df2, noncentrality))[0] == pytest.approx(expected, abs=1e-10)


def test_the_critical_value_is_exceeded_with_chance_alpha() -> None:
    """Tail of quantile, from heavy to light tails."""
    for alpha, df1, df2 in product((1e-12, 0.05, 0.5, 0.99), (1, 9, 999), (1, 30, 1e11)):
        tail = fdtrc(df1, df2, critical_f(*arrays(alpha, df1, df2)))[0]
        assert tail == pytest.approx(alpha, rel=1e-10)


@pytest.mark.parametrize("df1", [1, 100, 1000])
def test_the_change_of_method_cannot_be_seen_in_the_power(df1: int) -> None:
    """One degree of freedom more for the error moves power and critical value by less than ten decimals."""
    edge = PLENTY * max(df1, 100)
    alpha = np.full(2, 0.05)
    above, below = np.full(2, float(df1)), np.array([edge - 1, edge])
    critical = critical_f(alpha, above, below)
    assert critical[0] == pytest.approx(critical[1], rel=2e-10)
    power = noncentral_f_tail(critical, above, below, np.full(2, 3.0 * df1**0.5))
    assert power[0] == pytest.approx(power[1], abs=2e-10)


def test_power_is_one_where_the_lower_tail_underflows() -> None:
    """Scipy's lower tail is nan at some of these noncentralities."""
    noncentrality = np.arange(1000.0, 4000.0)
    ones = np.ones_like(noncentrality)
    critical = critical_f(0.05 * ones, ones, 58 * ones)
    assert (noncentral_f_tail(critical, ones, 58 * ones, noncentrality) > 1 - 1e-12).all()


def test_without_an_effect_the_power_is_the_level() -> None:
    """A noncentrality of zero leaves the central tail."""
    alpha, df1, df2 = arrays(0.05, 9, 90)
    assert noncentral_f_tail(critical_f(alpha, df1, df2), df1, df2, np.zeros(1))[0] == pytest.approx(0.05, abs=1e-14)


@pytest.mark.parametrize("power", [0.06, 0.5, 0.8, 0.999])
def test_the_noncentrality_needed_gives_the_power(power: float) -> None:
    """For many shapes of the test at once."""
    df1 = np.array([1.0, 1.0, 9.0, 99.0, 999.0])
    df2 = np.array([3.0, 1e12, 90.0, 1e4, 1e12])
    alpha = np.full(5, 0.05)
    needed = noncentrality_needed(df1, df2, alpha, power)
    reached = noncentral_f_tail(critical_f(alpha, df1, df2), df1, df2, needed)
    np.testing.assert_allclose(reached, power, atol=1e-12)


def test_a_power_below_the_level_needs_no_noncentrality() -> None:
    """The test rejects more often than that when nothing differs."""
    assert np.isnan(noncentrality_needed(*arrays(4, 40, 0.3), 0.2)).all()
