"""Lists in batches that fit in memory."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.measure.ideal_lists import CELLS, batches

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
