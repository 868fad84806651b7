"""The vocabulary of an index while it is built: growing tables of distinct tokens and of their terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.nouns.ids import IntArray
    from kaiwa.retrieval.documents import Terms
    from kaiwa.retrieval.tokenisers import Tokeniser


# Lines of tokens split into tokens, each with a 64-bit key, by compiled passes over bytes.


Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]
SHORT = 7
_SPACE, _TOKEN_KEYS_LINE_END = 32, 10
_ONE, _TOKEN_KEYS_EIGHT = np.uint64(1), np.uint64(8)
_LONG = np.uint64(1 << 63)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio (Knuth 1973): similar keys get distant slots
_MIX = np.uint64(1099511628211)  # the prime of Fowler, Noll and Vo's hash


class TokenBlock(NamedTuple):
    """A block as words of eight bytes, followed by zeros, and its tokens; per text the tokens up to its end."""

    words: Words
    keys: Words
    lengths: Numbers
    ends: Numbers
    text_ends: Numbers


def split_block(block: bytes) -> TokenBlock:
    """The tokens of a block, none of them empty."""
    words = np.empty(words_for(len(block)), dtype=np.uint64)
    words[-2:] = 0
    text = words.view(np.uint8)
    text[: len(block)] = np.frombuffer(block, dtype=np.uint8)
    separators = np.empty(len(block) + 1, dtype=np.int32)
    separators = separators[: find_separators(text, len(block), separators)]
    keys, room = np.empty(len(separators) + 1, dtype=np.uint64), len(separators) + 1
    lengths, ends, text_ends, long = (np.empty(room, dtype=np.int32) for _ in range(4))
    tokens, texts, longer = find_tokens(words, text, separators, keys, lengths, ends, text_ends, long)
    hash_long(words, keys, lengths, ends, long[:longer])
    return TokenBlock(words, keys[:tokens], lengths[:tokens], ends[:tokens], text_ends[:texts])


def words_for(size: int) -> int:
    """The number of words for ``size`` bytes, and for the word after them, which ``word_at`` may read."""
    return size // 8 + 2


@kernel
def word_at(words: Words, at: np.uint64) -> np.uint64:
    """The eight bytes from a position on, the first one lowest."""
    word, shift = at >> np.uint64(3), (at & np.uint64(7)) << np.uint64(3)
    return np.uint64((words[word] >> shift) | ((words[word + _ONE] << _ONE) << (np.uint64(63) - shift)))


@kernel
def find_separators(text: Bytes, size: int, separators: Numbers) -> int:
    """Find the spaces and line ends; their number."""
    count = 0
    for at in range(size):
        separators[count] = at
        count += (text[at] == _SPACE) | (text[at] == _TOKEN_KEYS_LINE_END)
    return count


@kernel
def find_tokens(
    words: Words, text: Bytes, separators: Numbers,
    keys: Words, lengths: Numbers, ends: Numbers, text_ends: Numbers, long: Numbers,
) -> tuple[int, int, int]:  # fmt: skip
    """Find the tokens and the keys of the short ones; the numbers of tokens, texts and long tokens."""
    tokens, texts, longer = 0, 0, 0
    low = np.uint64(0)
    for separator in separators:
        end = np.uint64(separator)
        length = end - low
        mask = (_ONE << ((length & np.uint64(7)) << np.uint64(3))) - _ONE
        keys[tokens] = (word_at(words, low) & mask) | (length << np.uint64(56))
        lengths[tokens], ends[tokens], long[longer] = length, end, tokens
        longer += int(length > SHORT)
        tokens += int(length > 0)
        text_ends[texts] = tokens
        texts += text[end] == _TOKEN_KEYS_LINE_END
        low = end + _ONE
    return tokens, texts, longer


@kernel
def hash_long(words: Words, keys: Words, lengths: Numbers, ends: Numbers, long: Numbers) -> None:
    """Make the keys of the long tokens."""
    for token in long:
        length = np.uint64(lengths[token])
        low = np.uint64(ends[token]) - length
        key = word_at(words, low)
        step = _TOKEN_KEYS_EIGHT
        while step < length:
            key = (key ^ (key >> np.uint64(29))) * _MIX ^ word_at(
                words, min(low + step, low + length - _TOKEN_KEYS_EIGHT)
            )
            step += _TOKEN_KEYS_EIGHT
        keys[token] = ((key ^ (key >> np.uint64(32))) * SPREAD) | _LONG


# Distinct tokens numbered in the order of first occurrence, by compiled passes over blocks of tokens.


Slots = Numbers
Kind = TypeVar("Kind", bound=np.generic)
_FIRST_CAPACITY = 1 << 12
_TOKEN_TABLE_LINE_END = 10
_TOKEN_TABLE_EIGHT = np.uint64(8)


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
    last = length - _TOKEN_TABLE_EIGHT
    step = np.uint64(0)
    while step < last:
        if word_at(text, start + step) != word_at(tokens.words, own + step):
            return False
        step += _TOKEN_TABLE_EIGHT
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
            text[starts[known] + length] = _TOKEN_TABLE_LINE_END
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


NO_TERM = -1


class Vocabulary:
    r"""From blocks of tokens to the numbers of their terms, in the order of first occurrence; other tokens are dropped.

    >>> from kaiwa.retrieval.tokenisers import tokeniser
    >>> words = Vocabulary(tokeniser("en"))
    >>> words.numbers(b"day days ! sun\n\nsun\n"), words.terms()
    ((array([0, 0, 1, 1], dtype=int32), array([3, 0, 1])), ['day', 'sun'])
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        self.tokeniser = tokeniser
        self._tokens, self._terms = empty_table(), empty_table()
        self._term_of = np.zeros(0, dtype=np.int32)  # per distinct token, -1 for one without a term

    def __len__(self) -> int:
        return self._terms.known

    def numbers(self, block: bytes) -> tuple[Terms, IntArray]:
        """The terms of the texts in a block (one text per line, spaces between tokens), and their number per text."""
        known = self._tokens.known
        numbers, text_ends, self._tokens = read_block(block, self._tokens)
        if self._tokens.known > known:
            self._add_terms(tokens_from(self._tokens, known), known)
        counts = keep_terms(numbers, text_ends, self._term_of)
        return numbers[: counts.sum()], counts

    def _add_terms(self, tokens: list[str], first: int) -> None:
        """Find the terms of new tokens, numbered from ``first``; one line for each, empty for one without a term."""
        lines = "\n".join([*map(self.tokeniser.term, tokens), ""]).encode()
        numbers, ends, self._terms = read_block(lines, self._terms)
        has_term = np.diff(ends, prepend=0) > 0
        self._term_of = with_capacity(self._term_of, first + len(tokens))
        self._term_of[first : first + len(tokens)] = NO_TERM
        self._term_of[first + np.flatnonzero(has_term)] = numbers - 1

    def terms(self) -> list[str]:
        """The terms in the order of their numbers."""
        return tokens_from(self._terms, 0)

    def encoded(self) -> tuple[Bytes, IntArray]:
        """The terms as joined bytes, and where each starts, and the end."""
        return joined_tokens(self._terms)

    def lines(self) -> bytes:
        """The terms in the order of their numbers, each followed by a line end."""
        return table_lines(self._terms)


class MergedTerms:
    r"""The terms of several vocabularies, numbered as one vocabulary of all their texts would number them.

    The vocabularies are added in the order of their texts, so that a term keeps the place of its first occurrence.

    >>> merged = MergedTerms()
    >>> merged.add(b"day\nsun\n"), merged.add(b"sea\nday\n"), len(merged)
    (array([0, 1], dtype=int32), array([2, 0], dtype=int32), 3)
    """

    def __init__(self) -> None:
        self._terms = empty_table()

    def __len__(self) -> int:
        return self._terms.known

    def add(self, lines: bytes) -> Terms:
        """The numbers of the terms of one vocabulary, in the order of its own numbers."""
        numbers, _, self._terms = read_block(lines, self._terms)
        return numbers - np.int32(1)

    def encoded(self) -> tuple[Bytes, IntArray]:
        """The terms as joined bytes, and where each starts, and the end."""
        return joined_tokens(self._terms)
