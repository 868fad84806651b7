"""Scales: the gain of each grade, gmax, and errors."""

from __future__ import annotations

import pytest

from kaiwa.errors import InputError
from kaiwa.measures.judgements import Scale, judge, parse_levels, scale_of
from kaiwa.nouns.qrels import Qrels

GAINS = Qrels.from_lists({"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}})


def test_a_grade_is_its_own_gain_without_levels() -> None:
    """The top is the largest grade of the collection, and no level is listed."""
    found = judge(GAINS)
    assert found.gains.gains.tolist() == [2, 1, 0, 1]
    assert found.top.tolist() == [2, 2]
    assert found.levels == ()


def test_levels_map_grades_and_set_the_top() -> None:
    """L1=1, L2=3: gmax is 3 everywhere; a level with gain 0 is not listed."""
    found = judge(GAINS, Scale(levels={1.0: 1.0, 2.0: 3.0}))
    assert found.gains.gains.tolist() == [3, 1, 0, 1]
    assert found.top.tolist() == [3, 3]
    assert found.levels == (1.0, 3.0)
    assert judge(GAINS, Scale(levels={1.0: 0.0, 2.0: 3.0})).levels == (3.0,)


def test_a_declared_top_and_each_topics_own() -> None:
    """A highest gain of 5 for all topics; topic for the highest gain of each."""
    assert judge(GAINS, scale_of(None, "5")).top.tolist() == [5, 5]
    assert judge(GAINS, scale_of(None, "topic")).top.tolist() == [2, 1]
    assert scale_of("L1=1", None) == Scale(levels={1.0: 1.0})
    assert scale_of(None, None) == Scale()


@pytest.mark.parametrize("top", [0.0, -1.0, float("inf"), float("nan")])
def test_a_top_that_is_no_gain_is_refused(top: float) -> None:
    """Above 0 and finite."""
    with pytest.raises(InputError, match="is not a gain above 0"):
        Scale(top=top)


@pytest.mark.parametrize("levels", [{}, {1.0: 0.0}])
def test_levels_all_worth_nothing_are_refused(levels: dict[float, float]) -> None:
    """At least one level has a gain."""
    with pytest.raises(InputError, match="at least one"):
        Scale(levels=levels)


def test_gains_up_to_1e100_are_taken() -> None:
    """Beyond, sums of products would overflow."""
    assert judge(Qrels.from_lists({"q": {"a": 1e100}})).top.tolist() == [1e100]
    with pytest.raises(InputError, match="a gain is above 1e\\+100"):
        judge(Qrels.from_lists({"q": {"a": 1.01e100}}))


def test_a_grade_that_no_level_names_is_refused() -> None:
    """Grade 2 has no gain here."""
    with pytest.raises(InputError, match="grade 2 is not on the scale 0, 1"):
        judge(GAINS, Scale(levels={1.0: 1.0}))


@pytest.mark.parametrize("text", ["L1", "L1=x", "L1=1,L1=2", ""])
def test_levels_that_cannot_be_read_are_refused(text: str) -> None:
    """Each part is a level and its gain, each level once."""
    with pytest.raises(InputError, match="levels="):
        parse_levels(text)


def test_a_top_that_is_no_number_is_refused() -> None:
    """A gain or the word topic."""
    with pytest.raises(InputError, match="neither a gain nor 'topic'"):
        scale_of(None, "all")


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (Scale(by_topic=True), "each topic's own highest gain"),
        (Scale(top=4.0), "4 (max_gain)"),
        (Scale(levels={1.0: 1.0, 2.0: 3.0}), "3 (levels)"),
        (Scale(), "2 (the largest grade)"),
    ],
)
def test_gmax_is_described_with_its_reason(scale: Scale, words: str) -> None:
    """For people, next to the scores."""
    assert scale.gmax_text(scale.of(GAINS)) == words
