"""Decisions: the shrunken pilot, the error of the answer, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.comparison.variance import variance_components
from kaiwa.errors import DesignError, InputError
from kaiwa.topicset.decisions import GOALS, Setting, _search, shrunk, topics_for_decision

CHANCE = np.random.default_rng(1)
PILOT = CHANCE.normal(0, 0.1, (40, 1)) + CHANCE.normal([0.5, 0.45, 0.35, 0.3], 0.15, (40, 4))


def test_run_means_are_shrunk_by_their_generalisability() -> None:
    """Towards the mean of all; deviations within a run grow by sqrt(40 / 39), as 40 topics lose one degree."""
    model, reliability = shrunk(PILOT)
    assert reliability == pytest.approx(variance_components(PILOT).generalisability)
    means = PILOT.mean(axis=0)
    np.testing.assert_allclose(model.mean(axis=0) - means.mean(), reliability * (means - means.mean()))
    np.testing.assert_allclose(model - model.mean(axis=0), (PILOT - means) * (40 / 39) ** 0.5)


@pytest.mark.parametrize("shape", [(1, 4), (40, 1)])
def test_a_pilot_of_one_topic_or_one_run_is_refused(shape: tuple[int, int]) -> None:
    """Two of each are enough."""
    with pytest.raises(InputError, match="one topic or one run"):
        shrunk(PILOT[: shape[0], : shape[1]])
    assert shrunk(np.array([[0.1, 0.9], [0.2, 0.9]]))[1] > 0


def test_the_error_of_a_share_is_binomial_and_2000_sets_are_drawn() -> None:
    """sqrt(p (1 - p) / 2000); by default the best run is to be first."""
    found = topics_for_decision(PILOT, goal="top", target=0.6, rng=np.random.default_rng(1))
    assert found.error == pytest.approx((found.reached * (1 - found.reached) / 2000) ** 0.5)
    named = topics_for_decision(PILOT, goal="top", target=0.6, k=1, draws=2000, rng=np.random.default_rng(1))
    assert found == named


@pytest.mark.parametrize("k", [0, 4])
def test_the_best_k_are_some_but_not_all_runs(k: int) -> None:
    """From 1 to one less than the runs."""
    with pytest.raises(InputError, match=f"best: {k} is not from 1 to 3"):
        topics_for_decision(PILOT, goal="top", target=0.6, k=k, rng=np.random.default_rng(1))
    assert topics_for_decision(PILOT, goal="top", target=0.6, k=3, rng=np.random.default_rng(1)).reached >= 0.6


def test_two_runs_that_always_tie_are_never_told_apart() -> None:
    """A tie is not a right decision, however many topics there are."""
    tied = np.column_stack((PILOT[:, 0], PILOT[:, 0], PILOT[:, 3]))
    with pytest.raises(DesignError, match=r"1,000,000 topics reach 0\.000, not 0\.9"):
        topics_for_decision(tied, goal="top", target=0.9, draws=10, rng=np.random.default_rng(1))


def test_goals_on_means_by_hand() -> None:
    """Three draws of three runs, the true order first to last; a studentised range of .05, 3 and 198 df is 3.34."""
    means = np.array([[0.9, 0.5, 0.1], [0.5, 0.5, 0.1], [0.5, 0.9, 0.8]])
    setting = Setting(np.array([0.9, 0.5, 0.1]), v_e2=1.0, k=1, alpha=0.05)
    assert GOALS["top"](means, 100, setting).tolist() == [1, 0, 0]
    assert GOALS["tau"](means, 100, setting) == pytest.approx([1, 2 / 3, -1 / 3])
    assert GOALS["discriminative"](means, 100, setting) == pytest.approx([1, 2 / 3, 1 / 3])


@pytest.mark.parametrize("wanted", range(2, 16))
def test_the_search_finds_the_smallest_number_that_reaches_the_target(wanted: int) -> None:
    """Also where the target is reached exactly."""
    assert _search(lambda n: n / 16, wanted / 16, 16)[0] == wanted


@pytest.mark.parametrize(("off", "share"), [(0.998, 0.0), (1.002, 1 / 3)])
def test_runs_differ_beyond_tukeys_critical_difference(off: float, share: float) -> None:
    """Three runs on three topics: (3 - 1)(3 - 1) = 4 degrees of freedom, q = 5.040 in the printed tables.

    With a residual variance of 3 the standard error of a mean is 1.
    """
    means = np.array([[5.040 * off, 2.0, 0.0]])
    reached = GOALS["discriminative"](means, 3, Setting(means[0], v_e2=3.0, k=1, alpha=0.05))
    assert reached == pytest.approx([share])


def test_a_small_pilot_says_less_than_a_large_one() -> None:
    """The answers of other pilots of the same size lie around the answer, farther apart for 8 topics than for 40."""
    large, small = (
        topics_for_decision(pilot, goal="tau", target=0.8, rng=np.random.default_rng(1)) for pilot in (PILOT, PILOT[:8])
    )
    for found in (large, small):
        assert found.low <= found.n <= (found.high or found.n)
    assert large.high is not None
    assert small.high is None or small.high / small.low > large.high / large.low
