"""Distinct tokens numbered in the order they are first seen, by compiled passes over blocks of tokens.

No Python object is made for a token. A token whose key stands in the first slot looked at is known, a long one if its
bytes are the same too; what is left, new surfaces and those that stand in another slot, is settled one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from kaiwa.retrieve.index.token_keys import SHORT, SPREAD, Bytes, Cut, Numbers, Words, cut_block, word_at, words_for
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray

Slots = Numbers
Kind = TypeVar("Kind", bound=np.generic)
_FIRST_ROOM = 1 << 12
_LINE_END = 10
_EIGHT = np.uint64(8)


class Table(NamedTuple):
    """The surfaces known so far; at most half of the slots are taken."""

    slots: Slots  # number plus one, 0 where it is empty
    keys: Words  # per number plus one; 0 for none
    starts: IntArray  # per surface, in ``text``; and where the next one will start
    text: Words  # surfaces, each followed by a line end, eight bytes to a word
    known: int


def empty_table() -> Table:
    """Room for the first surfaces."""
    slots, keys = np.zeros(2 * _FIRST_ROOM, dtype=np.int32), np.zeros(_FIRST_ROOM + 1, dtype=np.uint64)
    text = np.zeros(words_for(_FIRST_ROOM), dtype=np.uint64)
    return Table(slots, keys, np.zeros(_FIRST_ROOM + 1, dtype=np.int64), text, 0)


def read_block(block: bytes, table: Table) -> tuple[Numbers, Numbers, Table]:
    """Per token the number of its surface plus one, per text the tokens up to its end, the table with what is new."""
    cut = cut_block(block)
    numbers = np.empty(len(cut.keys), dtype=np.int32)
    left = np.empty(len(cut.keys) + 1, dtype=np.int32)
    left = left[: look_up(cut, table.slots, table.keys, numbers, left)]
    left = left[: compare_long(cut, table.starts, table.text, numbers, left)]
    table = table._replace(text=with_room(table.text, words_for(int(table.starts[table.known]) + len(block) + 1)))
    done = 0
    while True:
        done, known = settle(cut, table, table.text.view(np.uint8), numbers, left, done)
        table = table._replace(known=known)
        if done == len(left):
            return numbers, cut.text_ends, table
        table = _doubled(table)


def surfaces_from(table: Table, first: int) -> list[str]:
    """The surfaces from a number on."""
    low, high = table.starts[[first, table.known]]
    return str(table.text.view(np.uint8)[low:high].data, "utf-8").split("\n")[:-1]


def run_of(table: Table) -> tuple[Bytes, IntArray]:
    """The surfaces as one run of bytes, and where each starts; and the end."""
    starts = table.starts[: table.known + 1]
    text = table.text.view(np.uint8)[: starts[-1]]
    ends_left_out = np.delete(text, starts[1:] - 1)
    return ends_left_out, starts - np.arange(len(starts))


def _doubled(table: Table) -> Table:
    slots, room = np.zeros(2 * len(table.slots), dtype=np.int32), len(table.slots) + 1
    put_keys(table.keys, table.known, slots)
    return table._replace(slots=slots, keys=with_room(table.keys, room), starts=with_room(table.starts, room))


def with_room(values: NDArray[Kind], room: int) -> NDArray[Kind]:
    """The values with zeros behind them, at least ``room`` in all."""
    if room <= len(values):
        return values
    larger = np.zeros(max(room, 2 * len(values) - 1), dtype=values.dtype)
    larger[: len(values)] = values
    return larger


@kernel
def look_up(cut: Cut, slots: Slots, keys: Words, numbers: Numbers, left: Numbers) -> int:
    """Number the tokens whose key stands in the first slot looked at; how many are long, or left at 0."""
    mask = np.uint64(len(slots) - 1)
    count = 0
    for token in range(len(cut.keys)):
        key = cut.keys[token]
        after = slots[((key * SPREAD) >> np.uint64(32)) & mask]
        same = keys[after] == key
        numbers[token] = after if same else 0
        left[count] = token
        count += (not same) | (cut.lengths[token] > SHORT)
    return count


@kernel
def compare_long(cut: Cut, starts: IntArray, text: Words, numbers: Numbers, left: Numbers) -> int:
    """Take the long tokens whose bytes are those of the surface found off what is left; how many stay."""
    count = 0
    for place in range(len(left)):
        token = left[place]
        left[count] = token
        count += numbers[token] == 0 or not is_same(cut, token, starts, text, numbers[token])
    return count


@kernel
def is_same(cut: Cut, token: int, starts: IntArray, text: Words, after: int) -> bool:
    """Whether a long token has the bytes of the surface before number ``after``."""
    length = np.uint64(cut.lengths[token])
    own, start = np.uint64(cut.ends[token]) - length, np.uint64(starts[after - 1])
    if np.uint64(starts[after]) - start != length + np.uint64(1):
        return False
    last = length - _EIGHT
    step = np.uint64(0)
    while step < last:
        if word_at(text, start + step) != word_at(cut.words, own + step):
            return False
        step += _EIGHT
    return bool(word_at(text, start + last) == word_at(cut.words, own + last))


@kernel
def settle(cut: Cut, table: Table, text: Bytes, numbers: Numbers, left: Numbers, done: int) -> tuple[int, int]:
    """Number what is left, until the table is half full; how many are done, and surfaces known."""
    slots, keys, starts, known = table.slots, table.keys, table.starts, table.known
    mask = np.uint64(len(slots) - 1)
    block = cut.words.view(np.uint8)
    for place in range(done, len(left)):
        token = left[place]
        key, length, end = cut.keys[token], cut.lengths[token], cut.ends[token]
        slot = ((key * SPREAD) >> np.uint64(32)) & mask
        while slots[slot] != 0:
            same = keys[slots[slot]] == key
            if same and (length <= SHORT or is_same(cut, token, starts, table.text, slots[slot])):
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == 0:
            if 2 * known == len(slots):
                return place, known
            for step in range(length):
                text[starts[known] + step] = block[end - length + step]
            text[starts[known] + length] = _LINE_END
            known += 1
            starts[known] = starts[known - 1] + length + 1
            slots[slot], keys[known] = known, key
        numbers[token] = slots[slot]
    return len(left), known


@kernel
def put_keys(keys: Words, known: int, slots: Slots) -> None:
    """Give every key the first free slot from its hash on."""
    mask = np.uint64(len(slots) - 1)
    for after in range(1, known + 1):
        slot = ((keys[after] * SPREAD) >> np.uint64(32)) & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = after


@kernel
def keep_terms(numbers: Numbers, text_ends: Numbers, term_of: Numbers) -> IntArray:
    """Turn surfaces, numbered from 1, into terms in place, those that are -1 left out; how many each text has."""
    counts = np.zeros(len(text_ends), dtype=np.int64)
    kept = 0
    at = 0
    for text in range(len(text_ends)):
        before = kept
        while at < text_ends[text]:
            term = term_of[numbers[at] - 1]
            numbers[kept] = term
            kept += term >= 0
            at += 1
        counts[text] = kept - before
    return counts
