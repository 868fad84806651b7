"""Ids as packed UTF-8 byte arrays, and exact lookup of millions of them.

A column of ids is a numpy ``S`` array: no Python object per id, so a run of ten million lines
takes only its bytes. Lookup uses a 64-bit key per row and then compares the bytes,
so a collision of keys costs time but never gives a wrong match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

IdArray = NDArray[np.bytes_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
KeyArray = NDArray[np.uint64]

_WORD = 8
_ROWS = 1 << 13
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)


def pack(names: Iterable[str]) -> IdArray:
    r"""The names as one packed array.

    >>> pack(["d1", "投稿"])
    array([b'd1', b'\xe6\x8a\x95\xe7\xa8\xbf'], dtype='|S6')
    """
    encoded = [_encoded(name) for name in names]
    return np.array(encoded, dtype=f"S{max(map(len, encoded), default=1) or 1}")


def _encoded(name: str) -> bytes:
    """The id in UTF-8; an error if UTF-8 or a packed array, which ends an id at a NUL, cannot hold it."""
    try:
        encoded = name.encode()
    except UnicodeEncodeError as fault:
        sign = name[fault.start]
        raise InputError(f"id {name!r} contains {sign!r}, which is not a character; remove it") from None
    if b"\0" in encoded:
        raise InputError(f"id {name!r} contains a NUL character; remove it")
    return encoded


def unpack(ids: IdArray) -> list[str]:
    """The packed ids as Python strings.

    >>> unpack(pack(["d1", "投稿"]))
    ['d1', '投稿']
    """
    return [name.decode() for name in ids.tolist()]


def keys(groups: IntArray, ids: IdArray) -> KeyArray:
    """A 64-bit key per (group, id), independent of the width of the array."""
    made = np.empty(len(ids), dtype=np.uint64)
    for start in range(
        0, len(ids), _ROWS
    ):  # each step reads the output of the previous one, which should still be in cache
        part = slice(start, start + _ROWS)
        made[part] = _keys(groups[part], ids[part])
    return made


def _keys(groups: IntArray, ids: IdArray) -> KeyArray:
    width = ids.dtype.itemsize
    padded = ids.astype(f"S{-(-width // _WORD) * _WORD}") if width % _WORD else np.ascontiguousarray(ids)
    words = padded.view(np.uint64).reshape(len(ids), padded.dtype.itemsize // _WORD)
    total = groups.astype(np.uint64) * _SPREAD
    total ^= total >> np.uint64(29)
    for place in range(words.shape[1]):
        mixed = words[:, place] * (_MIX + np.uint64(2 * place))
        mixed ^= mixed >> np.uint64(32)
        mixed *= _SPREAD
        total += mixed
    return total


def repeated_row(groups: IntArray, ids: IdArray) -> tuple[int, int] | None:
    """The first row with a duplicate (group, id), after the earlier row; None if there are no duplicates.

    >>> repeated_row(np.array([0, 0, 1, 0]), pack(["a", "b", "a", "a"]))
    (0, 3)
    """
    ordered = keys(groups, ids)
    ordered.sort()
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(shared):
        return None
    by_key = keys(groups, ids)
    seen: dict[tuple[int, bytes], int] = {}
    for row in np.flatnonzero(np.isin(by_key, shared)).tolist():
        pair = (int(groups[row]), bytes(ids[row]))
        if pair in seen:
            return seen[pair], row
        seen[pair] = row
    return None


class IdTable:
    """An exact index from (group, id) to its row.

    >>> table = IdTable(np.array([0, 0, 1]), pack(["a", "b", "a"]))
    >>> table.find(np.array([1, 0, 0]), pack(["a", "b", "zebra"]))
    array([ 2,  1, -1])
    """

    def __init__(self, groups: IntArray, ids: IdArray) -> None:
        self._bits = np.uint64(int(groups.max(initial=0) + 1).bit_length())
        by_key = self._sorting_keys(groups, ids)
        self._order = np.argsort(by_key, kind="stable")
        self._keys = by_key[self._order]
        self._groups = groups
        self._ids = ids
        shared = self._keys[1:] == self._keys[:-1]
        self._colliding = bool(shared.any())

    def __len__(self) -> int:
        return len(self._ids)

    def find(self, groups: IntArray, ids: IdArray) -> IntArray:
        """The row of each (group, id), or -1 where the table has none."""
        if not len(self._ids) or not len(ids):
            return np.full(len(ids), -1, dtype=np.int64)
        wanted = self._sorting_keys(groups, ids)
        spot = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        hits = np.flatnonzero(self._keys[spot] == wanted)
        found = self._order[spot[hits]]
        same = (self._groups[found] == groups[hits]) & (self._ids[found] == ids[hits])
        rows = np.full(len(ids), -1, dtype=np.int64)
        rows[hits[same]] = found[same]
        if self._colliding:
            self._resolve_collisions(rows, wanted, groups, ids)
        return rows

    def _sorting_keys(self, groups: IntArray, ids: IdArray) -> KeyArray:
        """Keys that sort by group first: lookups group by group are then close together in memory."""
        return (groups.astype(np.uint64) << (np.uint64(64) - self._bits)) | (keys(groups, ids) >> self._bits)

    def _resolve_collisions(self, rows: IntArray, wanted: KeyArray, groups: IntArray, ids: IdArray) -> None:
        """Search all rows of a shared key, for the few rows that need it."""
        clash = np.unique(self._keys[1:][self._keys[1:] == self._keys[:-1]])
        for place in np.flatnonzero((rows < 0) & np.isin(wanted, clash)).tolist():
            low, high = (
                np.searchsorted(self._keys, wanted[place], "left"),
                np.searchsorted(self._keys, wanted[place], "right"),
            )
            for row in self._order[low:high].tolist():
                if self._groups[row] == groups[place] and self._ids[row] == ids[place]:
                    rows[place] = row


def codes_of(names: Sequence[str], known: Sequence[str]) -> IntArray:
    """The place of each name among the known ones, or -1.

    >>> codes_of(["b", "x"], ["a", "b"])
    array([ 1, -1])
    """
    place = {name: code for code, name in enumerate(known)}
    return np.array([place.get(name, -1) for name in names], dtype=np.int64)
