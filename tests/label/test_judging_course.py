"""The course of judging, against cases whose answer is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from kaiwa.labelling.judging_course import (
    TimedVote,
    agreement_history,
    confusion_between,
    drift,
    level_by_position,
    seconds_per_hundred,
    self_consistency,
    votes_of,
)
from kaiwa.nouns.votes import NA


def panel(levels: dict[str, list[int]]) -> list[TimedVote]:
    """The votes of each assessor on items q0, q1, ... in time: everybody judges the first item first."""
    number = len(next(iter(levels.values())))
    return [TimedVote(f"q{n}", "c", who, given[n]) for n in range(number) for who, given in levels.items()]


def test_agreement_history_ends_with_the_agreement_of_all_votes() -> None:
    """The last point is what ``kaiwa agree`` prints, and intervals become narrower with votes."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, size=120)
    noisy = {who: np.where(rng.random(120) < 0.8, true, rng.integers(0, 3, size=120)).tolist() for who in "abc"}
    given = panel(noisy)
    history = agreement_history(given, top=2, rng=np.random.default_rng(1))
    assert [one.votes for one in history] == [36 * part for part in range(1, 11)]
    assert history[-1].alpha.value == votes_of(given, top=2).agree().alpha["ordinal"].value
    widths = [one.alpha.high - one.alpha.low for one in history]
    assert widths[-1] < widths[0] / 2


def test_votes_on_items_that_nobody_shares_have_no_history() -> None:
    """One assessor alone agrees with nobody."""
    assert agreement_history(panel({"a": [0, 1, 2] * 10}), top=2, rng=np.random.default_rng(1)) == []


def test_drift_is_the_change_of_severity_from_the_first_half_to_the_second() -> None:
    """Who becomes one level more severe has a drift of 1 against those who do not change; they have half of it."""
    steady = [2] * 40
    found = drift(panel({"a": [2] * 20 + [1] * 20, "b": steady, "c": steady}), rng=np.random.default_rng(1))
    assert found["a"].value == pytest.approx(1.0)
    assert found["b"].value == pytest.approx(-0.5)


def test_an_assessor_who_does_not_drift_has_an_interval_around_zero() -> None:
    """On 60 items of noise, 0 is inside for 18 or more of 20 assessors (nominally 19)."""
    inside = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        found = drift(panel({who: rng.integers(0, 3, size=60).tolist() for who in "ab"}), rng=rng)["a"]
        inside += found.low <= 0 <= found.high
    assert inside >= 18


def test_na_votes_have_no_part_in_drift_and_order() -> None:
    """NA is counted, never averaged."""
    given = panel({"a": [2, 2, NA, 2, 2], "b": [2, 2, 2, 2, 2]})
    assert drift(given, rng=np.random.default_rng(1))["a"].value == 0.0
    placed = [TimedVote("q", "c", "a", NA, position=1), TimedVote("q", "d", "a", 2, position=1)]
    assert level_by_position(placed, rng=np.random.default_rng(1))[1].value == 2.0


def test_self_consistency_counts_equal_levels() -> None:
    """With Wilson's interval: 8 of 10 is 0.490 to 0.943 (Newcombe 1998 gives the formula)."""
    found = self_consistency({"a": [(2, 2)] * 8 + [(2, 1)] * 2, "b": []})
    assert list(found) == ["a"]
    assert (found["a"].same, found["a"].repeats) == (8, 10)
    assert (round(found["a"].low, 3), round(found["a"].high, 3)) == (0.490, 0.943)


def test_speed_ignores_a_comment_that_was_left_open() -> None:
    """Lunch is not reading."""
    times = [2000, 3000, 4000, 3_600_000, 0]
    given = [TimedVote("q", str(n), "a", 2, seen_ms=ms, characters=20) for n, ms in enumerate(times)]
    assert seconds_per_hundred(given) == {"a": 15.0}


def test_an_effect_of_the_place_in_the_list_is_seen() -> None:
    """Levels that fall from the first place to the last give intervals that do not overlap."""
    rng = np.random.default_rng(2)
    given = [
        TimedVote(f"q{topic}", f"c{place}", "a", int(rng.random() < 0.9 - 0.08 * place), position=place)
        for topic, place in product(range(80), range(1, 11))
    ]
    found = level_by_position(given, rng=rng)
    assert list(found) == list(range(1, 11))
    assert found[1].low > found[10].high


def test_confusion_rows_sum_to_one_and_are_symmetric_in_counts() -> None:
    """Two assessors who exchange L1 and L2 never agree there."""
    shares = confusion_between(votes_of(panel({"a": [0, 1, 2, 1], "b": [0, 2, 1, 2]}), top=2))
    assert shares.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
