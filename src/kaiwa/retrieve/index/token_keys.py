"""Lines of tokens split into tokens, each with a 64-bit key, by compiled passes over bytes.

A block is UTF-8 text: tokens separated by spaces, one text per line, each with a line end. A token of up to seven
bytes is, with its length, its own key; the key of a longer one is a hash. The passes are separate, and without
branches where possible, so that the processor works on many tokens at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]
SHORT = 7
_SPACE, _LINE_END = 32, 10
_ONE, _EIGHT = np.uint64(1), np.uint64(8)
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
        count += (text[at] == _SPACE) | (text[at] == _LINE_END)
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
        texts += text[end] == _LINE_END
        low = end + _ONE
    return tokens, texts, longer


@kernel
def hash_long(words: Words, keys: Words, lengths: Numbers, ends: Numbers, long: Numbers) -> None:
    """Make the keys of the long tokens."""
    for token in long:
        length = np.uint64(lengths[token])
        low = np.uint64(ends[token]) - length
        key = word_at(words, low)
        step = _EIGHT
        while step < length:
            key = (key ^ (key >> np.uint64(29))) * _MIX ^ word_at(words, min(low + step, low + length - _EIGHT))
            step += _EIGHT
        keys[token] = ((key ^ (key >> np.uint64(32))) * SPREAD) | _LONG
