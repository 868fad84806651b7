"""Ids and terms as runs of bytes, compared and found by compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.token_keys import Bytes


def run_of_bytes(strings: Sequence[str]) -> tuple[Bytes, IntArray]:
    """The strings' bytes, one string after the other, and where each starts; and the end.

    >>> run_of_bytes(["a", "bc"])
    (array([97, 98, 99], dtype=uint8), array([0, 1, 3]))
    """
    encoded = [string.encode(errors="replace") for string in strings]
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), np.cumsum([0, *map(len, encoded)])


@kernel
def find_ids(ids: Bytes, starts: IntArray, row: NDArray[np.uint32], wanted: Bytes, ends: IntArray) -> IntArray:
    """The number of each wanted id, -1 for one that is not there; ``row`` has the ids in the order of their bytes."""
    found = np.full(len(ends) - 1, -1, dtype=np.int64)
    for one in range(len(found)):
        low, high = 0, len(row)
        while low < high:
            middle = (low + high) >> 1
            order = compared(ids, starts[row[middle]], starts[row[middle] + 1], wanted, ends[one], ends[one + 1])
            if order == 0:
                found[one] = middle
                break
            if order < 0:
                low = middle + 1
            else:
                high = middle
    return found


@kernel
def compared(text: Bytes, start: int, end: int, wanted: Bytes, low: int, high: int) -> int:
    """Below zero when the first run of bytes comes before the second, above zero when after, zero when the same."""
    for step in range(min(end - start, high - low)):
        difference = np.int64(text[start + step]) - np.int64(wanted[low + step])
        if difference:
            return int(difference)
    return (end - start) - (high - low)
