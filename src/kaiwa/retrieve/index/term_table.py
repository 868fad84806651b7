"""The terms of an index on disk: their bytes, and the slots in which each is found by its hash.

They are numbered as they were met, so that the frequent ones, met early, stand close together in every array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.retrieve.index.id_bytes import compared, run_of_bytes
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.token_keys import Bytes

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
        return find_terms(self._text, self._starts, self._slots, *run_of_bytes(terms))

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
            if compared(text, starts[term], starts[term + 1], wanted, low, high) == 0:
                found[one] = term
                break
            slot = (slot + np.uint64(1)) & mask
    return found
