"""The characters of texts as arrays of code points, read from their bytes: lengths, marks and bigrams of many texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.ranking.texts import TokenLists
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Tokens


QUESTION = ord("?")
_SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)  # odd; its products spread neighbouring keys (Knuth 1973)


class Slots(NamedTuple):
    """A table of keys by slot: the last text that had the key, and whether the query has it."""

    keys: IntArray
    texts: IntArray
    is_asked: NDArray[np.bool_]


def characters(starts: IntArray, data: NDArray[np.uint8]) -> TokenLists:
    """The code points of texts in UTF-8, without blanks; ASCII letters in lower case, full width as half width.

    >>> data = np.frombuffer("Ａ b？".encode(), dtype=np.uint8)
    >>> "".join(map(chr, characters(np.array([0, len(data)]), data).tokens.tolist()))
    'ab?'
    """
    points = np.empty(len(data), dtype=np.int32)
    ends = decode(starts, data, points)
    return TokenLists(ends, points[: ends[-1]])


def text_characters(text: str) -> TokenLists:
    """The characters of one text."""
    data = np.frombuffer(text.encode(errors="replace"), dtype=np.uint8)
    return characters(np.array([0, len(data)]), data)


@kernel
def decode(starts: IntArray, data: NDArray[np.uint8], points: Tokens) -> IntArray:
    """Write the code points of all texts one after another; where those of each text start."""
    ends = np.zeros(len(starts), dtype=np.int64)
    made = 0
    for text in range(len(starts) - 1):
        at = starts[text]
        while at < starts[text + 1]:
            first = np.int32(data[at])
            more = 0 if first < 0x80 else 1 if first < 0xE0 else 2 if first < 0xF0 else 3
            point = first if more == 0 else first & (0x3F >> more)
            for step in range(1, more + 1):
                if at + step < starts[text + 1]:
                    point = (point << 6) | (np.int32(data[at + step]) & 0x3F)
            at += more + 1
            if 0xFF01 <= point <= 0xFF5E:
                point -= 0xFEE0
            if 0x41 <= point <= 0x5A:
                point += 0x20
            if point > 0x20 and point != 0x7F and point != 0xA0 and point != 0x3000:  # noqa: PLR1714  a set is slow
                points[made] = point
                made += 1
        ends[text + 1] = made
    return ends


@kernel
def is_mark(point: int) -> bool:
    """Whether a character is a punctuation mark or a symbol of ASCII, or a mark of Chinese and Japanese."""
    if point < 0x80:
        return not (0x30 <= point <= 0x39 or 0x61 <= point <= 0x7A)
    return 0x2010 <= point <= 0x205E or 0x3001 <= point <= 0x3003 or 0x3008 <= point <= 0x3020 or point == 0x30FB


@kernel
def letter_counts(starts: IntArray, points: Tokens) -> FloatArray:
    """The number of characters of each text that are not marks."""
    counts = np.zeros(len(starts) - 1)
    for text in range(len(counts)):
        for at in range(starts[text], starts[text + 1]):
            if not is_mark(points[at]):
                counts[text] += 1.0
    return counts


@kernel
def contains(starts: IntArray, points: Tokens, wanted: int) -> FloatArray:
    """1 for each text with a character, else 0."""
    found = np.zeros(len(starts) - 1)
    for text in range(len(found)):
        for at in range(starts[text], starts[text + 1]):
            if points[at] == wanted:
                found[text] = 1.0
    return found


@kernel
def distinct(values: IntArray) -> IntArray:
    """The distinct values, in ascending order; the values are sorted in place."""
    values.sort()
    made = 0
    for at in range(len(values)):
        if at == 0 or values[at] != values[at - 1]:
            values[made] = values[at]
            made += 1
    return values[:made]


@kernel
def marks(points: Tokens) -> IntArray:
    """The distinct marks of one text."""
    found = np.empty(len(points), dtype=np.int64)
    made = 0
    for point in points:
        if is_mark(point):
            found[made] = point
            made += 1
    return distinct(found[:made])


@kernel
def letter_bigrams(points: Tokens) -> IntArray:
    """The distinct pairs of neighbouring letters of one text, as numbers; a single letter is kept."""
    found = np.empty(len(points), dtype=np.int64)
    made, before = 0, np.int64(-1)
    for point in points:
        if is_mark(point):
            continue
        if before >= 0:
            found[made] = (before << 21) | point
            made += 1
        before = np.int64(point)
    if made == 0 and before >= 0:
        found[0] = before
        made = 1
    return distinct(found[:made])


@kernel
def slot_of(key: int, text: int, table: Slots) -> int:
    """The slot of a key, or the free slot where it belongs. That of an earlier text is free."""
    last = len(table.keys) - 1
    slot = ((key * _SPREAD) >> 20) & last
    while table.keys[slot] != key and (table.is_asked[slot] or table.texts[slot] == text):
        slot = (slot + 1) & last
    return slot


@kernel
def meets(key: int, text: int, table: Slots) -> tuple[int, int]:
    """1 if the text has not had this key before, else 0; and 1 if it is also a key of the query, else 0."""
    slot = slot_of(key, text, table)
    if table.texts[slot] == text and table.keys[slot] == key:
        return 0, 0
    table.keys[slot], table.texts[slot] = key, text
    return 1, 1 if table.is_asked[slot] else 0


@kernel
def count_bigrams(points: Tokens, text: int, table: Slots) -> tuple[int, int]:
    """The number of a text's distinct letter bigrams, and of those that the query has too; see ``letter_bigrams``."""
    different, shared, before, first = 0, 0, np.int64(-1), True
    for point in points:
        if is_mark(point):
            continue
        if before >= 0:
            new, known = meets((before << 21) | point, text, table)
            different, shared, first = different + new, shared + known, False
        before = np.int64(point)
    return meets(int(before), text, table) if first and before >= 0 else (different, shared)


