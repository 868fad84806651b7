"""Row numbers that need no counting before: the number of the task, then the place of the row in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

PLACE_BITS = 40
BLOCK_BITS = 18
"""A block of rows that ``in_order`` holds in memory has this many bits of the place."""
MAX_TASKS = 1 << 23  # so that a row number is also a positive signed integer


def row_numbers(task: int, first: int, count: int) -> Numbers:
    """The numbers of ``count`` rows of a task, from place ``first`` on.

    >>> row_numbers(2, 5, 3) - np.uint64(2 << PLACE_BITS)
    array([5, 6, 7], dtype=uint64)
    """
    return np.arange(first, first + count, dtype=np.uint64) + np.uint64(task << PLACE_BITS)


def tasks_of(rows: NDArray[Any]) -> NDArray[np.int64]:  # Any: integers
    """The task of each row.

    >>> tasks_of(row_numbers(2, 5, 3)).tolist()
    [2, 2, 2]
    """
    return (rows >> np.uint64(PLACE_BITS)).astype(np.int64)


def places_of(rows: NDArray[Any]) -> NDArray[np.int64]:  # Any: integers
    """The place of each row in its task.

    >>> places_of(row_numbers(2, 5, 3)).tolist()
    [5, 6, 7]
    """
    return (rows & np.uint64((1 << PLACE_BITS) - 1)).astype(np.int64)
