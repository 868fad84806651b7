"""Distinct tokens numbered in the order of first occurrence, by compiled passes over blocks of tokens.

No Python object is made for a token. A token whose key is in the first slot of its hash is known, a long one if its
bytes are equal too; the other tokens, new or in another slot, are pending and are inserted or found one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from kaiwa.retrieve.index.token_keys import (
    SHORT,
    SPREAD,
    Bytes,
    Numbers,
    TokenBlock,
    Words,
    split_block,
    word_at,
    words_for,
)
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray

Slots = Numbers
Kind = TypeVar("Kind", bound=np.generic)
_FIRST_CAPACITY = 1 << 12
_LINE_END = 10
_EIGHT = np.uint64(8)


class TokenTable(NamedTuple):
    """The distinct tokens so far, in a hash table of which at most half of the slots are used."""

    slots: Slots  # number plus one, 0 if empty
    keys: Words  # per number plus one; 0 for none
    starts: IntArray  # per token, in ``text``; and where the next one will start
    text: Words  # the tokens, each followed by a line end, eight bytes to a word
    known: int


def empty_table() -> TokenTable:
    """A table without tokens."""
    slots, keys = np.zeros(2 * _FIRST_CAPACITY, dtype=np.int32), np.zeros(_FIRST_CAPACITY + 1, dtype=np.uint64)
    text = np.zeros(words_for(_FIRST_CAPACITY), dtype=np.uint64)
    return TokenTable(slots, keys, np.zeros(_FIRST_CAPACITY + 1, dtype=np.int64), text, 0)


def read_block(block: bytes, table: TokenTable) -> tuple[Numbers, Numbers, TokenTable]:
    """Per token its number plus one, per text the number of tokens up to its end, and the table with the new tokens."""
    tokens = split_block(block)
    numbers = np.empty(len(tokens.keys), dtype=np.int32)
    pending = np.empty(len(tokens.keys) + 1, dtype=np.int32)
    pending = pending[: look_up(tokens, table.slots, table.keys, numbers, pending)]
    pending = pending[: compare_long(tokens, table.starts, table.text, numbers, pending)]
    table = table._replace(text=with_capacity(table.text, words_for(int(table.starts[table.known]) + len(block) + 1)))
    done = 0
    while True:
        done, known = insert_pending(tokens, table, table.text.view(np.uint8), numbers, pending, done)
        table = table._replace(known=known)
        if done == len(pending):
            return numbers, tokens.text_ends, table
        table = _with_twice_the_slots(table)


def tokens_from(table: TokenTable, first: int) -> list[str]:
    """The tokens from a number on."""
    low, high = table.starts[[first, table.known]]
    return str(table.text.view(np.uint8)[low:high].data, "utf-8").split("\n")[:-1]


def table_lines(table: TokenTable) -> bytes:
    """The tokens, each followed by a line end."""
    return table.text.view(np.uint8)[: table.starts[table.known]].tobytes()


def joined_tokens(table: TokenTable) -> tuple[Bytes, IntArray]:
    """The tokens as joined bytes, and where each starts; and the end."""
    starts = table.starts[: table.known + 1]
    text = table.text.view(np.uint8)[: starts[-1]]
    without_line_ends = np.delete(text, starts[1:] - 1)
    return without_line_ends, starts - np.arange(len(starts))


def _with_twice_the_slots(table: TokenTable) -> TokenTable:
    slots, capacity = np.zeros(2 * len(table.slots), dtype=np.int32), len(table.slots) + 1
    insert_keys(table.keys, table.known, slots)
    return table._replace(
        slots=slots, keys=with_capacity(table.keys, capacity), starts=with_capacity(table.starts, capacity)
    )


def with_capacity(values: NDArray[Kind], capacity: int) -> NDArray[Kind]:
    """The values followed by zeros, at least ``capacity`` in total."""
    if capacity <= len(values):
        return values
    larger = np.zeros(max(capacity, 2 * len(values) - 1), dtype=values.dtype)
    larger[: len(values)] = values
    return larger


@kernel
def look_up(tokens: TokenBlock, slots: Slots, keys: Words, numbers: Numbers, pending: Numbers) -> int:
    """Number the tokens whose key is in the first slot of its hash; count the pending ones: long, or not found."""
    mask = np.uint64(len(slots) - 1)
    count = 0
    for token in range(len(tokens.keys)):
        key = tokens.keys[token]
        entry = slots[((key * SPREAD) >> np.uint64(32)) & mask]
        same = keys[entry] == key
        numbers[token] = entry if same else 0
        pending[count] = token
        count += (not same) | (tokens.lengths[token] > SHORT)
    return count


@kernel
def compare_long(tokens: TokenBlock, starts: IntArray, text: Words, numbers: Numbers, pending: Numbers) -> int:
    """Remove pending long tokens that have the same bytes as the token found; the number of those that stay."""
    count = 0
    for place in range(len(pending)):
        token = pending[place]
        pending[count] = token
        count += numbers[token] == 0 or not is_same(tokens, token, starts, text, numbers[token])
    return count


@kernel
def is_same(tokens: TokenBlock, token: int, starts: IntArray, text: Words, entry: int) -> bool:
    """Whether a long token has the bytes of the known token with the number ``entry`` - 1."""
    length = np.uint64(tokens.lengths[token])
    own, start = np.uint64(tokens.ends[token]) - length, np.uint64(starts[entry - 1])
    if np.uint64(starts[entry]) - start != length + np.uint64(1):
        return False
    last = length - _EIGHT
    step = np.uint64(0)
    while step < last:
        if word_at(text, start + step) != word_at(tokens.words, own + step):
            return False
        step += _EIGHT
    return bool(word_at(text, start + last) == word_at(tokens.words, own + last))


@kernel
def insert_pending(
    tokens: TokenBlock, table: TokenTable, text: Bytes, numbers: Numbers, pending: Numbers, done: int
) -> tuple[int, int]:
    """Number the pending tokens until the table is half full; the number done, and the number of known tokens."""
    slots, keys, starts, known = table.slots, table.keys, table.starts, table.known
    mask = np.uint64(len(slots) - 1)
    block = tokens.words.view(np.uint8)
    for place in range(done, len(pending)):
        token = pending[place]
        key, length, end = tokens.keys[token], tokens.lengths[token], tokens.ends[token]
        slot = ((key * SPREAD) >> np.uint64(32)) & mask
        while slots[slot] != 0:
            same = keys[slots[slot]] == key
            if same and (length <= SHORT or is_same(tokens, token, starts, table.text, slots[slot])):
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
    return len(pending), known


@kernel
def insert_keys(keys: Words, known: int, slots: Slots) -> None:
    """Give every key the first free slot from its hash on."""
    mask = np.uint64(len(slots) - 1)
    for entry in range(1, known + 1):
        slot = ((keys[entry] * SPREAD) >> np.uint64(32)) & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = entry


@kernel
def keep_terms(numbers: Numbers, text_ends: Numbers, term_of: Numbers) -> IntArray:
    """Replace tokens, numbered from 1, by their terms in place, without those that are -1; their number per text."""
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
