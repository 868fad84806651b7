"""Adding topics in rounds: what may be spent, the rates of the plan, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.nouns.scores import Scores
from kaiwa.topicset.design_rounds import design_rounds
from kaiwa.topicset.rounds import SPENDING, Rounds, moved, p_values, planned_rounds, rounds_of, schedule, spent_levels
from kaiwa.topicset.sizes import answer_to

CELL = {"systems": 3, "min_diff": 0.5, "variance": 0.25, "shared_topics": False}


def plan(looks: list[int], **options: object) -> Rounds:
    """A plan with a fixed seed."""
    return planned_rounds(looks, **(CELL | options), rng=np.random.default_rng(1))  # type: ignore[arg-type]  # its options


@pytest.mark.parametrize(
    ("spending", "half"),
    [("obrien-fleming", 0.005575), ("pocock", 0.031006)],
)
def test_what_may_be_spent_by_half_time(spending: str, half: float) -> None:
    """Lan & DeMets 1983 at alpha .05: 2 - 2 Phi(1.96 / sqrt .5), and .05 ln(1 + (e - 1) .5); all of it at the end."""
    assert SPENDING[spending](0.5, 0.05) == pytest.approx(half, abs=1e-6)
    assert SPENDING[spending](1.0, 0.05) == pytest.approx(0.05)


def test_defaults_are_alpha_05_400000_trials_and_obrien_fleming() -> None:
    """The same plan as by name; an error of .0003 keeps the total within .001 of .05."""
    found = plan([10, 20])
    assert found == plan([10, 20], alpha=0.05, trials=400_000, spending="obrien-fleming")
    assert found.error == pytest.approx((0.05 * 0.95 / 400_000) ** 0.5)
    assert found.spending == "obrien-fleming"
    assert [look.spent for look in found.looks] == pytest.approx([0.005575, 0.05], abs=1e-6)


def test_a_plan_stops_early_where_the_difference_is_large() -> None:
    """The share that has stopped grows to the power; the mean number of topics follows from it."""
    found = plan([10, 20, 40])
    stopped = [look.stopped for look in found.looks]
    assert stopped == sorted(stopped)
    assert stopped[-1] == found.power
    assert stopped[0] < 0.9 < found.power
    expected = 10 * stopped[0] + 20 * (stopped[1] - stopped[0]) + 40 * (1 - stopped[1])
    assert found.expected_n == pytest.approx(expected)


def test_the_levels_grow_to_less_than_alpha_under_obrien_fleming() -> None:
    """The first look is nearly free, and the last is close to a test without looks."""
    levels = [look.level for look in plan([20, 40]).looks]
    assert levels[0] < 0.01 < levels[1] < 0.05


def test_a_single_trial_may_be_spent_and_all_of_them() -> None:
    """Of 100 trials, one stops at the level of the smallest p; a share of 1 stops every trial."""
    p = np.arange(100, 0, -1) / 100
    assert spent_levels(p[:, None], [0.01]).tolist() == [0.01]
    assert spent_levels(np.stack([p, p], axis=1), [1.0, 1.0]).tolist() == [1.0, 0.0]


def test_fewer_than_1000_trials_are_refused() -> None:
    """Below, no level can be set."""
    assert plan([10, 20], trials=1000).trials == 1000
    with pytest.raises(InputError, match="999 is too few"):
        plan([10, 20], trials=999)


def test_two_topics_are_enough_for_a_look_and_no_look_is_repeated() -> None:
    """A first look at 2, and a round of one topic."""
    assert [look.n for look in plan([2, 3]).looks] == [2, 3]
    with pytest.raises(InputError, match="not a growing list"):
        plan([10, 10])


def test_a_plan_that_spends_almost_nothing_early_has_the_power_of_its_last_look() -> None:
    """O'Brien and Fleming's spending at 5 of 91 topics; a single test on 91 has a power of .8038.

    Sakai 2018, 10 systems, difference .15, variance .0643: the exact power of one-way ANOVA.
    """
    cell = {"systems": 10, "min_diff": 0.15, "variance": 0.0643}
    plan = planned_rounds([5, 91], shared_topics=False, rng=np.random.default_rng(1), **cell)  # type: ignore[arg-type]  # the cell
    assert plan.looks[0].spent < 1e-9
    assert plan.power == pytest.approx(0.8038, abs=0.015)
    assert plan.expected_n == pytest.approx(91, abs=0.1)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("by", ["f", "range"])
def test_the_error_of_all_looks_is_alpha_to_a_thousandth(spending: str, by: str) -> None:
    """On trials that did not set the levels; the first level is exact, whatever the seed."""
    found = plan([30, 60, 91], systems=4, shared_topics=True, by=by, spending=spending)
    assert found.kept == pytest.approx(0.05, abs=0.001)
    assert found.looks[0].level == SPENDING[spending](30 / 91, 0.05)


def test_a_look_by_the_range_has_the_power_of_tukeys_test() -> None:
    """Best and worst of three systems after 12 topics, against the exact power, within four standard errors."""
    ends = np.array([0.7, 0.0, -0.7])
    p = p_values(
        [12, 20], 3, True, means=ends, by="range", best_worst=True, trials=20_000, rng=np.random.default_rng(1)
    )
    exact = answer_to(variance=1.0, systems=3, min_diff=1.4, n=12, test="tukey", scale=9.0).power
    assert (p[:, 0] <= 0.05).mean() == pytest.approx(exact, abs=4 * (0.25 / 20_000) ** 0.5)


@pytest.mark.parametrize("test", ["one-way-tukey", "tukey", "hsd"])
def test_rounds_are_planned_for_all_pairs_too(test: str) -> None:
    """At the designed number of topics a plan in rounds has about the power of one test at the end."""
    answer = answer_to(variance=0.02, systems=6, min_diff=0.15, test=test)
    found = rounds_of(answer, [answer.n // 2, answer.n], rng=np.random.default_rng(1))
    assert found.power == pytest.approx(answer.power, abs=0.03)
    assert found.kept == pytest.approx(0.05, abs=0.0015)


def test_what_was_spent_stays_when_the_last_look_moves() -> None:
    """A look that is done keeps its alpha; those left are spent over the new number of topics; all of it at the end."""
    planned = schedule([30, 60, 91])
    later = moved(planned, 30, 120)
    assert later.sizes == (30, 60, 91, 120)
    assert later.spent[0] == planned.spent[0] == SPENDING["obrien-fleming"](30 / 91, 0.05)
    assert later.spent[1] == SPENDING["obrien-fleming"](60 / 120, 0.05)
    assert later.spent[-1] == 0.05


def test_a_look_that_has_nothing_to_spend_is_left_out() -> None:
    """At 60 of 200 topics less is spent than was at 30 of 91; the last look is after the look that is done."""
    assert moved(schedule([30, 60, 91]), 30, 200).sizes == (30, 91, 200)
    assert moved(schedule([30, 60, 91]), 60, 40).sizes == (30, 60, 61)


@pytest.mark.parametrize("last", [45, 91, 200])
def test_a_plan_whose_last_look_moved_keeps_the_error(last: int) -> None:
    """The levels that remain are found for what is left to spend."""
    planned = moved(schedule([30, 60, 91]), 30, last)
    found = plan(list(planned.sizes), spent=planned.spent, systems=4, shared_topics=True, by="range")
    assert found.kept == pytest.approx(0.05, abs=0.001)
    assert [look.spent for look in found.looks] == list(planned.spent)


def noisy(topics: int, deviation: float) -> Scores:
    """Scores of four runs that vary so much about the same mean."""
    values = np.random.default_rng(topics).normal(0.5, deviation, (topics, 4))
    return Scores.from_matrix("M", range(topics), "ABCD", values)


def test_scores_so_far_move_the_last_look_to_the_topics_that_their_variance_asks_for() -> None:
    """Twice the deviation asks for about four times the topics; the second look moves the plan again."""
    pilot = noisy(60, 0.1)
    asked = {"systems": 4, "min_diff": 0.1, "looks": [15, 30, 45]}
    first = design_rounds(pilot, **asked, so_far=noisy(15, 0.2))  # type: ignore[arg-type]  # as above
    estimate = first.estimates[0]
    assert (estimate.topics, first.looks[0].n, first.looks[-1].n) == (15, 15, estimate.n)
    assert estimate.variance == pytest.approx(0.04, rel=0.5)
    assert estimate.n > 2 * first.design.n
    assert f"it asks for {estimate.n} topics" in str(first)
    second = design_rounds(pilot, **asked, so_far=[noisy(15, 0.2), noisy(45, 0.05)])  # type: ignore[arg-type]  # as above
    assert [one.topics for one in second.estimates] == [15, 45]
    assert [look.n for look in second.looks] == [15, 45, 46]


def test_scores_so_far_are_those_of_a_look_that_is_done() -> None:
    """Of the last look nothing is left to plan; the number of topics is found, so it is not given."""
    asked = {"systems": 4, "min_diff": 0.1, "looks": [15, 30, 45]}
    with pytest.raises(InputError, match="scores of 20 topics, and the looks before the last are at 15, 30"):
        design_rounds(noisy(60, 0.1), **asked, so_far=noisy(20, 0.1))  # type: ignore[arg-type]  # as above
    with pytest.raises(InputError, match="no look that is left"):
        design_rounds(noisy(60, 0.1), **asked, so_far=[noisy(30, 0.1), noisy(45, 0.1)])  # type: ignore[arg-type]  # as above
    with pytest.raises(InputError, match="leave out topics="):
        design_rounds(noisy(60, 0.1), **asked, topics=45, so_far=noisy(15, 0.1))  # type: ignore[arg-type]  # as above
