"""Simulation from a pilot: how scores are moved apart, how sets are drawn, and when it stops."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.errors import DesignError, InputError
from kaiwa.stats.anova import residual_variance
from kaiwa.topicset.simulation import (
    Lift,
    Simulated,
    _next_size,
    drawn_sets,
    f_test_two_way,
    lift_for,
    simulated_power,
    simulated_size,
    with_equal_means,
)

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
    """The mean of all scores stays; deviations grow by sqrt(30 / 29), as 30 topics lose one degree of freedom."""
    equal = with_equal_means(SMOOTH)
    np.testing.assert_allclose(equal.mean(axis=0), SMOOTH.mean())
    np.testing.assert_allclose(equal - equal.mean(axis=0), (SMOOTH - SMOOTH.mean(axis=0)) * (30 / 29) ** 0.5)
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
    ("trials", "tolerance", "done"), [(20_000, 0.9, 500), (1_200, 1e-6, 1_200), (20_000, 1e-6, 20_000)]
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


def test_simulation_stops_at_20000_sets_unless_told() -> None:
    """If no error is small enough."""
    found = simulated_power(
        np.random.default_rng(1).random((9, 2)),
        lambda sets, *, alpha: sets[:, 0, 0] > alpha,
        n=2,
        systems=2,
        min_diff=0.0,
        tolerance=1e-9,
        rng=np.random.default_rng(1),
    )
    assert found.trials == 20_000


@pytest.mark.parametrize(
    ("power", "error", "tried"), [(0.805, 0.0, 6), (0.8035, 0.0, 1), (0.825, 0.01, 6), (0.815, 0.01, 1)]
)
def test_a_size_is_settled_within_two_errors_or_4_thousandths(power: float, error: float, tried: int) -> None:
    """Otherwise another size is tried, six in all."""
    assert len(simulated_size(lambda n: Simulated(n, power, error, 1000), start=50, target=0.8)) == tried


def test_the_last_size_tried_must_come_near_the_power() -> None:
    """Whatever the sizes before it reached."""
    powers = iter([0.9, 0.9, 0.9, 0.9, 0.9, 0.7])
    with pytest.raises(DesignError, match=r"does not reach the power asked for; .* it is 0\.70"):
        simulated_size(lambda n: Simulated(n, next(powers), 0.0, 1000), start=50, target=0.8)
    powers = iter([0.9, 0.7, 0.9, 0.9, 0.7, 0.9])
    assert len(simulated_size(lambda n: Simulated(n, next(powers), 0.0, 1000), start=50, target=0.8)) == 6


def test_no_size_below_two_topics_is_tried() -> None:
    """One topic has no variance."""
    assert _next_size([Simulated(4, 0.99, 0.001, 1000)], 0.06) == 2


def test_a_pilot_of_one_value_has_a_level_but_no_difference() -> None:
    """Nothing is raised or lowered for a difference of 0."""
    assert lift_for(np.full((3, 2), 0.5), 0.0) == Lift()
    with pytest.raises(DesignError, match=r"scores from 0\.5 to 0\.5 allow at most 0"):
        lift_for(np.full((3, 2), 0.5), 0.1)


def test_a_mean_near_the_bottom_leaves_little_to_lower() -> None:
    """Scores of .5 and one of 1, mean .55: half of the difference is at most .05, whatever the bottom is."""
    pilot = np.array([[0.5] * 5, [0.5, 0.5, 0.5, 0.5, 1.0]])
    with pytest.raises(DesignError, match=r"scores from 0\.5 to 1 allow at most 0\.1;"):
        lift_for(pilot, 0.15)
    assert lift_for(pilot, 0.08).lowered == pytest.approx(0.04 / 0.05)


def test_every_run_of_the_pilot_is_drawn_equally_often() -> None:
    """Two of five runs for each topic, without replacement; run r has the score r."""
    drawn = drawn_sets(np.tile(np.arange(5.0), (3, 1)), Lift(), sets=2000, n=4, systems=2, rng=np.random.default_rng(1))
    assert (drawn[..., 0] != drawn[..., 1]).all()
    shares = [(drawn == run).mean() for run in range(5)]
    assert shares == pytest.approx([0.2] * 5, abs=4 * (0.2 * 0.8 / 16_000) ** 0.5)


def test_the_shares_of_a_lift_become_the_top_and_the_bottom_value() -> None:
    """A fifth of the best system's scores and a third of the worst's; the others keep theirs."""
    lift = Lift(0.0, 1.0, 0.0, 0.2, 1 / 3)
    drawn = drawn_sets(np.full((3, 3), 0.5), lift, sets=4000, n=4, systems=3, rng=np.random.default_rng(1))
    assert (drawn[..., 0] == 1).mean() == pytest.approx(0.2, abs=0.015)
    assert (drawn[..., 2] == 0).mean() == pytest.approx(1 / 3, abs=0.015)
    assert (drawn[..., 1] == 0.5).all()


@pytest.mark.parametrize("systems", [3, 8])
def test_drawn_sets_have_the_residual_variance_of_a_small_pilot(systems: int) -> None:
    """5 topics and 4 runs: without scaling, the variance is 20% too small, and 25% more for more systems than runs."""
    pilot = np.random.default_rng(3).random((5, 4))
    sets = drawn_sets(
        with_equal_means(pilot, systems), Lift(), sets=4000, n=40, systems=systems, rng=np.random.default_rng(1)
    )
    drawn = float(np.mean([residual_variance(one) for one in sets]))
    assert drawn == pytest.approx(residual_variance(pilot), rel=0.02)
