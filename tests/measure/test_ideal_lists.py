"""Lists in batches that fit in memory."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.measures.lists import CELLS, batches, ideals_of
from kaiwa.nouns.qrels import Qrels

HALF = CELLS // 2


@pytest.mark.parametrize(
    ("depths", "expected"),
    [
        ([], []),
        ([HALF, HALF], [(0, 2)]),
        ([HALF, HALF, HALF, 1], [(0, 2), (2, 4)]),
        ([1, HALF + 1, 1, 1], [(0, 1), (1, 2), (2, 4)]),
        ([CELLS + 1], [(0, 1)]),
        ([2, CELLS + 1, CELLS + 1, 3], [(0, 1), (1, 2), (2, 3), (3, 4)]),
    ],
)
def test_a_batch_holds_as_many_lists_as_fit_and_at_least_one(
    depths: list[int], expected: list[tuple[int, int]]
) -> None:
    """The matrix of a batch has as many ranks as its longest list; a list that is too long is a batch of its own."""
    assert [(part.start, part.stop) for part in batches(np.array(depths, dtype=np.int64))] == expected


def test_the_ideal_list_of_a_topic_ends_with_its_own_items() -> None:
    """Gains in falling order, then 0: never the items of the next topic; the same for any part of the topics."""
    gains = Qrels.from_lists({"q1": {"a": 1.0, "b": 3.0}, "q2": {"c": 2.0, "d": 0.0}, "q3": {"e": 5.0}})
    ideals = ideals_of(gains, gains.gains, np.full(3, 5.0))
    expected = [[3.0, 1.0, 0.0], [2.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
    for part in (slice(1, 2), slice(0, 3), slice(1, 3), slice(0, 2)):
        assert ideals.matrix(part, 3).tolist() == expected[part]
    assert ideals.matrix(np.array([2, 0, 2]), 2).tolist() == [[5.0, 0.0], [3.0, 1.0], [5.0, 0.0]]
