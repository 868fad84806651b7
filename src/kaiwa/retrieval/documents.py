"""Documents as one array of integers: a document's number, the number of its terms, its terms; then the next document.

Each part holds the documents of one range of numbers, in any order, so that a part can be inverted alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.nouns.ids import IntArray
    from kaiwa.retrieval.vocabulary import Bytes

    Check = Callable[[str, int, int], None]  # array, first and last position: an error if it is damaged
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


Terms = NDArray[np.int32]
Part = NDArray[np.int32]
HEADER = 2  # numbers before a document's terms
_DOCUMENT, _FREQUENCY, _DOCUMENTS = range(3)  # columns of the counts of each term


def partitioned(terms: Terms, lengths: IntArray, numbers: IntArray, each: int) -> tuple[Part, IntArray]:
    """Documents in parts, one part for every ``each`` numbers; and where each part starts.

    >>> partitioned(np.array([7, 8, 9], dtype=np.int32), np.array([2, 1]), np.array([5, 0]), 4)
    (array([0, 1, 9, 5, 2, 7, 8], dtype=int32), array([0, 3, 7]))
    """
    parts = np.empty(len(terms) + HEADER * len(lengths), dtype=np.int32)
    starts = np.zeros(int(numbers.max(initial=-1)) // each + 2, dtype=np.int64)
    partition(terms, lengths, numbers, each, parts, starts)
    return parts, starts


@kernel
def partition(terms: Terms, lengths: IntArray, numbers: IntArray, each: int, parts: Part, starts: IntArray) -> None:
    """Fill the parts of :func:`partitioned`, and where each starts."""
    for doc in range(len(numbers)):
        starts[numbers[doc] // each + 1] += HEADER + lengths[doc]
    for part in range(1, len(starts)):
        starts[part] += starts[part - 1]
    cursor = starts.copy()
    low = 0
    for doc in range(len(numbers)):
        part = numbers[doc] // each
        at = cursor[part]
        parts[at], parts[at + 1] = numbers[doc], lengths[doc]
        for step in range(lengths[doc]):
            parts[at + HEADER + step] = terms[low + step]
        low += lengths[doc]
        cursor[part] = at + HEADER + lengths[doc]


def document_counts(terms: int) -> NDArray[np.int32]:
    """Initial counts for :func:`count_documents`."""
    return np.zeros((terms, 4), dtype=np.int32)


def counted_documents(part: Part, counts: NDArray[np.int32], most: IntArray) -> NDArray[np.int32]:
    """The number of the part's documents in which each term occurs; ``most`` is raised as in the kernel."""
    counts[:, _DOCUMENTS] = 0
    count_documents(part, counts, most)
    return counts[:, _DOCUMENTS]


@kernel
def count_documents(part: Part, counts: NDArray[np.int32], most: IntArray) -> None:
    """Count the documents of each term; raise, per length of a document, the highest frequency of a term in one.

    ``counts`` has per term the document it last occurred in, plus one; its frequency there; the number of documents.
    """
    at = 0
    while at < len(part):
        doc, length = part[at] + 1, part[at + 1]
        most[length] = max(most[length], 1)
        for place in range(at + HEADER, at + HEADER + length):
            term = part[place]
            if counts[term, _DOCUMENT] == doc:
                counts[term, _FREQUENCY] += 1
                most[length] = max(most[length], counts[term, _FREQUENCY])
            else:
                counts[term, _DOCUMENT], counts[term, _FREQUENCY] = doc, 1
                counts[term, _DOCUMENTS] += 1
        at += HEADER + length


@kernel
def find_documents(part: Part, first: int, places: IntArray) -> None:
    """Find where each document starts in the part, by its number minus ``first``."""
    at = 0
    while at < len(part):
        places[part[at] - first] = at
        at += HEADER + part[at + 1]


