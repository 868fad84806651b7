"""Documents turned into postings, term by term, stream by stream (kaiwa.retrieve.index.document_streams)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.retrieve.index.document_streams import HEAD, find_documents
from kaiwa.retrieve.index.postings import packing
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.document_streams import Stream
    from kaiwa.retrieve.index.postings import Counts, Packed

Norms = NDArray[np.float32]  # 0 for an empty document
Whole = NDArray[np.uint32]
_SQUARE = float(1 << 24)  # squares are whole numbers of this part of one: their sum does not depend on their order


class Met(NamedTuple):
    """What is kept of each term, side by side so that it is fetched once: two whole numbers and a float."""

    places: NDArray[np.int32]  # the cursor; the document last met in, plus one; the two that the float takes
    squares: FloatArray  # the same bytes as floats, of which the second is the term's squared idf


class Seen(NamedTuple):
    """The shapes met so far: per length and how often, the number plus one; and what each number stands for."""

    starts: IntArray  # per length, in ``code``
    code: IntArray
    often: Whole
    length: Whole


class Inverter:
    """Turns streams into postings, one stream after the other, each of ``each`` documents.

    ``idf`` is what terms weigh in the cosine, ``most`` how often, at most, a term stands in a document of each length.
    """

    def __init__(self, idf: FloatArray, most: IntArray, each: int) -> None:
        squares = np.zeros((len(idf), 2), dtype=np.float64)
        squares[:, 1] = np.rint(idf**2 * _SQUARE)
        self._met = Met(squares.view(np.int32), squares)
        starts = np.concatenate(([0], np.cumsum(most)))
        code, often, length = (np.zeros(starts[-1], dtype=kind) for kind in (np.int64, np.uint32, np.uint32))
        self._seen = Seen(starts, code, often, length)
        self._known = 0
        self.packing = packing(len(code), each)

    @property
    def shapes(self) -> tuple[Whole, Whole]:
        """Per shape met so far: how often the term stands in the document, and how many terms the document has."""
        return self._seen.often[: self._known], self._seen.length[: self._known]

    def inverted(self, stream: Stream, documents: range, counts: Counts) -> tuple[Packed, Norms]:
        """The postings of a stream that has the documents of a range, and per document 1 / its length as a vector.

        ``counts`` says in how many of them each term stands.
        """
        places = np.zeros(len(documents), dtype=np.int64)
        find_documents(stream, documents.start, places)
        postings = np.empty(set_cursors(counts, self._met), dtype=self.packing.kind)
        norms = np.empty(len(documents), dtype=np.float32)
        first, bits = documents.start, self.packing.bits
        self._known = fill(stream, places, first, self._met, self._seen, self._known, bits, postings, norms)
        return postings, norms


@kernel
def set_cursors(counts: Counts, met: Met) -> int:
    """Set the cursor of each term to where its postings begin; how many postings there are."""
    size = 0
    for term in range(len(counts)):
        met.places[term, 0] = size
        size += counts[term]
    return size


@kernel
def fill(
    stream: Stream, places: IntArray, first: int, met: Met, seen: Seen, known: int, bits: int,
    postings: Packed, inverse_norms: Norms,
) -> int:  # fmt: skip
    """Write each posting behind its term's cursor, documents in their order; how many shapes are known.

    A term met again in a document finds its posting just behind the cursor: documents need not be sorted first.
    """
    cursors, squares = met
    shape_bits = (1 << bits) - 1
    for step in range(len(places)):
        mark = np.int32(first + step + 1)
        length = int(stream[places[step] + 1])
        low = places[step] + HEAD
        known = number_shape(seen, 1, length, known)
        once = (step << bits) | shape_of(seen, 1, length)
        total = 0.0
        for at in range(low, low + length):
            term = stream[at]
            cursor = cursors[term, 0]
            if cursors[term, 1] != mark:
                postings[cursor] = once
                cursors[term, 0], cursors[term, 1] = cursor + 1, mark
                total += squares[term, 1]
            else:
                often = int(seen.often[np.int64(postings[cursor - 1]) & shape_bits]) + 1
                known = number_shape(seen, often, length, known)
                postings[cursor - 1] = (step << bits) | shape_of(seen, often, length)
                total += (2 * often - 1) * squares[term, 1]
        inverse_norms[step] = inverse_norm(total)
    return known


@kernel
def shape_of(seen: Seen, often: int, length: int) -> int:
    """The number of a shape; -1 when it has none yet."""
    return int(seen.code[seen.starts[length] + often - 1]) - 1


@kernel
def number_shape(seen: Seen, often: int, length: int, known: int) -> int:
    """Number the shape, if it is new; how many are known."""
    if shape_of(seen, often, length) >= 0:
        return known
    seen.code[seen.starts[length] + often - 1] = known + 1
    seen.often[known], seen.length[known] = often, length
    return known + 1


@kernel
def inverse_norm(total: float) -> np.float32:
    """1 / sqrt of a sum of squares, a hair less, so that a cosine is at most 1; 0 for nothing."""
    if total == 0.0:
        return np.float32(0.0)
    return np.float32(1.0 / np.sqrt(total / _SQUARE)) * np.float32(1.0 - 2.0**-23)
