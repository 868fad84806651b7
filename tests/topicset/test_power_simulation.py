"""Simulation from a pilot: how scores are moved apart, how sets are drawn, and when it stops."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.errors import DesignError, InputError
from kaiwa.topicset.simulation.power_simulation import (
    Lift,
    Simulated,
    drawn_sets,
    lift_for,
    simulated_power,
    simulated_size,
    with_equal_means,
)
from kaiwa.topicset.simulation.test_verdicts import f_test_two_way

SMOOTH = np.random.default_rng(1).random((30, 4))
SIX = np.tile(np.arange(6.0) / 5, (3, 1))


def test_up_to_six_values_are_kept_and_more_are_shifted() -> None:
    """Six scores from 0 to 1 with mean .5: half of .2 is a fifth of the way to either end."""
    assert lift_for(SIX, 0.2) == Lift(0.0, 1.0, 0.0, pytest.approx(0.2), pytest.approx(0.2))
    assert lift_for(np.append(SIX[0], 0.5)[None], 0.2) == Lift(added=0.1)
    assert lift_for(SIX, 0.0) == Lift()


def test_a_share_is_lifted_that_moves_the_mean_by_half_the_difference() -> None:
    """Mean .25 of 0 and 1: .1 up takes .1 / .75 of the scores, .1 down takes .1 / .25."""
    lift = lift_for(np.array([[0.0, 0.0], [0.0, 1.0]]), 0.2)
    assert (lift.raised, lift.lowered) == pytest.approx((0.1 / 0.75, 0.1 / 0.25))


@pytest.mark.parametrize(("scores", "room"), [([0.0, 0.0, 0.0, 1.0], 0.5), ([0.0, 1.0, 1.0, 1.0], 0.5)])
def test_a_difference_beyond_the_ends_of_the_scores_is_refused(scores: list[float], room: float) -> None:
    """Twice the way from the mean to the nearer end."""
    few = np.array(scores).reshape(2, 2)
    with pytest.raises(DesignError, match=f"scores from 0 to 1 allow at most {room}"):
        lift_for(few, room)
    assert lift_for(few, room - 0.01).raised > 0


def test_run_means_are_made_equal_unless_the_measure_is_discrete() -> None:
    """The mean of all scores stays, and so do the differences between topics."""
    equal = with_equal_means(SMOOTH)
    np.testing.assert_allclose(equal.mean(axis=0), SMOOTH.mean())
    np.testing.assert_allclose(equal - equal.mean(axis=0), SMOOTH - SMOOTH.mean(axis=0))
    assert with_equal_means(SIX) is SIX


@pytest.mark.parametrize("systems", [2, 4, 7])
def test_best_and_worst_of_drawn_sets_are_the_difference_apart(systems: int) -> None:
    """First system up, last down, the others unchanged; also with more systems than the pilot has runs."""
    sets = drawn_sets(SMOOTH, Lift(added=0.1), sets=400, n=30, systems=systems, rng=np.random.default_rng(1))
    assert sets.shape == (400, 30, systems)
    means = sets.mean(axis=(0, 1)) - SMOOTH.mean()
    assert means == pytest.approx([0.1, *[0.0] * (systems - 2), -0.1], abs=0.015)


def test_without_replacement_a_topics_scores_are_dealt_to_the_systems() -> None:
    """As many systems as runs: every drawn row is a row of the pilot in some order."""
    rows = {tuple(row) for row in np.sort(SMOOTH, axis=1).tolist()}
    sets = drawn_sets(SMOOTH, Lift(), sets=5, n=30, systems=4, rng=np.random.default_rng(1))
    assert {tuple(row) for row in np.sort(sets, axis=2).reshape(-1, 4).tolist()} <= rows


def test_a_pilot_of_one_topic_is_refused() -> None:
    """Two are enough."""
    with pytest.raises(InputError, match="one topic"):
        drawn_sets(SMOOTH[:1], Lift(), sets=1, n=2, systems=2, rng=np.random.default_rng(1))
    assert drawn_sets(SMOOTH[:2], Lift(), sets=1, n=2, systems=2, rng=np.random.default_rng(1)).size == 4


def test_without_a_difference_the_power_is_the_level() -> None:
    """The default is .05; the error is that of a share, with one success and one failure more."""
    found = simulated_power(
        SMOOTH, f_test_two_way, n=30, systems=3, min_diff=0.0, tolerance=0.005, rng=np.random.default_rng(1)
    )
    assert found.power == pytest.approx(0.05, abs=3 * found.error)
    share = (found.power * found.trials + 1) / (found.trials + 2)
    assert found.error == pytest.approx((share * (1 - share) / found.trials) ** 0.5)
    assert 1.959964 * found.error < 0.005


@pytest.mark.parametrize(
    ("trials", "tolerance", "done"), [(20_000, 0.9, 500), (1_200, 1e-6, 1_500), (20_000, 1e-6, 20_000)]
)
def test_simulation_takes_at_least_500_sets_and_stops_at_its_trials(trials: int, tolerance: float, done: int) -> None:
    """In batches of 500."""
    seen: list[tuple[int, int]] = []
    found = simulated_power(
        SMOOTH,
        f_test_two_way,
        n=5,
        systems=2,
        min_diff=0.1,
        trials=trials,
        tolerance=tolerance,
        rng=np.random.default_rng(1),
        progress=lambda part, whole: seen.append((part, whole)),
    )
    assert found.trials == done
    assert seen[0] == (500, trials)


def test_the_default_is_a_power_known_to_a_hundredth() -> None:
    """The same number of sets as with a tolerance of .01 by name."""
    cell = {"n": 20, "systems": 3, "min_diff": 0.1}
    default, named = (
        simulated_power(SMOOTH, f_test_two_way, **cell, **option, rng=np.random.default_rng(1))  # type: ignore[arg-type]  # the cell
        for option in ({}, {"tolerance": 0.01})
    )
    assert default == named
    assert default.trials < 20_000


def test_a_power_below_the_level_is_tried_at_four_times_the_size() -> None:
    """No line through such powers reaches the target."""
    tried: list[int] = []

    def never(n: int) -> Simulated:
        tried.append(n)
        return Simulated(n, 0.0, 0.001, 1000)

    with pytest.raises(DesignError, match="does not reach the power"):
        simulated_size(never, start=10, target=0.8, rounds=3)
    assert tried == [10, 40, 160]


def test_the_next_size_is_near_the_answer() -> None:
    """A power that follows the normal curve in sqrt n is met at the second or third guess."""

    def power_at(n: int) -> Simulated:
        from statistics import NormalDist

        return Simulated(n, NormalDist().cdf(0.4 * n**0.5 - 1.959964), 1e-6, 1000)

    seen = simulated_size(power_at, start=20, target=0.8)
    assert len(seen) <= 3
    assert seen[-1].n == pytest.approx((2.8016 / 0.4) ** 2, abs=1)
