"""The missing quantity at the edges of its search, and for intervals."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from kaiwa.errors import DesignError, InputError
from kaiwa.topicset.requirement import INTERVAL, Requirement, completed
from kaiwa.topicset.sizes import answer_to
from kaiwa.topicset.tests import TESTS


@pytest.mark.parametrize("width", [0.05, 0.1, 0.2])
def test_the_alpha_of_an_interval_gives_its_width(width: float) -> None:
    """A narrower interval has less confidence."""
    found = answer_to(variance=0.05, n=100, min_diff=width, test=INTERVAL, solve="alpha")
    assert found.width == pytest.approx(width, rel=1e-9)


def test_the_width_of_an_interval_is_found_from_n() -> None:
    """The same as that of the expected interval; no power is reported."""
    found = answer_to(variance=0.05, n=100, test=INTERVAL)
    assert found.min_diff == found.width
    assert (found.power, found.exact_power, found.published_n) == (None, None, None)
    assert found.exact_n == 100
    assert [one.power for one in found.alternatives] == [None] * 7
    widths = [one.min_diff or 0.0 for one in found.alternatives]
    assert widths == sorted(widths, reverse=True)


def test_an_interval_wider_than_the_scale_is_refused() -> None:
    """Two topics cannot give an interval below the range of the scores; the message has the fewest that can."""
    with pytest.raises(DesignError, match="the fewest that find the largest one are"):
        answer_to(variance=0.5, n=2, test=INTERVAL)
    with pytest.raises(DesignError, match="the narrowest interval they give is"):
        answer_to(variance=0.5, min_diff=1e-7, test=INTERVAL)


def test_the_smallest_alpha_is_that_of_a_logit_of_34() -> None:
    """Where even 1 / (1 + exp 34) = 1.7e-15 has the power."""
    found = answer_to(variance=0.001, n=1000, min_diff=0.5, systems=2, power=0.8, solve="alpha")
    assert found.alpha == pytest.approx(1.713908e-15, rel=1e-6)


@pytest.mark.parametrize("power", [0.6, 0.9, 0.999])
def test_a_small_effect_needs_an_alpha_near_the_power(power: float) -> None:
    """A test with hardly any effect rejects about as often as its level."""
    found = answer_to(variance=0.5, n=5, min_diff=0.05, systems=2, power=power, solve="alpha")
    assert found.power == pytest.approx(power, abs=1e-9)
    assert found.alpha == pytest.approx(power, abs=0.01)


def test_at_most_a_million_systems_are_found() -> None:
    """More topics serve no more."""
    assert answer_to(variance=0.01, n=100_000, min_diff=1.0, power=0.8, solve="systems").systems == 1_000_000


def test_the_power_of_a_design_is_that_of_its_method() -> None:
    """The published approximation and exact theory differ in the third digit (90 and 91 topics for .80)."""
    cell = {"variance": 0.0643, "systems": 10, "min_diff": 0.15}
    published, exact = (answer_to(**cell, n=90, method=method) for method in ("sakai", "exact"))  # type: ignore[arg-type]  # the cell
    assert published.power is not None
    assert exact.power is not None
    assert published.power >= 0.8 > exact.power
    assert published.exact_power == exact.power
    assert (published.exact_n, published.published_n) == (91, 90)


def test_the_exact_number_of_topics_is_for_the_power_that_was_asked_for() -> None:
    """An exact design for .90 needs what exact theory needs for .90; alternatives have that power too."""
    found = answer_to(variance=0.0643, systems=10, min_diff=0.15, power=0.9)
    assert found.exact_n == found.n > 91
    half = next(one for one in found.alternatives if one.n == round(found.n * 0.5))
    again = answer_to(variance=0.0643, systems=10, n=half.n, power=0.9)
    assert half.min_diff == pytest.approx(again.min_diff)


def test_alternatives_have_two_topics_at_least() -> None:
    """Half of 3 topics is 1.5: 2, as three quarters are; 1.1 times 3 is the answer itself."""
    found = answer_to(variance=0.01, systems=2, min_diff=0.4, test="two-sample-t")
    assert found.n == 3
    assert [one.n for one in found.alternatives] == [2, 4, 6]


@pytest.mark.parametrize(
    ("test", "df"),
    [("anova", 5), ("two-way", 4), ("paired-t", 1), ("two-sample-t", 5), ("one-way-tukey", 5), ("tukey", 4)],
)
def test_each_topic_adds_its_degrees_of_freedom_to_the_error(test: str, df: int) -> None:
    """M (n - 1) for m groups, (m - 1)(n - 1) on the same topics, n - 1 for differences."""
    assert TESTS[test].error_df(np.array([5.0])).tolist() == [df]


def test_too_few_topics_for_two_systems_names_what_a_design_for_two_needs() -> None:
    """The number in the message is the answer to the other question."""
    cell = {"variance": 0.06, "min_diff": 0.1, "power": 0.8}
    least = answer_to(**cell, systems=2).n  # type: ignore[arg-type]  # the cell
    with pytest.raises(DesignError, match=f"10 topics are too few even for 2 systems; the fewest for 2 are {least}$"):
        answer_to(**cell, n=10, solve="systems")  # type: ignore[arg-type]  # the cell


def test_an_alpha_just_below_the_smallest_is_the_smallest() -> None:
    """The fewest topics for the smallest alpha, 1 / (1 + exp 34), have slightly more power than needed."""
    smallest = 1 / (1 + exp(34))
    n = answer_to(variance=0.01, systems=2, min_diff=0.2, power=0.8, alpha=smallest).n
    assert answer_to(variance=0.01, systems=2, min_diff=0.2, power=0.8, n=n, solve="alpha").alpha == smallest


def test_the_ends_of_what_a_requirement_may_have() -> None:
    """2 to a thousand million topics, 2 to a million systems, a correlation from -1 to below 1."""
    for n, systems in ((2, 2), (10**9, 10**6)):
        assert completed(Requirement(variance=0.06, min_diff=0.1, systems=systems, n=n)).unknown == "power"
    assert completed(Requirement(variance=0.06, min_diff=0.1, systems=3, correlation=-1.0)).unknown == "n"
    for change in ({"n": 1}, {"n": 10**9 + 1}, {"systems": 1}, {"systems": 10**6 + 1}):
        with pytest.raises(InputError, match="is not a whole number from 2 to"):
            completed(Requirement(variance=0.06, min_diff=0.1, power=0.8, **{"systems": 3, **change}))  # type: ignore[arg-type]  # two integers
    for correlation in (-1.01, 1.0):
        with pytest.raises(InputError, match=r"is not in \[-1, 1\)"):
            completed(Requirement(variance=0.06, min_diff=0.1, systems=3, correlation=correlation))


def test_an_alpha_above_1e15_is_taken() -> None:
    """Smaller ones are lost in rounding."""
    assert completed(Requirement(variance=0.06, min_diff=0.1, systems=2, alpha=1.1e-15)).alpha == 1.1e-15
    with pytest.raises(InputError, match="alpha: 1e-15 is not between 1e-15 and 1"):
        completed(Requirement(variance=0.06, min_diff=0.1, systems=2, alpha=1e-15))


@pytest.mark.parametrize(
    ("test", "variance"),
    [
        ("anova", 0.1),
        ("two-way", 0.06),
        ("paired-t", 0.12),
        ("two-sample-t", 0.1),
        ("one-way-tukey", 0.1),
        ("tukey", 0.06),
    ],
)
def test_a_correlation_of_scores_lowers_the_variance_of_tests_on_the_same_topics(test: str, variance: float) -> None:
    """V (1 - r) with V = .1 and r = .4, and twice that for a difference of two systems."""
    assert TESTS[test].error_variance(0.1, 0.4) == pytest.approx(variance)


def test_no_difference_exceeds_the_scale_of_the_scores() -> None:
    """From 0 to 1 unless told."""
    with pytest.raises(InputError, match=r"1\.2 is larger than the scale of the scores, 1"):
        completed(Requirement(variance=0.06, systems=2, min_diff=1.2))
    assert completed(Requirement(variance=0.06, systems=2, min_diff=1.2, scale=2.0)).unknown == "n"
