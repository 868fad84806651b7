"""Ids as packed UTF-8 byte arrays, and exact lookup of millions of them.

A column of ids is a numpy ``S`` array: no Python object per id, so a run of ten million lines
takes only its bytes. Lookup uses a 64-bit key per row and then compares the bytes,
so a collision of keys costs time but never gives a wrong match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


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


# Rows of ids grouped by topic: what a run and a set of gains have in common.


@dataclass(frozen=True)
class Grouping:
    """How rows are grouped into topics: the topics in order of appearance, where each starts, and the row order."""

    topics: tuple[str, ...]
    starts: IntArray
    order: IntArray | None  # None if the rows are already in topic order


def group_by_topic(topic_per_row: IdArray) -> Grouping:
    """The rows grouped by topic; topics in order of first appearance, rows of a topic in their own order.

    >>> group_by_topic(np.array([b"2", b"2", b"1"])).topics
    ('2', '1')
    """
    if not len(topic_per_row):
        return Grouping((), np.zeros(1, dtype=np.int64), None)
    breaks = np.flatnonzero(topic_per_row[1:] != topic_per_row[:-1]) + 1
    starts = np.concatenate(([0], breaks, [len(topic_per_row)])).astype(np.int64)
    names = unpack(topic_per_row[starts[:-1]])
    if len(set(names)) == len(names):
        return Grouping(tuple(names), starts, None)
    topics = tuple(dict.fromkeys(names))
    place = {name: code for code, name in enumerate(topics)}
    code_per_row = np.repeat(np.array([place[name] for name in names]), np.diff(starts))
    order = np.argsort(code_per_row, kind="stable")
    sizes = np.bincount(code_per_row, minlength=len(topics))
    return Grouping(topics, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), order)


@dataclass(frozen=True, eq=False)
class TopicLists:
    """Ids in rows, topic after topic: ``comments[starts[t]:starts[t + 1]]`` belong to ``topics[t]``."""

    topics: tuple[str, ...]
    starts: IntArray
    comments: IdArray

    def __post_init__(self) -> None:
        self._check_shape()
        if repeat := repeated_row(self.codes(), self.comments):
            first, second = repeat
            topic = self.topics[int(np.searchsorted(self.starts, second, side="right")) - 1]
            raise InputError(
                f"topic {topic!r}: duplicate comment {self.comments[second].decode()!r} "
                f"(rows {first + 1} and {second + 1}); keep one"
            )

    def _check_shape(self) -> None:
        if len(set(self.topics)) != len(self.topics):
            duplicate = next(name for place, name in enumerate(self.topics) if name in self.topics[:place])
            raise InputError(f"duplicate topic {duplicate!r}; give each topic once")
        bounds_fit = len(self.starts) == len(self.topics) + 1 and self.starts[0] == 0
        if not bounds_fit or self.starts[-1] != len(self.comments) or (np.diff(self.starts) < 0).any():
            raise InputError("starts do not divide the rows into topics; use the from_… constructors")

    def __len__(self) -> int:
        return len(self.comments)

    def codes(self) -> IntArray:
        """The topic number of each row.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {"c9": 1.0}}).codes()
        array([0, 1])
        """
        return np.repeat(np.arange(len(self.topics), dtype=np.int64), np.diff(self.starts))

    def topic_per_row(self) -> list[str]:
        """The topic of each row, by name.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {"c9": 1.0}}).topic_per_row()
        ['q1', 'q2']
        """
        return [self.topics[code] for code in self.codes().tolist()]

    def span(self, topic: str) -> slice:
        """The rows of one topic; empty if the topic is missing.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {"c9": 1.0}}).span("q2")
        slice(1, 2, None)
        """
        if topic not in self.topics:
            return slice(0, 0)
        place = self.topics.index(topic)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def comments_of(self, topic: str) -> list[str]:
        """The ids of one topic, in their order.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0, "c4": 1.0}}).comments_of("q1")
        ['c9', 'c4']
        """
        return unpack(self.comments[self.span(topic)])


def starts_of(sizes: Sequence[int]) -> IntArray:
    """Where each list starts, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(np.array(sizes, dtype=np.int64)))).astype(np.int64)


def first_rows(keys: NDArray[np.uint64]) -> IntArray:
    """Per row, the first row with the same key.

    >>> first_rows(np.array([7, 9, 7, 9, 5], dtype=np.uint64))
    array([0, 1, 0, 1, 4])
    """
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    first_of_key = order[np.flatnonzero(new)]
    firsts = np.empty(len(keys), dtype=np.int64)
    firsts[order] = first_of_key[np.cumsum(new) - 1]
    return firsts


def id_text(kind: str, name: object, place: object = None) -> str:
    """An id as text: whole numbers are names too.

    >>> id_text("topic", 301), id_text("topic", "q1")
    ('301', 'q1')
    >>> id_text("topic", None, "row 2")
    Traceback (most recent call last):
    kaiwa.errors.InputError: row 2: topic None is not a name; give text or a whole number
    """
    if isinstance(name, str) and name:
        return str(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return str(int(name))
    what, fix = f"{kind} {name!r} is not a name", "give text or a whole number"
    raise InputError(f"{what}; {fix}") if place is None else InputError.at(place, what, fix)


def by_topic(noun: str, value: str, given: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """``{topic: {comment: number}}`` with ids as text; anything else is an error.

    >>> by_topic("qrels", "grade", {301: {"a": 1}})
    {'301': {'a': 1}}
    >>> by_topic("qrels", "grade", {"q1": {"a": "x"}})
    Traceback (most recent call last):
    kaiwa.errors.InputError: topic 'q1', comment 'a': the grade 'x' is not a number; give a number
    """
    found: dict[str, dict[str, float]] = {}
    for topic, own in _items(noun, value, given):
        name = id_text("topic", topic)
        if name in found:
            raise InputError(f"duplicate topic {name!r}; give each topic once")
        if isinstance(own, dict) and {*map(type, own)} <= {str} and {*map(type, own.values())} <= {float, int}:
            found[name] = own  # the usual case: no row needs a look
            if "" not in own:
                continue
        rows = found[name] = dict[str, float]()
        for comment, number in _items(noun, value, own):
            text = id_text("comment", comment, f"topic {name!r}")
            if text in rows:
                raise InputError.at(f"topic {name!r}", f"duplicate comment {text!r}", "give each comment once")
            if isinstance(number, bool) or not isinstance(number, Real):
                where = f"topic {name!r}, comment {text!r}"
                raise InputError.at(where, f"the {value} {number!r} is not a number", "give a number")
            rows[text] = float(number)
    return found


def _items(noun: str, value: str, given: object) -> Iterable[tuple[object, object]]:
    if isinstance(given, Mapping):
        return given.items()
    raise InputError(f"{type(given).__name__} is not {noun}; give {{topic: {{comment: {value}}}}}")
