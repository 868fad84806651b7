"""The missing quantity at the edges of its search, and for intervals."""

from __future__ import annotations

import pytest

from kaiwa.errors import DesignError
from kaiwa.topicset import design
from kaiwa.topicset.requirement import INTERVAL


@pytest.mark.parametrize("width", [0.05, 0.1, 0.2])
def test_the_alpha_of_an_interval_gives_its_width(width: float) -> None:
    """A narrower interval has less confidence."""
    found = design(variance=0.05, n=100, min_diff=width, test=INTERVAL, solve="alpha")
    assert found.width == pytest.approx(width, rel=1e-9)


def test_the_width_of_an_interval_is_found_from_n() -> None:
    """The same as that of the expected interval; no power is reported."""
    found = design(variance=0.05, n=100, test=INTERVAL)
    assert found.min_diff == found.width
    assert (found.power, found.exact_power, found.published_n) == (None, None, None)
    assert found.exact_n == 100
    assert [one.power for one in found.alternatives] == [None] * 7
    widths = [one.min_diff or 0.0 for one in found.alternatives]
    assert widths == sorted(widths, reverse=True)


def test_an_interval_wider_than_the_scale_is_refused() -> None:
    """Two topics cannot give an interval below the range of the scores; the message has the fewest that can."""
    with pytest.raises(DesignError, match="the fewest that find the largest one are"):
        design(variance=0.5, n=2, test=INTERVAL)
    with pytest.raises(DesignError, match="the narrowest interval they give is"):
        design(variance=0.5, min_diff=1e-7, test=INTERVAL)


def test_the_smallest_alpha_is_that_of_a_logit_of_34() -> None:
    """Where even 1 / (1 + exp 34) = 1.7e-15 has the power."""
    found = design(variance=0.001, n=1000, min_diff=0.5, systems=2, power=0.8, solve="alpha")
    assert found.alpha == pytest.approx(1.713908e-15, rel=1e-6)


@pytest.mark.parametrize("power", [0.6, 0.9, 0.999])
def test_a_small_effect_needs_an_alpha_near_the_power(power: float) -> None:
    """A test with hardly any effect rejects about as often as its level."""
    found = design(variance=0.5, n=5, min_diff=0.05, systems=2, power=power, solve="alpha")
    assert found.power == pytest.approx(power, abs=1e-9)
    assert found.alpha == pytest.approx(power, abs=0.01)


def test_at_most_a_million_systems_are_found() -> None:
    """More topics serve no more."""
    assert design(variance=0.01, n=100_000, min_diff=1.0, power=0.8, solve="systems").systems == 1_000_000


def test_the_power_of_a_design_is_that_of_its_method() -> None:
    """The published approximation and exact theory differ in the third digit (90 and 91 topics for .80)."""
    cell = {"variance": 0.0643, "systems": 10, "min_diff": 0.15}
    published, exact = (design(**cell, n=90, method=method) for method in ("sakai", "exact"))  # type: ignore[arg-type]  # the cell
    assert published.power is not None
    assert exact.power is not None
    assert published.power >= 0.8 > exact.power
    assert published.exact_power == exact.power
    assert (published.exact_n, published.published_n) == (91, 90)
