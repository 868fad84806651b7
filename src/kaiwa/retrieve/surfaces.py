"""Distinct surfaces numbered in the order they are met, by one compiled pass over lines of tokens.

A block is UTF-8 text: tokens with spaces between them, one text a line, the last line ended too. No Python
object is made for a token. A surface of up to seven bytes is, with its length, its own key, so most are known by one
comparison of integers; a longer one has a hash for a key, and its bytes are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kaiwa.retrieve.kernel import kernel

if TYPE_CHECKING:
    from kaiwa.model import IntArray

Bytes = NDArray[np.uint8]
Keys = NDArray[np.uint64]
Numbers = NDArray[np.int32]
Kind = TypeVar("Kind", bound=np.generic)
_SPACE, _LINE_END = 32, 10
_FIRST_ROOM = 1 << 12
_FRONT = 13
_SHORT = 7
_LONG = np.uint64(1 << 63)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio (Knuth 1973): neighbours land far apart
_MIX = np.uint64(1099511628211)  # the prime of Fowler, Noll and Vo's hash


class Table(NamedTuple):
    """The surfaces known so far; at most half of the slots are taken."""

    slots: Keys  # slots x (key, number plus one; 0 where it is empty)
    front: Keys  # the same for short surfaces met early, the frequent ones: small enough for the processor's cache
    starts: IntArray  # per surface, in ``text``; and where the next one will start
    text: Bytes  # surfaces, each followed by a line end


class Cut(NamedTuple):
    """The tokens of a block: their keys, how long they are, where they end; and per text the tokens up to its end."""

    keys: Keys
    lengths: Numbers
    ends: Numbers
    text_ends: Numbers


def empty_table() -> Table:
    """Room for the first surfaces."""
    starts, text = np.zeros(_FIRST_ROOM + 1, dtype=np.int64), np.zeros(_FIRST_ROOM, dtype=np.uint8)
    slots, front = np.zeros((2 * _FIRST_ROOM, 2), dtype=np.uint64), np.zeros((1 << _FRONT, 2), dtype=np.uint64)
    return Table(slots, front, starts, text)


def read_block(block: Bytes, table: Table, known: int) -> tuple[Numbers, Numbers, Table]:
    """Per token the number of its surface, per text the tokens up to its end, and the table with what is new."""
    room = len(block) // 2 + 1
    texts = int(np.count_nonzero(block == _LINE_END))
    cut = Cut(np.empty(room, dtype=np.uint64), *(np.empty(size, dtype=np.int32) for size in (room, room, texts)))
    tokens = cut_block(block, cut)
    table = table._replace(text=with_room(table.text, int(table.starts[known]) + len(block) + 1))
    numbers = np.empty(tokens, dtype=np.int32)
    done = 0
    while True:
        done, known = number_some(block, cut, table, numbers, done, known)
        if done == tokens:
            return numbers, cut.text_ends, table
        table = _doubled(table)


def _doubled(table: Table) -> Table:
    slots = np.zeros((2 * len(table.slots), 2), dtype=np.uint64)
    put_back(table.slots, slots)
    return Table(slots, table.front, with_room(table.starts, len(table.slots) + 1), table.text)


def with_room(values: NDArray[Kind], room: int) -> NDArray[Kind]:
    """The values with zeros behind them, at least ``room`` in all."""
    if room <= len(values):
        return values
    larger = np.zeros(max(room, 2 * len(values) - 1), dtype=values.dtype)
    larger[: len(values)] = values
    return larger


@kernel
def cut_block(block: Bytes, cut: Cut) -> int:
    """Find the tokens between spaces and line ends; how many there are."""
    low, tokens, texts = 0, 0, 0
    key = np.uint64(0)
    for at in range(len(block)):
        byte = block[at]
        if byte != _SPACE and byte != _LINE_END:  # noqa: PLR1714  compiled code compares bytes
            if at - low < _SHORT:
                key |= np.uint64(byte) << np.uint64(8 * (at - low))
            else:
                key = (key ^ np.uint64(byte)) * _MIX
            continue
        length = at - low
        key |= _LONG if length > _SHORT else np.uint64(length) << np.uint64(56)
        cut.keys[tokens], cut.lengths[tokens], cut.ends[tokens] = key, length, at
        tokens += length > 0
        if byte == _LINE_END:
            cut.text_ends[texts] = tokens
            texts += 1
        low, key = at + 1, np.uint64(0)
    return tokens


@kernel
def number_some(block: Bytes, cut: Cut, table: Table, numbers: Numbers, done: int, known: int) -> tuple[int, int]:
    """Number the tokens that follow, until the table is half full; how many are done, and surfaces known."""
    slots, front, starts, text = table.slots, table.front, table.starts, table.text
    mask = np.uint64(len(slots) - 1)
    for token in range(done, len(numbers)):
        key, length, end = cut.keys[token], cut.lengths[token], cut.ends[token]
        near = (key * _SPREAD) >> np.uint64(64 - _FRONT)
        if front[near, 0] == key and length <= _SHORT:
            numbers[token] = np.int64(front[near, 1]) - 1
            continue
        slot = ((key * _SPREAD) >> np.uint64(32)) & mask
        while slots[slot, 1] != 0:
            if slots[slot, 0] == key and (
                length <= _SHORT or is_same(text, starts, int(slots[slot, 1]), block, end, length)
            ):
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot, 1] == 0:
            if 2 * known == len(slots):
                return token, known
            for step in range(length):
                text[starts[known] + step] = block[end - length + step]
            text[starts[known] + length] = _LINE_END
            known += 1
            starts[known] = starts[known - 1] + length + 1
            slots[slot, 0], slots[slot, 1] = key, known
            if front[near, 1] == 0 and length <= _SHORT:
                front[near, 0], front[near, 1] = key, known
        numbers[token] = np.int64(slots[slot, 1]) - 1
    return len(numbers), known


@kernel
def is_same(text: Bytes, starts: IntArray, after: int, block: Bytes, end: int, length: int) -> bool:
    """Whether the surface before number ``after`` has the bytes of the token that ends at ``end``."""
    start = starts[after - 1]
    if starts[after] - start != length + 1:
        return False
    for step in range(length):  # noqa: SIM110  compiled code has no generators
        if text[start + step] != block[end - length + step]:
            return False
    return True


@kernel
def put_back(old: Keys, new: Keys) -> None:
    """Fill new slots with the surfaces of the old ones."""
    mask = np.uint64(len(new) - 1)
    for place in range(len(old)):
        if old[place, 1] != 0:
            slot = ((old[place, 0] * _SPREAD) >> np.uint64(32)) & mask
            while new[slot, 1] != 0:
                slot = (slot + np.uint64(1)) & mask
            new[slot, 0], new[slot, 1] = old[place, 0], old[place, 1]


@kernel
def keep_terms(numbers: Numbers, text_ends: Numbers, term_of: Numbers) -> IntArray:
    """Turn surfaces into terms in place, those that are -1 left out; how many each text has."""
    counts = np.zeros(len(text_ends), dtype=np.int64)
    kept = 0
    at = 0
    for text in range(len(text_ends)):
        before = kept
        while at < text_ends[text]:
            numbers[kept] = term_of[numbers[at]]
            kept += numbers[kept] >= 0
            at += 1
        counts[text] = kept - before
    return counts


@kernel
def find_term(text: Bytes, starts: IntArray, order: IntArray, wanted: Bytes) -> int:
    """The number of the term with these bytes, ``order`` naming the terms in byte order; -1 when there is none."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) >> 1
        at, end = starts[order[middle]], starts[order[middle] + 1]
        step = 0
        while step < len(wanted) and at + step < end and text[at + step] == wanted[step]:
            step += 1
        if step == len(wanted) and at + step == end:
            return int(order[middle])
        if step < len(wanted) and (at + step == end or text[at + step] < wanted[step]):
            low = middle + 1
        else:
            high = middle
    return -1
