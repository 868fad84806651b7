"""Small pilots: how well a variance is known, and the power to expect of a design from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.topicset.power_functions import VarianceEstimate, estimated_variance
from kaiwa.topicset.power_functions import paired_tukey_power as paired_power
from kaiwa.topicset.sizes import answer_to

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray


def test_two_matrices_are_pooled_by_their_degrees_of_freedom() -> None:
    """V_E2 of each weighted by (m - 1)(n - 1), V_E by m (n - 1)."""
    rng = np.random.default_rng(1)
    first, second = rng.random((10, 3)), 2 * rng.random((20, 5))
    for shared in (True, False):
        one, two, both = (
            estimated_variance(given, shared_topics=shared) for given in ([first], [second], [first, second])
        )
        weights = [(m - shared) * (n - 1) for n, m in ((10, 3), (20, 5))]
        assert both.variance == pytest.approx(np.average([one.variance, two.variance], weights=weights))
        assert both.df <= sum(weights)


def test_runs_that_vary_differently_make_the_variance_less_known() -> None:
    """The same topics: half of the runs three times as variable as the others."""
    scores = np.random.default_rng(1).normal(size=(100, 8))
    even = estimated_variance([scores], shared_topics=True)
    uneven = estimated_variance([scores * np.repeat([1.0, 3.0], 4)], shared_topics=True)
    assert uneven.df < even.df / 5


def test_without_residuals_the_variance_is_0_and_not_rounding() -> None:
    """Runs that differ by the same amount on every topic."""
    scores = np.array([[0.1], [0.7], [0.3]]) + np.array([0.1, 0.25, 0.3])
    assert estimated_variance([scores], shared_topics=True) == VarianceEstimate(0.0, 4.0)


def _true_powers(pilots: list[FloatArray], variance: float, *, effect: float) -> list[float]:
    """The mean power, at the true variance, of the n designed from each pilot: plug-in and assured."""
    got = []
    for pilot in pilots:
        found = estimated_variance([pilot], shared_topics=True)
        answer = answer_to(variance=found.variance, systems=10, min_diff=effect, test="tukey", scale=10, df=found.df)
        got.append((answer.plug_in_n or 0, answer.n))
    cell = {"systems": np.array(10.0), "min_diff": np.array(effect), "alpha": np.array(0.05)}
    sizes = np.array(got, dtype=float)
    return [float(paired_power(n=n, variance=np.array(variance), **cell).mean()) for n in sizes.T]


def test_the_assured_number_of_topics_keeps_the_power_over_many_small_pilots() -> None:
    """5 x 3 pilots of normal scores: the plug-in n has a mean power below .76, the assured n more than .80."""
    rng = np.random.default_rng(1)
    plug, sure = _true_powers([rng.normal(0, 0.2, (5, 3)) for _ in range(150)], 0.04, effect=0.2)
    assert plug < 0.76
    assert 0.80 < sure < 0.92


def test_the_assured_number_keeps_the_power_if_topics_and_runs_vary_as_unequally_as_real_ones() -> None:
    """5 x 3 pilots: squares of topics with a relative variance of 1 and of runs of .2; the audit found .63 to .73."""
    rng = np.random.default_rng(2)
    pilots = [
        rng.normal(0, 0.2, (5, 3)) * np.sqrt(rng.gamma(1, 1, (5, 1))) * np.sqrt(rng.gamma(5, 1 / 5, (1, 3)))
        for _ in range(150)
    ]
    plug, sure = _true_powers(pilots, 0.04, effect=0.2)
    assert plug < 0.68
    assert 0.77 < sure < 0.87


@pytest.mark.parametrize(
    ("systems", "sizes"), [(2, [51, 41, 37, 35]), (10, [111, 85, 74, 67]), (30, [150, 113, 98, 88])]
)
def test_assured_sizes_are_those_of_a_second_implementation(systems: int, sizes: list[int]) -> None:
    """With df 4, 8, 16 and 64, V .04, and a difference of half its standard deviation.

    Written from the definition with scipy.stats: the range by a sum over 801 points, the power by Gauss-Legendre
    quadrature over the chi-square of the error, the variance by 2,000 midpoints.
    """
    cell = {"variance": 0.04, "systems": systems, "min_diff": 0.1 * 2**0.5, "test": "tukey"}
    found = [answer_to(**cell, df=df) for df in (4.0, 8.0, 16.0, 64.0)]
    assert [one.assured_n for one in found] == sizes
    assert {one.plug_in_n for one in found} == {answer_to(**cell).n}


def test_a_large_pilot_is_taken_at_its_word_and_a_small_one_is_not() -> None:
    """Normal scores: 20 topics of 5 runs have nearly all their degrees of freedom, 19 topics those of real ones."""
    scores = np.random.default_rng(3).normal(size=(20, 5))
    large, small = (estimated_variance([scores[:topics]], shared_topics=True).df for topics in (20, 19))
    assert large > 35
    assert small <= 2 / (2 / 72 + 1 / 19 + 0.2 / 5)


def test_a_known_variance_needs_no_more_topics() -> None:
    """With many degrees of freedom the averaged power is the power."""
    cell = {"variance": 0.06, "systems": 5, "min_diff": 0.1, "test": "tukey"}
    known, sure = answer_to(**cell), answer_to(**cell, df=1e6)
    assert sure.n == sure.plug_in_n == known.n
    assert sure.power == pytest.approx(known.power, abs=1e-4)


@pytest.mark.parametrize("test", ["anova", "two-way", "paired-t", "two-sample-t", "one-way-tukey", "robust", "hsd"])
def test_the_power_is_averaged_for_every_test_and_every_quantity(test: str) -> None:
    """With 8 degrees of freedom: more topics, less power, a larger difference; each undoes the other."""
    cell = {"variance": 0.02, "systems": 2, "min_diff": 0.1, "test": test}
    sure = answer_to(**cell, df=8)
    assert sure.n > answer_to(**cell).n == sure.plug_in_n
    assert 0.8 <= (sure.power or 0) < 0.81
    assert 0.7 < (sure.plug_in_power or 0) < 0.79
    again = {**cell, "n": sure.n, "df": 8}
    assert answer_to(**again).power == pytest.approx(sure.power)
    assert answer_to(**{**again, "min_diff": None}).min_diff == pytest.approx(0.1, rel=0.02)
    assert answer_to(**again, power=0.8, solve="alpha").alpha == pytest.approx(0.05, rel=0.1)
    if test not in {"paired-t", "two-sample-t"}:
        assert answer_to(**{**again, "systems": None}, power=0.8).systems >= 2


def test_with_topics_given_the_averaged_power_is_the_answer() -> None:
    """No other number of topics is asked for."""
    cell = {"variance": 0.06, "systems": 5, "n": 60, "min_diff": 0.1, "test": "tukey"}
    sure = answer_to(**cell, df=8)
    assert (sure.assured_n, sure.plug_in_n, sure.plug_in_power) == (None, None, None)
    assert (sure.power or 1) < (answer_to(**cell).power or 0)
