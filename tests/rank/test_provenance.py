"""The rankings and numbers of benchmarks.ranking.provenance, on small lists."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from benchmarks.ranking.provenance_lists import Lists
from benchmarks.ranking.provenance_rankers import (
    by_weights,
    calibrated_apart,
    chance_of_difference,
    found_by_topic,
    is_rare,
)

FEATURES = ("good", "noise", "posts")


def made_lists(seed: int, topics: int = 40, items: int = 12) -> Lists:
    """Topics with one rare and one common true reply; the feature ``good`` tells them from others, a little."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((topics, items, len(FEATURES)))
    is_true = np.zeros((topics, items), dtype=np.int64)
    is_true[:, 0] = is_true[:, items // 2] = 1
    rows[:, :, 0] += 2 * is_true
    rows[:, :, 2] = np.log(np.where(np.arange(items) < items // 2, 2, 50))
    starts, ones = np.arange(0, topics * items + 1, items), np.ones(topics, dtype=np.int64)
    comments = np.arange(topics * items)
    return Lists(FEATURES, starts, comments, rows.reshape(-1, len(FEATURES)), is_true.ravel(), 2 * ones, ones)


def test_the_share_found_is_that_of_a_sort_of_each_topic() -> None:
    """Of all replies, and of the rare ones among all candidates."""
    lists = made_lists(1)
    scores = lists.column("good")
    for rare in (False, True):
        for topic, share in enumerate(found_by_topic(lists, scores, 3, rare=rare).tolist()):
            own = range(lists.starts[topic], lists.starts[topic + 1])
            first = sorted(own, key=lambda item: -scores[item])[:3]
            true = [item for item in own if lists.is_true[item] and (not rare or is_rare(lists)[item])]
            assert share == len(set(first).intersection(true)) / len(true)


def test_rankers_of_other_topics_find_more_than_noise() -> None:
    """A RankSVM and the two regressions learn which feature tells true replies."""
    learned, measured = made_lists(1), made_lists(2)
    noise = found_by_topic(measured, measured.column("noise"), 3).mean()
    apart = calibrated_apart(learned, measured, floor=learned.column("noise"))
    for scores in (by_weights(learned, measured, FEATURES), apart):
        assert found_by_topic(measured, scores, 3).mean() > noise + 0.3


def test_the_chance_of_a_difference_is_that_of_all_changes_of_sign() -> None:
    """Compared with the enumeration of 2^8 changes, up to the error of 10,000 draws."""
    one, other = np.random.default_rng(5).random((2, 8))
    one += 0.15
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, one - other, strict=True)))
        for signs in product((-1, 1), repeat=8)
    ]
    exact = np.mean([total >= abs((one - other).sum()) - 1e-12 for total in sums])
    assert 0.02 < exact < 0.9
    assert chance_of_difference(one, other) == pytest.approx(exact, abs=0.02)
    assert chance_of_difference(one, one) == 1.0


def test_the_bonus_is_no_larger_than_rare_replies_need() -> None:
    """With a floor of nothing there is none; with a floor that finds every rare reply it raises rare candidates."""
    learned, measured = made_lists(1, items=60), made_lists(2, items=60)
    rare = is_rare(measured)
    low, high = (calibrated_apart(learned, measured, floor=sign * learned.is_true) for sign in (-1.0, 1.0))
    assert np.allclose((high - low)[~rare], 0)
    assert np.ptp((high - low)[rare]) < 1e-9
    assert (high - low)[rare].min() > 0
