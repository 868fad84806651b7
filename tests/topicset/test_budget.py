"""Cost: hours, pools, and what a budget pays for, at their edges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kaiwa.errors import DesignError, InputError
from kaiwa.topicset.budget import Labelling, best_split, cheapest, pool_items
from kaiwa.topicset.design_cost import design_cost
from kaiwa.topicset.requirement import Requirement, completed

ASKED = completed(Requirement(variance=0.06, systems=5, min_diff=0.1))
AN_HOUR = Labelling(depth=5, items=10.0, assessors=2, seconds=180.0, variance=0.06)


@pytest.mark.parametrize(("overlap", "items"), [(0.0, 50), (0.5, 30), (1.0, 10)])
def test_a_pool_has_the_items_that_runs_do_not_share(overlap: float, items: float) -> None:
    """Five runs to depth 10: all different, half shared, all the same."""
    assert pool_items(10, 5, overlap) == items


@pytest.mark.parametrize("overlap", [-0.1, 1.1])
def test_an_overlap_that_is_no_share_is_refused(overlap: float) -> None:
    """From 0 to 1."""
    with pytest.raises(InputError, match=r"is not in \[0, 1\]"):
        pool_items(10, 5, overlap)


def test_a_budget_pays_for_whole_topics_and_at_least_two() -> None:
    """Ten items, two assessors, three minutes each: one hour a topic."""
    assert AN_HOUR.hours_per_topic == 1.0
    assert [best_split(ASKED, [AN_HOUR], hours=hours)[0].n for hours in (2.0, 2.9, 3.0)] == [2, 2, 3]
    assert best_split(ASKED, [AN_HOUR], hours=2.9)[0].hours == 2.0
    with pytest.raises(DesignError, match=r"1\.9 hours are too few to judge 2 topics; give at least 2 hours"):
        best_split(ASKED, [AN_HOUR], hours=1.9)
    with pytest.raises(InputError, match="0 is not a positive number of hours"):
        best_split(ASKED, [AN_HOUR], hours=0.0)


@pytest.mark.parametrize(("agreement", "trusted"), [(None, True), (1.0, True), (0.9, True), (0.89, False)])
def test_an_order_is_trusted_from_a_tau_of_9_tenths(agreement: float | None, trusted: bool) -> None:  # noqa: FBT001
    """Voorhees 2000; also if nothing is known."""
    assert Labelling(5, 10.0, 2, 180.0, 0.06, agreement).trusted is trusted


def test_splits_are_in_the_order_of_the_difference_found_and_designs_in_that_of_their_cost() -> None:
    """More assessors cost more time but lower the variance."""
    slow = Labelling(depth=5, items=10.0, assessors=4, seconds=180.0, variance=0.02)
    assert [split.labelling for split in best_split(ASKED, [AN_HOUR, slow], hours=60.0)] == [slow, AN_HOUR]
    costs = [split.hours for split in cheapest(ASKED, [AN_HOUR, slow])]
    assert costs == sorted(costs)
    assert cheapest(ASKED, [AN_HOUR, slow])[0].labelling == slow


def test_no_way_of_judging_is_an_error() -> None:
    """A difference that no number of topics finds."""
    hopeless = completed(Requirement(variance=0.06, systems=5, min_diff=1e-7))
    with pytest.raises(DesignError, match="no way of judging meets the requirement with up to 1,000,000,000 topics"):
        cheapest(hopeless, [AN_HOUR])


def test_the_least_budget_is_that_of_two_topics() -> None:
    """Two hours a topic: four hours for two."""
    two_hours = replace(AN_HOUR, assessors=4)
    with pytest.raises(DesignError, match="give at least 4 hours"):
        best_split(ASKED, [two_hours], hours=3.0)


def test_trusted_ways_of_judging_come_before_better_ones_that_are_not() -> None:
    """In splits and in designs: a shallow pool that changes the order of the runs is listed last."""
    cheap = replace(AN_HOUR, items=5.0, variance=0.03, agreement=0.5)
    assert [one.labelling for one in best_split(ASKED, [cheap, AN_HOUR], hours=60.0)] == [AN_HOUR, cheap]
    assert [one.labelling for one in cheapest(ASKED, [cheap, AN_HOUR])] == [AN_HOUR, cheap]


def test_less_than_a_second_for_an_item_is_possible() -> None:
    """A model judges faster than people do."""
    quick = replace(AN_HOUR, seconds=0.5)
    assert best_split(ASKED, [quick], hours=1.0)[0].n == 360


def test_without_data_the_most_careful_way_is_advised() -> None:
    """Depth 1 with one assessor is cheapest only because its variance is not known; measured, it may be first."""
    ways = [Labelling(depth, 3.0 * depth, people, 12.0, 0.06) for depth in (1, 10) for people in (1, 3)]
    assert [(split.labelling.depth, split.labelling.assessors) for split in cheapest(ASKED, ways)] == [
        (10, 3),
        (10, 1),
        (1, 3),
        (1, 1),
    ]
    best = best_split(ASKED, ways, hours=500.0)[0].labelling
    assert (best.depth, best.assessors) == (10, 3)
    measured = [replace(way, agreement=0.95, panels=True) for way in ways]
    found = cheapest(ASKED, measured)[0].labelling
    assert (found.depth, found.assessors) == (1, 1)


def test_judged_to_several_depths_by_one_panel_the_assessors_are_not_reduced() -> None:
    """Qrels show the effect of depth, not that of fewer assessors."""
    ways = [Labelling(depth, 3.0 * depth, people, 12.0, 0.06, 0.95) for depth in (1, 10) for people in (1, 3)]
    found = cheapest(ASKED, ways)[0].labelling
    assert (found.depth, found.assessors) == (1, 3)


def test_labels_are_counted_as_in_the_papers_of_the_task() -> None:
    """145 runs to depth 10, of which each shares 5 in 6 answers: 250 items, 3 labels each, on 100 topics: 75,000."""
    found = design_cost(variance=0.0643, systems=10, min_diff=0.15, topics=100, pooled=145, overlap=5 / 6)
    way = found.ways[0]
    assert way.labelling.items == pytest.approx(250)
    assert (found.n, found.labels, way.labels) == (100, 75_000, 75_000)
    assert found.cost == pytest.approx(75_000 * 15 / 3600)
    assert "75,000 labels" in str(found)


def test_topics_that_are_given_are_what_is_paid_for() -> None:
    """100, not the 91 that the difference needs, under every way of judging; the cheapest of equal care first."""
    found = design_cost(variance=0.0643, systems=10, min_diff=0.15, topics=100, depth=[5, 10], votes_per_item=[1, 3])
    assert [way.n for way in found.ways] == [100] * 4
    assert found.power == pytest.approx(found.design.power or 0.0)
    assert [way.labels for way in found.ways] == [16_500, 5_500, 8_250, 2_750]
    assert design_cost(variance=0.0643, systems=10, min_diff=0.15).n == 91
    assert design_cost(variance=0.0643, systems=10, topics=100).min_diff == pytest.approx(0.1425, abs=1e-4)


def test_hours_that_find_the_topics_refuse_a_number_of_them() -> None:
    """Both would say how many topics."""
    with pytest.raises(InputError, match="leave out topics=, or the hours"):
        design_cost(variance=0.0643, systems=10, min_diff=0.15, topics=100, hours=40)
