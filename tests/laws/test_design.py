"""Laws that hold for every design in the table of tests."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.topicset.requirement import INTERVAL
from kaiwa.topicset.sizes import answer_to
from kaiwa.topicset.tests import METHODS, TESTS, power_of

WAYS = [(test, "exact") for test in TESTS] + [("anova", method) for method in METHODS if method != "exact"]
ROUNDING = 1e-9

variances = st.floats(0.001, 0.5)
differences = st.floats(0.02, 1.0)
alphas = st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.3])
powers = st.floats(0.35, 0.99)
counts = st.integers(2, 30)


def systems_for(test: str, count: int) -> int:
    """Two for a t-test, the drawn number otherwise."""
    return 2 if TESTS[test].pairs_only else count


@pytest.mark.parametrize(("test", "method"), WAYS)
@settings(max_examples=20)
@given(variance=variances, min_diff=differences, alpha=alphas, power=powers, count=counts)
def test_n_is_enough_and_one_topic_less_is_not(  # noqa: PLR0917  one argument a quantity
    test: str, method: str, variance: float, min_diff: float, alpha: float, power: float, count: int
) -> None:
    """power(solve n) >= 1 - beta > power(n - 1)."""
    asked = {"variance": variance, "systems": systems_for(test, count), "min_diff": min_diff, "alpha": alpha}
    answer = answer_to(**asked, power=power, test=test, method=method)
    assert answer.power is not None
    assert answer.power >= power
    if answer.n > 2:
        less = answer_to(**asked, n=answer.n - 1, test=test, method=method)
        assert less.power is not None
        assert less.power < power


@pytest.mark.parametrize("test", list(TESTS))
@settings(max_examples=15)
@given(variance=variances, n=st.integers(5, 2000), alpha=alphas, power=powers, count=counts)
def test_the_difference_found_has_the_power_asked_for(  # noqa: PLR0917  one argument a quantity
    test: str, variance: float, n: int, alpha: float, power: float, count: int
) -> None:
    """Solving for min_diff and putting it back gives the power; a few topics show no difference to a shuffling test."""
    systems = systems_for(test, count)
    size = n + 60 if TESTS[test].midway else n
    answer = answer_to(
        variance=variance, systems=systems, n=size, alpha=alpha, power=power, test=test, scale=1e3, solve="min_diff"
    )
    assert answer.power == pytest.approx(power, abs=ROUNDING)


@pytest.mark.parametrize("test", list(TESTS))
@settings(max_examples=10)
@given(variance=variances, n=st.integers(5, 500), min_diff=differences, power=powers, count=counts)
def test_the_alpha_found_has_the_power_asked_for(  # noqa: PLR0917  one argument a quantity
    test: str, variance: float, n: int, min_diff: float, power: float, count: int
) -> None:
    """Solving for alpha and putting it back gives at least the power."""
    systems = systems_for(test, count)
    answer = answer_to(
        variance=variance, systems=systems, n=n, min_diff=min_diff, power=power, test=test, solve="alpha"
    )
    assert answer.power is not None
    assert answer.power >= power - ROUNDING


@pytest.mark.parametrize("test", [test for test in TESTS if not TESTS[test].pairs_only])
@settings(max_examples=8)
@given(variance=variances, min_diff=differences, power=powers, count=counts)
def test_the_systems_found_are_the_most_that_n_can_serve(
    test: str, variance: float, min_diff: float, power: float, count: int
) -> None:
    """With the n of some m, at least m systems are served, and one more than the answer is too many."""
    asked = {"variance": variance, "min_diff": min_diff, "test": test, "power": power}
    n = answer_to(**asked, systems=count).n
    most = answer_to(**asked, n=n, solve="systems").systems
    assert most >= count
    if most < 200:
        beyond = answer_to(variance=variance, min_diff=min_diff, test=test, n=n, systems=most + 1)
        assert beyond.power is not None
        assert beyond.power < power


@settings(max_examples=40)
@given(variance=variances, width=st.floats(0.001, 1.0), alpha=alphas)
def test_the_interval_fits_and_with_one_topic_less_does_not(variance: float, width: float, alpha: float) -> None:
    """width(solve n) <= asked < width(n - 1)."""
    answer = answer_to(variance=variance, min_diff=width, alpha=alpha, test=INTERVAL)
    assert answer.width is not None
    assert answer.width <= width
    if answer.n > 2:
        less = answer_to(variance=variance, n=answer.n - 1, alpha=alpha, test=INTERVAL, scale=1e6)
        assert less.width is not None
        assert less.width > width


def test_every_test_has_a_power_function_by_every_method_offered() -> None:
    """The table of tests is whole."""
    assert all(callable(power_of(test, method)) for test, method in WAYS)
