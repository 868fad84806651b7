"""The terms of an index on disk: their bytes, and the slots in which each is found by its hash.

They are numbered as they were met, so that the frequent ones, met early, stand close together in every array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.retrieve.kernel import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kaiwa.model import IntArray
    from kaiwa.retrieve.cut import Bytes

    Slots = NDArray[np.uint32]

_FIRST = np.uint64(14695981039346656037)  # Fowler, Noll and Vo's hash, its variant 1a of 64 bits
_PRIME = np.uint64(1099511628211)


class TermTable:
    """Terms as one run of bytes, the place where each starts, and their slots: number plus one, 0 where empty.

    >>> table = TermTable(**term_arrays(np.frombuffer(b"sunday", dtype=np.uint8), np.array([0, 3, 6])))
    >>> table.numbers(["sun", "moon", "day"])
    array([ 0, -1,  1])
    """

    def __init__(self, text: Bytes, starts: IntArray, slots: Slots) -> None:
        self._text = text
        self._starts = starts
        self._slots = slots

    def __len__(self) -> int:
        return len(self._starts) - 1

    def numbers(self, terms: Sequence[str]) -> IntArray:
        """The number of each term, -1 for one that is not there."""
        wanted = [term.encode(errors="replace") for term in terms]
        ends = np.cumsum([0, *map(len, wanted)])
        return find_terms(self._text, self._starts, self._slots, np.frombuffer(b"".join(wanted), np.uint8), ends)

    def text_of(self, number: int) -> str:
        """The term of a number."""
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes().decode(errors="replace")


def term_arrays(text: Bytes, starts: IntArray) -> dict[str, NDArray[Any]]:  # Any: of their own kinds
    """What a table of the terms in a run of bytes consists of."""
    slots = np.zeros(2 << max(len(starts) - 1, 1).bit_length(), dtype=np.uint32)
    put_terms(text, starts, slots)
    return {"text": text, "starts": starts, "slots": slots}


@kernel
def hash_of(text: Bytes, low: int, high: int) -> np.uint64:
    """The hash of a run of bytes, its high bits brought down to where slots are counted."""
    key = _FIRST
    for at in range(low, high):
        key = (key ^ np.uint64(text[at])) * _PRIME
    return np.uint64(key ^ (key >> np.uint64(32)))


@kernel
def put_terms(text: Bytes, starts: IntArray, slots: Slots) -> None:
    """Give every term the first free slot from its hash on."""
    mask = np.uint64(len(slots) - 1)
    for term in range(len(starts) - 1):
        slot = hash_of(text, starts[term], starts[term + 1]) & mask
        while slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = term + 1


@kernel
def find_terms(text: Bytes, starts: IntArray, slots: Slots, wanted: Bytes, ends: IntArray) -> IntArray:
    """The number of each wanted term, -1 for one that is not there."""
    mask = np.uint64(len(slots) - 1)
    found = np.full(len(ends) - 1, -1, dtype=np.int64)
    for one in range(len(found)):
        low, high = ends[one], ends[one + 1]
        slot = hash_of(wanted, low, high) & mask
        while slots[slot]:
            term = np.int64(slots[slot]) - 1
            if is_term(text, starts[term], starts[term + 1], wanted, low, high):
                found[one] = term
                break
            slot = (slot + np.uint64(1)) & mask
    return found


@kernel
def is_term(text: Bytes, start: int, end: int, wanted: Bytes, low: int, high: int) -> bool:
    """Whether two runs of bytes are the same."""
    if end - start != high - low:
        return False
    for step in range(high - low):  # noqa: SIM110  compiled code has no generators
        if text[start + step] != wanted[low + step]:
            return False
    return True


@kernel
def find_ids(ids: Bytes, starts: IntArray, row: Slots, wanted: Bytes, ends: IntArray) -> IntArray:
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
