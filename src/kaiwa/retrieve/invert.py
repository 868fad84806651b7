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
Shapes = NDArray[np.uint16]  # or 32 bits wide, in an index with very many shapes
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
    """The postings of documents numbered by ``order``.

    ``order[n]`` is the row of document ``n``; ``new_array(name, dtype, size)`` gives the arrays to fill.
    """
    lengths = np.diff(doc_starts)
    longest = int(lengths.max(initial=0))
    starts = np.zeros(terms + 1, dtype=np.int64)
    most = count_documents(tokens, doc_starts, starts)
    np.cumsum(starts, out=starts)
    length = np.flatnonzero(np.bincount(lengths, minlength=longest + 1))
    column_of = np.zeros(longest + 1, dtype=np.int64)
    column_of[length] = np.arange(len(length))
    codes = np.full((most + 1, len(length)), -1, dtype=np.int64)
    docs = new_array("docs", np.uint32, int(starts[-1]))
    kind = np.uint16 if codes.size <= _SMALL_SHAPES else np.uint32
    shapes = new_array("shapes", kind, int(starts[-1]))
    often_of = np.zeros(codes.size, dtype=np.uint32)
    known = fill(tokens, doc_starts, order, starts, column_of, codes, often_of, docs, shapes)
    by_code = np.argsort(codes, axis=None)[codes.size - known :]
    kept = length[np.unravel_index(by_code, codes.shape)[1]].astype(np.uint32)
    often = often_of[:known].copy()
    return Postings(starts, docs, shapes, often, kept, documents=len(order), tokens=len(tokens))


@kernel
def count_documents(tokens: Tokens, doc_starts: IntArray, counts: IntArray) -> int:
    """Count the documents of term t in ``counts[t + 1]``; how often a term stands in one document at the most."""
    met = np.zeros((len(counts), 2), dtype=np.int32)  # per term: the document last met in, plus one; how often there
    most = 0
    for doc in range(len(doc_starts) - 1):
        for at in range(doc_starts[doc], doc_starts[doc + 1]):
            term = tokens[at]
            if met[term, 0] == doc + 1:
                met[term, 1] += 1
                most = max(most, met[term, 1])
            else:
                met[term, 0], met[term, 1] = doc + 1, 1
                counts[term + 1] += 1
    return max(most, 1)


@kernel
def fill(
    tokens: Tokens, doc_starts: IntArray, order: IntArray, starts: IntArray, column_of: IntArray,
    codes: IntArray, often_of: NDArray[np.uint32], docs: NDArray[np.uint32], shapes: Shapes,
) -> int:  # fmt: skip
    """Write each posting behind its term's cursor, documents in their order; how many shapes were numbered.

    A term met again in a document finds its posting just behind the cursor: documents need not be sorted first.
    """
    met = np.zeros((len(starts) - 1, 2), dtype=np.int64)  # per term: the cursor; the document last met in, plus one
    for term in range(len(met)):
        met[term, 0] = starts[term]
    known = 0
    for doc in range(len(order)):
        low, high = doc_starts[order[doc]], doc_starts[order[doc] + 1]
        column = column_of[high - low]
        for at in range(low, high):
            term = tokens[at]
            often = 1
            if met[term, 1] == doc + 1:
                often += often_of[shapes[met[term, 0] - 1]]
            else:
                docs[met[term, 0]] = doc
                met[term, 0], met[term, 1] = met[term, 0] + 1, doc + 1
            if codes[often, column] < 0:
                codes[often, column] = known
                often_of[known] = often
                known += 1
            shapes[met[term, 0] - 1] = codes[often, column]
    return known


@kernel
def norms_of(
    starts: IntArray, docs: NDArray[np.uint32], shapes: Shapes, often: FloatArray, squares: FloatArray, documents: int
) -> NDArray[np.float32]:
    """Per document 1 / sqrt of the sum over terms of (how often)^2 times the term's ``squares``; 0 when empty."""
    totals = np.zeros(documents, dtype=np.float64)
    for term in range(len(starts) - 1):
        for at in range(starts[term], starts[term + 1]):
            times = often[shapes[at]]
            totals[docs[at]] += times * times * squares[term]
    inverse = np.zeros(documents, dtype=np.float32)
    for doc in range(documents):
        if totals[doc] > 0.0:
            inverse[doc] = np.float32(1.0 / np.sqrt(totals[doc])) * np.float32(1.0 - 2.0**-23)  # a cosine is at most 1
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
