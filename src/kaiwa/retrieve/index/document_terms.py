"""Documents as one array of integers: a document's number, the number of its terms, its terms; then the next document.

Each part holds the documents of one range of numbers, in any order, so that a part can be inverted alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray

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
