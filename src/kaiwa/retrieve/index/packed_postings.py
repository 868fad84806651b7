"""Postings while an index is built: those of each part of the documents, then joined term by term.

A packed posting is one number: the document's place in the range of its part and, in the low bits, the shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.inverted_index import Shapes

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