class DocumentFrequencies:
    """Counts documents, their tokens, and the documents with each term, batch by batch.

    >>> counted = DocumentFrequencies()
    >>> counted.add(np.array([0, 2, 2, 0], dtype=np.int32), np.array([3, 1]), terms=3)
    >>> counted.documents, counted.tokens, counted.documents_with(3).tolist()
    (2, 4, [2, 0, 1])
    """

    def __init__(self) -> None:
        self.documents = self.tokens = 0
        self._counts = np.zeros((0, 2), dtype=np.int64)

    def add(self, terms_of: Terms, lengths: IntArray, terms: int) -> None:
        """Count documents with these terms; there are ``terms`` different terms so far."""
        if terms > len(self._counts):
            larger = np.zeros((2 * terms, 2), dtype=np.int64)
            larger[: len(self._counts)] = self._counts
            self._counts = larger
        count_distinct(terms_of, lengths, self.documents, self._counts)
        self.documents += len(lengths)
        self.tokens += len(terms_of)

    def documents_with(self, terms: int) -> IntArray:
        """The number of documents with each term."""
        counts = np.zeros(terms, dtype=np.int64)
        counts[: len(self._counts)] = self._counts[:terms, 1]
        return counts


@kernel
def count_distinct(terms_of: Terms, lengths: IntArray, first: int, counts: IntArray) -> None:
    """Count the documents of each term; ``counts`` has per term the last of them, plus one, and their number."""
    at = 0
    for doc in range(len(lengths)):
        mark = first + doc + 1
        for _ in range(lengths[doc]):
            term = terms_of[at]
            if counts[term, 0] != mark:
                counts[term, 0] = mark
                counts[term, 1] += 1
            at += 1


# The texts and ids of posts or comments, by number, in one shard or in several.


Numbers = NDArray[np.uint32]
_BLOCK = 1 << 17  # values that are checked for damage together
_NO_BYTES = np.zeros(0, dtype=np.uint8)


def own_numbers(ascending: Numbers, numbers: IntArray) -> IntArray:
    """The place of each number in an ascending array; -1 if it is missing.

    >>> own_numbers(np.array([2, 5, 7], dtype=np.uint32), np.array([7, 3, 2]))
    array([ 2, -1,  0])
    """
    wanted = numbers.astype(np.uint32)  # the dtype of the array, which is not copied then
    places = np.searchsorted(ascending, wanted)
    if not len(ascending):
        return np.full(len(numbers), -1, dtype=np.int64)
    return np.where(ascending[np.minimum(places, len(ascending) - 1)] == wanted, places, -1)


