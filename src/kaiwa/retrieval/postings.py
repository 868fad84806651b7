"""Documents to postings, term by term, one part of the documents at a time (kaiwa.retrieval.documents)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.retrieval.documents import HEADER, find_documents
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.documents import Part
    from kaiwa.retrieval.inverted_index import Shapes


# Postings while an index is built: those of each part of the documents, then joined term by term.


Counts = NDArray[np.uint16]  # or 32 bits wide, with large parts
Packed = NDArray[np.uint32]  # or 64 bits wide, if shapes or parts are many
SMALL = 1 << 16


class Packing(NamedTuple):
    """How the postings of a part are packed: the dtype of a posting, and the number of its bits for the shape."""

    dtype: Any  # Any: a dtype
    bits: int
    shape_dtype: Any  # Any: as above


def packing(shapes: int, each: int) -> Packing:
    """The packing for a number of shapes, and of documents per part.

    >>> packing(1000, 65_535).bits, packing(100_000, 65_535).bits
    (16, 32)
    """
    shape_dtype = np.uint16 if shapes <= SMALL else np.uint32
    return Packing(np.uint32, 16, shape_dtype) if max(shapes, each) <= SMALL else Packing(np.uint64, 32, shape_dtype)


@kernel
def raise_peaks(
    counts: Counts, postings: Packed, bits: int, by_shape: FloatArray, inverse_norms: NDArray[np.float32],
    peaks: FloatArray,
) -> None:  # fmt: skip
    """Raise, per term, the highest weight of a posting; ``inverse_norms`` is empty for a similarity without norms."""
    shape_bits = (1 << bits) - 1
    start = 0
    for term in range(len(counts)):
        peak = peaks[term]
        if len(inverse_norms):
            for at in range(start, start + counts[term]):
                posting = np.int64(postings[at])
                peak = max(peak, by_shape[posting & shape_bits] * inverse_norms[posting >> bits])
        else:
            for at in range(start, start + counts[term]):
                peak = max(peak, by_shape[np.int64(postings[at]) & shape_bits])
        peaks[term] = peak
        start += counts[term]


@kernel
def join(
    postings: Packed, counts: Counts, each: int, bits: int, starts: IntArray, docs: NDArray[np.uint32], shapes: Shapes
) -> None:
    """Join packed postings, which are sorted by part, within a part by term.

    ``counts`` is parts x terms, the number of postings; a part has ``each`` documents; ``starts`` is where the joined
    postings of each term start.
    """
    shape_bits = (1 << bits) - 1
    cursors = starts.copy()
    at = 0
    for part in range(len(counts)):
        for term in range(counts.shape[1]):
            cursor = cursors[term]
            for _ in range(counts[part, term]):
                posting = np.int64(postings[at])
                docs[cursor] = part * each + (posting >> bits)
                shapes[cursor] = posting & shape_bits
                cursor += 1
                at += 1
            cursors[term] = cursor


Norms = NDArray[np.float32]  # 0 for an empty document
Whole = NDArray[np.uint32]
_SQUARE = float(1 << 24)  # squares are multiples of 1 / this, so that their sum does not depend on their order


class TermState(NamedTuple):
    """The state of each term, in adjacent bytes for one memory access: two integers and a float."""

    places: NDArray[np.int32]  # the cursor; the last document with the term, plus one; two columns for the float
    squares: FloatArray  # the same bytes as floats, of which the second is the term's squared weight


class ShapeTable(NamedTuple):
    """The shapes so far: per length and frequency, the shape's number plus one; per number, frequency and length."""

    starts: IntArray  # per length, in ``code``
    code: IntArray
    frequency: Whole
    length: Whole


