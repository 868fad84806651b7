"""Postings: which documents each term stands in, and how.

A posting is a document and the shape of the term in it: (how often, length of the document). There are
few shapes, so a posting costs six bytes, and every similarity is a table over shapes.

While an index is built, the postings of each stream of documents stand by themselves. A posting is then one number:
the document's place in the stream's range, and in the low bits the shape. Joining the streams tells the two apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray

Shapes = NDArray[np.uint16]  # or 32 bits wide, in an index with very many shapes
Counts = NDArray[np.uint16]  # or 32 bits wide, with large streams
Packed = NDArray[np.uint32]  # or 64 bits wide, if one of these two is wide
SMALL = 1 << 16


@dataclass(frozen=True)
class Postings:
    """Per term a slice ``starts[t]:starts[t+1]`` of documents, ascending, and of their shapes."""

    starts: IntArray
    docs: NDArray[np.uint32]
    shapes: Shapes
    often: NDArray[np.uint32]  # per shape: how often the term stands in the document
    length: NDArray[np.uint32]  # per shape: how many terms the document has
    documents: int
    tokens: int


class Links(NamedTuple):
    """Which comment stood under which post, from either side."""

    post_starts: NDArray[np.uint32]
    post_comments: NDArray[np.uint32]
    comment_starts: NDArray[np.uint32]
    comment_posts: NDArray[np.uint32]


class Packing(NamedTuple):
    """How postings of a stream are packed: the kind of the numbers, and how many of their bits are the shape's."""

    kind: Any  # Any: a dtype
    bits: int
    shape_kind: Any  # Any: as above


def packing(shapes: int, each: int) -> Packing:
    """The packing for so many shapes and documents in a stream.

    >>> packing(1000, 65_535).bits, packing(100_000, 65_535).bits
    (16, 32)
    """
    shape_kind = np.uint16 if shapes <= SMALL else np.uint32
    return Packing(np.uint32, 16, shape_kind) if max(shapes, each) <= SMALL else Packing(np.uint64, 32, shape_kind)


@kernel
def raise_peaks(
    counts: Counts, postings: Packed, bits: int, inverse_norms: NDArray[np.float32], weights: FloatArray,
    by_bm25: FloatArray, by_cosine: FloatArray,
) -> None:  # fmt: skip
    """Raise per term the most that a posting is worth; ``weights``: per shape by BM25, and by the cosine less norms."""
    shape_bits = (1 << bits) - 1
    start = 0
    for term in range(len(counts)):
        peak, cosine_peak = by_bm25[term], by_cosine[term]
        for at in range(start, start + counts[term]):
            posting = np.int64(postings[at])
            shape = posting & shape_bits
            peak = max(peak, weights[0, shape])
            cosine_peak = max(cosine_peak, weights[1, shape] * inverse_norms[posting >> bits])
        by_bm25[term], by_cosine[term] = peak, cosine_peak
        start += counts[term]


@kernel
def join(
    postings: Packed, counts: Counts, each: int, bits: int, starts: IntArray, docs: NDArray[np.uint32], shapes: Shapes
) -> None:
    """Join postings that stand stream by stream, within it term by term; ``counts``: streams x terms, how many.

    Each stream holds ``each`` documents; ``starts`` is where each term's joined postings start.
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