@dataclass(frozen=True)
class Texts:
    """Texts and ids as joined bytes; ``row`` is the row of each number; numbers follow the byte order of the ids."""

    text: NDArray[np.uint8]
    text_starts: IntArray
    ids: NDArray[np.uint8]
    id_starts: IntArray
    row: NDArray[np.uint32]
    check: Check
    side: str

    def __len__(self) -> int:
        return len(self.row)

    def id_of(self, number: int) -> str:
        """The id of a post or comment."""
        return self._string("ids", "id_starts", number)

    def text_of(self, number: int) -> str:
        """The text of a post or comment."""
        return self._string("text", "text_starts", number)

    def rows(self, low: int, high: int) -> list[str]:
        """The texts of the rows ``low`` to ``high``, without it."""
        starts = self._checked("text_starts", low, high + 1).tolist()
        joined = self._checked("text", starts[0], starts[-1]).tobytes()
        return [joined[start - starts[0] : end - starts[0]].decode(errors="replace") for start, end in pairwise(starts)]

    def find(self, wanted: Sequence[str]) -> IntArray:
        """The number of each id, -1 for an unknown one; numbers follow the ids' byte order."""
        for name, array in (("ids", self.ids), ("id_starts", self.id_starts), ("row", self.row)):
            self.check(f"{self.side}.{name}", 0, len(array))
        return find_ids(self.ids, self.id_starts, self.row, *joined_bytes(wanted))

    def joined(self, numbers: IntArray) -> tuple[IntArray, NDArray[np.uint8]]:
        """The bytes of some texts one after another, and where each starts."""
        rows = self._at("row", numbers)
        lows, highs = self._at("text_starts", rows), self._at("text_starts", rows + 1)
        self._check_blocks("text", np.concatenate((lows, np.maximum(highs - 1, lows))))
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(highs - lows)))
        data = np.empty(starts[-1], dtype=np.uint8)
        copy_parts(self.text, lows, starts, data)
        return starts, data

    def _at(self, name: str, places: IntArray) -> IntArray:
        """The values of an array at some places, which is refused if they are damaged."""
        self._check_blocks(name, places)
        values: IntArray = getattr(self, name)[places].astype(np.int64)
        return values

    def _check_blocks(self, name: str, places: IntArray) -> None:
        """Refuse an array that is damaged near some places; each block of it is checked once."""
        size = len(getattr(self, name))
        for block in np.unique(places // _BLOCK).tolist():
            self.check(f"{self.side}.{name}", block * _BLOCK, min((block + 1) * _BLOCK, size))

    def _string(self, name: str, starts: str, number: int) -> str:
        row = int(self._checked("row", number, number + 1)[0])
        low, high = self._checked(starts, row, row + 2).tolist()
        return self._checked(name, low, high).tobytes().decode(errors="replace")

    def _checked(self, name: str, low: int, high: int) -> NDArray[Any]:  # Any: of the array's dtype
        """The values ``low:high`` of an array, which is refused if they are damaged."""
        self.check(f"{self.side}.{name}", low, high)
        values: NDArray[Any] = getattr(self, name)[low:high]
        return values


class Placed(NamedTuple):
    """Documents of one shard: their places in a list of documents, and their numbers in the shard."""

    places: IntArray
    own: IntArray


@dataclass(frozen=True)
class ShardedTexts:
    """The texts of all shards by their numbers in the whole index; a comment may be in several shards."""

    shards: tuple[Texts, ...]
    numbers: tuple[Numbers, ...]  # per shard: the number in the index of each of its texts
    shard_of: NDArray[np.uint16]  # per number: the first shard that has the text
    row: Numbers  # per number: its row in the repository
    check: Check
    side: str

    def __len__(self) -> int:
        return len(self.row)

    def id_of(self, number: int) -> str:
        """The id of a post or comment."""
        texts, own = self._place(number)
        return texts.id_of(own)

    def text_of(self, number: int) -> str:
        """The text of a post or comment."""
        texts, own = self._place(number)
        return texts.text_of(own)

    def rows(self, low: int, high: int) -> list[str]:
        """The texts of the rows ``low`` to ``high`` of the repository, without it."""
        starts, joined = self.joined(self._number_of_row[low:high])
        whole = joined.tobytes()
        return [whole[start:end].decode(errors="replace") for start, end in pairwise(starts.tolist())]

    def find(self, wanted: Sequence[str]) -> IntArray:
        """The number of each id, -1 for an unknown one; numbers follow the ids' byte order."""
        found = np.full(len(wanted), -1, dtype=np.int64)
        for texts, numbers in zip(self.shards, self.numbers, strict=True):
            own = texts.find(wanted)
            found[own >= 0] = numbers[own[own >= 0]]
        return found

    def joined(self, numbers: IntArray) -> tuple[IntArray, NDArray[np.uint8]]:
        """The bytes of some texts one after another, and where each starts."""
        parts: list[NDArray[np.uint8]] = [_NO_BYTES] * len(numbers)
        for shard, placed in self.placed(numbers).items():
            starts, joined = self.shards[shard].joined(placed.own)
            for place, (low, high) in zip(placed.places.tolist(), pairwise(starts.tolist()), strict=True):
                parts[place] = joined[low:high]
        return np.cumsum([0, *map(len, parts)]), np.concatenate([_NO_BYTES, *parts])

    def placed(self, numbers: IntArray) -> dict[int, Placed]:
        """Some of the texts by the first shard that has each."""
        shards = self.shard_of[numbers]
        found = {}
        for shard in np.unique(shards).tolist():
            places = np.flatnonzero(shards == shard)
            found[shard] = Placed(places, own_numbers(self.numbers[shard], numbers[places]))
        return found

    def _place(self, number: int) -> tuple[Texts, int]:
        shard = int(self.shard_of[number])
        return self.shards[shard], int(np.searchsorted(self.numbers[shard], np.uint32(number)))

    @cached_property
    def _number_of_row(self) -> IntArray:
        self.check(f"{self.side}.row", 0, len(self.row))
        return np.argsort(self.row)