class Inverter:
    """Turns parts into postings, part by part, ``each`` documents per part.

    ``weights`` are those of the terms in document vectors, for the norms; ``most`` is the highest frequency of a term
    in a document of each length.
    """

    def __init__(self, weights: FloatArray, most: IntArray, each: int) -> None:
        squares = np.zeros((len(weights), 2), dtype=np.float64)
        squares[:, 1] = np.rint(weights**2 * _SQUARE)
        self._state = TermState(squares.view(np.int32), squares)
        starts = np.concatenate(([0], np.cumsum(most)))
        code, frequency, length = (np.zeros(starts[-1], dtype=dtype) for dtype in (np.int64, np.uint32, np.uint32))
        self._shapes = ShapeTable(starts, code, frequency, length)
        self._known = 0
        self.packing = packing(len(code), each)

    @property
    def shapes(self) -> tuple[Whole, Whole]:
        """Per shape so far: the frequency of the term in the document, and the number of terms of the document."""
        return self._shapes.frequency[: self._known], self._shapes.length[: self._known]

    def inverted(self, part: Part, documents: range, counts: Counts) -> tuple[Packed, Norms]:
        """The postings of a part with the documents of a range, and per document 1 / the length of its vector.

        ``counts`` is the number of these documents in which each term occurs.
        """
        places = np.zeros(len(documents), dtype=np.int64)
        find_documents(part, documents.start, places)
        postings = np.empty(set_cursors(counts, self._state), dtype=self.packing.dtype)
        norms = np.empty(len(documents), dtype=np.float32)
        first, bits = documents.start, self.packing.bits
        self._known = fill(part, places, first, self._state, self._shapes, self._known, bits, postings, norms)
        return postings, norms


@kernel
def set_cursors(counts: Counts, state: TermState) -> int:
    """Set the cursor of each term to where its postings start; the number of postings."""
    size = 0
    for term in range(len(counts)):
        state.places[term, 0] = size
        size += counts[term]
    return size


@kernel
def fill(
    part: Part, places: IntArray, first: int, state: TermState, shapes: ShapeTable, known: int, bits: int,
    postings: Packed, inverse_norms: Norms,
) -> int:  # fmt: skip
    """Write each posting at its term's cursor, documents in their order; the number of known shapes.

    The posting of a term that occurs again in a document is just before the cursor; no document is sorted.
    """
    cursors, squares = state
    shape_bits = (1 << bits) - 1
    for step in range(len(places)):
        mark = np.int32(first + step + 1)
        length = int(part[places[step] + 1])
        low = places[step] + HEADER
        known = number_shape(shapes, 1, length, known)
        once = (step << bits) | shape_of(shapes, 1, length)
        total = 0.0
        for at in range(low, low + length):
            term = part[at]
            cursor = cursors[term, 0]
            if cursors[term, 1] != mark:
                postings[cursor] = once
                cursors[term, 0], cursors[term, 1] = cursor + 1, mark
                total += squares[term, 1]
            else:
                frequency = int(shapes.frequency[np.int64(postings[cursor - 1]) & shape_bits]) + 1
                known = number_shape(shapes, frequency, length, known)
                postings[cursor - 1] = (step << bits) | shape_of(shapes, frequency, length)
                total += (2 * frequency - 1) * squares[term, 1]
        inverse_norms[step] = inverse_norm(total)
    return known


@kernel
def shape_of(shapes: ShapeTable, frequency: int, length: int) -> int:
    """The number of a shape; -1 if it has none yet."""
    return int(shapes.code[shapes.starts[length] + frequency - 1]) - 1


@kernel
def number_shape(shapes: ShapeTable, frequency: int, length: int, known: int) -> int:
    """Number the shape if it is new; the number of known shapes."""
    if shape_of(shapes, frequency, length) >= 0:
        return known
    shapes.code[shapes.starts[length] + frequency - 1] = known + 1
    shapes.frequency[known], shapes.length[known] = frequency, length
    return known + 1


@kernel
def inverse_norm(total: float) -> np.float32:
    """1 / sqrt of a sum of squares, rounded down, so that the product of two unit vectors is at most 1; 0 if empty."""
    if total == 0.0:
        return np.float32(0.0)
    return np.float32(1.0 / np.sqrt(total / _SQUARE)) * np.float32(1.0 - 2.0**-23)
