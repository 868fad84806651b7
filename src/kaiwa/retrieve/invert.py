"""Tokens document by document, turned into postings term by term.

A posting is a document and the shape of the term in it: (how often, length of the document). There are
few shapes, so a posting costs six bytes, and every similarity is a table over shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kaiwa.retrieve.kernel import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model import FloatArray, IntArray

Tokens = NDArray[np.int32]
Bools = NDArray[np.bool_]
Shapes = NDArray[np.uint16]  # or 32 bits wide, in an index with very many shapes
_INSERTION_SORT = 48
_SMALL_SHAPES = 1 << 16


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


def inverted(
    tokens: Tokens,
    doc_starts: IntArray,
    order: IntArray,
    terms: int,
    *,
    new_array: Callable[[str, Any, int], Any],  # Any: a dtype in, an array of it out
) -> Postings:
    """The postings of documents numbered by ``order``; the tokens of each document are sorted in place.

    ``order[n]`` is the row of document ``n``; ``new_array(name, dtype, size)`` gives the arrays to fill.
    """
    longest = int(np.diff(doc_starts).max(initial=0))
    seen_often = np.zeros(longest + 1, dtype=np.bool_)
    starts = np.zeros(terms + 1, dtype=np.int64)
    sort_and_count(tokens, doc_starts, starts, seen_often)
    np.cumsum(starts, out=starts)
    often_place, often = _places(seen_often)
    length_place, length = _places(np.bincount(np.diff(doc_starts), minlength=longest + 1) > 0)
    codes = np.full((len(often), len(length)), -1, dtype=np.int64)
    shapes = mark_shapes(tokens, doc_starts, often_place, length_place, codes)
    docs = new_array("docs", np.uint32, int(starts[-1]))
    kind = np.uint16 if shapes <= _SMALL_SHAPES else np.uint32
    shape_per_posting = new_array("shapes", kind, int(starts[-1]))
    fill(tokens, doc_starts, order, starts[:-1].copy(), often_place, length_place, codes, docs, shape_per_posting)
    by_code = np.argsort(codes, axis=None)[codes.size - shapes :]
    rows, columns = np.unravel_index(by_code, codes.shape)
    kept = often[rows].astype(np.uint32), length[columns].astype(np.uint32)
    return Postings(starts, docs, shape_per_posting, *kept, documents=len(order), tokens=len(tokens))


def _places(seen: Bools) -> tuple[IntArray, IntArray]:
    values = np.flatnonzero(seen)
    place = np.zeros(len(seen), dtype=np.int64)
    place[values] = np.arange(len(values))
    return place, values


@kernel
def sort_and_count(tokens: Tokens, doc_starts: IntArray, counts: IntArray, seen_often: Bools) -> None:
    """Sort each document's tokens in place; count the documents of term t in ``counts[t + 1]``."""
    for doc in range(len(doc_starts) - 1):
        low, high = doc_starts[doc], doc_starts[doc + 1]
        if high - low <= _INSERTION_SORT:
            for at in range(low + 1, high):
                token = tokens[at]
                back = at - 1
                while back >= low and tokens[back] > token:
                    tokens[back + 1] = tokens[back]
                    back -= 1
                tokens[back + 1] = token
        else:
            tokens[low:high].sort()
        at = low
        while at < high:
            run = at + 1
            while run < high and tokens[run] == tokens[at]:
                run += 1
            counts[tokens[at] + 1] += 1
            seen_often[run - at] = True
            at = run


@kernel
def mark_shapes(
    tokens: Tokens, doc_starts: IntArray, often_place: IntArray, length_place: IntArray, codes: IntArray
) -> int:
    """Number the shapes that occur, in ``codes``; how many there are."""
    shapes = 0
    for doc in range(len(doc_starts) - 1):
        low, high = doc_starts[doc], doc_starts[doc + 1]
        column = length_place[high - low]
        at = low
        while at < high:
            run = at + 1
            while run < high and tokens[run] == tokens[at]:
                run += 1
            row = often_place[run - at]
            if codes[row, column] < 0:
                codes[row, column] = shapes
                shapes += 1
            at = run
    return shapes


@kernel
def fill(
    tokens: Tokens, doc_starts: IntArray, order: IntArray, cursors: IntArray,
    often_place: IntArray, length_place: IntArray, codes: IntArray, docs: NDArray[np.uint32], shapes: Shapes,
) -> None:  # fmt: skip
    """Write each posting behind its term's cursor, documents in their order."""
    for doc in range(len(order)):
        low, high = doc_starts[order[doc]], doc_starts[order[doc] + 1]
        column = length_place[high - low]
        at = low
        while at < high:
            run = at + 1
            while run < high and tokens[run] == tokens[at]:
                run += 1
            place = cursors[tokens[at]]
            cursors[tokens[at]] = place + 1
            docs[place] = doc
            shapes[place] = codes[often_place[run - at], column]
            at = run


@kernel
def norms_of(tokens: Tokens, doc_starts: IntArray, order: IntArray, squares: FloatArray) -> NDArray[np.float32]:
    """Per document 1 / sqrt of the sum over terms of (how often)^2 times the term's ``squares``; 0 when empty."""
    inverse = np.zeros(len(order), dtype=np.float32)
    for doc in range(len(order)):
        low, high = doc_starts[order[doc]], doc_starts[order[doc] + 1]
        total = 0.0
        at = low
        while at < high:
            run = at + 1
            while run < high and tokens[run] == tokens[at]:
                run += 1
            total += (run - at) * (run - at) * squares[tokens[at]]
            at = run
        if total > 0.0:
            inverse[doc] = np.float32(1.0 / np.sqrt(total)) * np.float32(1.0 - 2.0**-23)  # a cosine is at most 1
    return inverse


@kernel
def peaks_of(
    starts: IntArray, docs: NDArray[np.uint32], shapes: Shapes, by_shape: FloatArray, inverse_norms: NDArray[np.float32]
) -> FloatArray:
    """Per term the largest of its documents' ``by_shape``, times the inverse norm where there is one."""
    peaks = np.zeros(len(starts) - 1, dtype=np.float64)
    for term in range(len(starts) - 1):
        for at in range(starts[term], starts[term + 1]):
            weight = by_shape[shapes[at]]
            if len(inverse_norms):
                weight *= inverse_norms[docs[at]]
            peaks[term] = max(peaks[term], weight)
    return peaks
