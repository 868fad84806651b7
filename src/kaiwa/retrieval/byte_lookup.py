"""Ids and terms as arrays of bytes, found by compiled loops: ids by binary search, terms by their hash.

Terms are numbered in the order of first occurrence, so that frequent terms, which occur early, are close together in
every array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import IntArray
    from kaiwa.retrieval.vocabulary import Bytes

    Slots = NDArray[np.uint32]


_FNV_OFFSET = np.uint64(14695981039346656037)  # Fowler, Noll and Vo's hash, variant 1a of 64 bits
_FNV_PRIME = np.uint64(1099511628211)


def joined_bytes(strings: Sequence[str]) -> tuple[Bytes, IntArray]:
    """The joined bytes of the strings, and where each starts, and the end.

    >>> joined_bytes(["a", "bc"])
    (array([97, 98, 99], dtype=uint8), array([0, 1, 3]))
    """
    encoded = [string.encode(errors="replace") for string in strings]
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), np.cumsum([0, *map(len, encoded)])


@kernel
def copy_parts(text: Bytes, lows: IntArray, starts: IntArray, data: Bytes) -> None:
    """Copy parts of the text that begin at ``lows`` one after another; ``starts`` is where each goes, and the end."""
    for part in range(len(lows)):
        low = lows[part]
        for at in range(starts[part], starts[part + 1]):
            data[at] = text[low + at - starts[part]]


@kernel
def find_ids(ids: Bytes, starts: IntArray, row: NDArray[np.uint32], wanted: Bytes, ends: IntArray) -> IntArray:
    """The number of each wanted id, -1 for an unknown one; ``row`` has the ids in the order of their bytes."""
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
    """Below zero if the first bytes sort before the second, above zero if after, zero if they are equal."""
    for step in range(min(end - start, high - low)):
        difference = np.int64(text[start + step]) - np.int64(wanted[low + step])
        if difference:
            return int(difference)
    return (end - start) - (high - low)


class TermTable:
    """Terms as joined bytes, the place where each starts, and a hash table of slots: number plus one, 0 if empty.

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
        """The number of each term, -1 for an unknown one."""
        return find_terms(self._text, self._starts, self._slots, *joined_bytes(terms))

    def text_of(self, number: int) -> str:
        """The term of a number."""
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes().decode(errors="replace")


def term_arrays(text: Bytes, starts: IntArray) -> dict[str, NDArray[Any]]:  # Any: several dtypes
    """The arrays of a table of the terms in joined bytes."""
    slots = np.zeros(2 << max(len(starts) - 1, 1).bit_length(), dtype=np.uint32)
    insert_terms(text, starts, slots)
    return {"text": text, "starts": starts, "slots": slots}


@kernel
def hash_of(text: Bytes, low: int, high: int) -> np.uint64:
    """The hash of the bytes ``low:high``, its high bits mixed into the low bits that choose the slot."""
    key = _FNV_OFFSET
    for at in range(low, high):
        key = (key ^ np.uint64(text[at])) * _FNV_PRIME
    return np.uint64(key ^ (key >> np.uint64(32)))


@kernel
def insert_terms(text: Bytes, starts: IntArray, slots: Slots) -> None:
    """Give every term the first free slot from its hash on."""
    mask = np.uint64(len(slots) - 1)
    for term in range(len(starts) - 1):
        slot = hash_of(text, starts[term], starts[term + 1]) & mask
        while slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = term + 1


@kernel
def find_terms(text: Bytes, starts: IntArray, slots: Slots, wanted: Bytes, ends: IntArray) -> IntArray:
    """The number of each wanted term, -1 for an unknown one."""
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