@kernel
def bigram_overlaps(starts: IntArray, points: Tokens, query: Tokens) -> FloatArray:
    """Jaccard's coefficient of the query's and each text's letter bigrams; 0 if both are empty.

    The bigrams of the query and of one text are in a table of slots, so that no text's bigrams are sorted.
    """
    own, found = letter_bigrams(query), np.zeros(len(starts) - 1)
    size, longest = 16, 0
    for text in range(len(found)):
        longest = max(longest, starts[text + 1] - starts[text])
    while size < 2 * (len(own) + longest):
        size *= 2
    table = Slots(np.full(size, -1), np.full(size, -1), np.zeros(size, dtype=np.bool_))
    for key in own:
        slot = slot_of(key, -2, table)
        table.keys[slot], table.is_asked[slot] = key, True
    for text in range(len(found)):
        different, shared = count_bigrams(points[starts[text] : starts[text + 1]], text, table)
        union = len(own) + different - shared
        found[text] = shared / union if union else 0.0
    return found


@kernel
def mark_number(point: int) -> int:
    """A small number for a mark, different for different marks."""
    if point < 0x80:
        return point
    return 0x80 + point - 0x2010 if point < 0x2060 else 0xD0 + min(point - 0x3000, 0x21)


@kernel
def mark_overlaps(starts: IntArray, points: Tokens, query: Tokens) -> FloatArray:
    """Jaccard's coefficient of the query's and each text's marks; 1 if neither has any."""
    own, last_text = np.zeros(256, dtype=np.bool_), np.full(256, -1)
    for mark in marks(query):
        own[mark_number(mark)] = True
    asked, found = own.sum(), np.zeros(len(starts) - 1)
    for text in range(len(found)):
        different, shared = 0, 0
        for at in range(starts[text], starts[text + 1]):
            if is_mark(points[at]):
                number = mark_number(points[at])
                if last_text[number] != text:
                    last_text[number] = text
                    different += 1
                    shared += own[number]
        union = asked + different - shared
        found[text] = shared / union if union else 1.0
    return found
