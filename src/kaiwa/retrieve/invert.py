"""Tokens document by document, turned into postings term by term.

A posting is a document and the shape of the term in it: (how often, length of the document). There are
few shapes, so a posting costs six bytes, and every similarity is a table over shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.retrieve.kernel import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model import FloatArray, IntArray

Tokens = NDArray[np.int32]
Shapes = NDArray[np.uint16]  # or 32 bits wide, in an index with very many shapes
_SMALL_SHAPES = 1 << 16
_SQUARE = float(1 << 24)  # squares are whole numbers of this part of one: their sum does not depend on their order


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


class Documents(NamedTuple):
    """The tokens of documents: ``order[n]`` is the row of document ``n``, ``starts[row]`` where its tokens start."""

    tokens: Tokens
    starts: IntArray
    order: IntArray


class Cosines(NamedTuple):
    """What the cosine needs: per document 1 / its length as a vector, per term the most it weighs in a document."""

    inverse_norms: NDArray[np.float32]  # 0 for an empty document
    peaks: FloatArray


class Seen(NamedTuple):
    """The shapes met so far: per length and how often, the number plus one; and what each number stands for."""

    column_of: IntArray  # per length
    starts: IntArray  # per column, in ``code``
    code: IntArray
    often: IntArray
    length: IntArray


def inverted(
    documents: Documents,
    terms: int,
    idf: Callable[[FloatArray, int], FloatArray],
    *,
    new_array: Callable[[str, Any, int], Any],  # Any: a dtype in, an array of it out
) -> tuple[Postings, Cosines]:
    """The postings of documents, with ``new_array(name, dtype, size)`` giving the arrays to fill.

    ``idf`` turns the number of documents with each term, and of all documents, into the weights of the cosine.
    """
    size = len(documents.order)
    column_of, columns = columns_of(documents.starts)
    starts, most = np.zeros(terms + 1, dtype=np.int64), np.ones(columns, dtype=np.int64)
    count_documents(documents.tokens, documents.starts, column_of, starts, most)
    squares = np.rint(idf(starts[1:].astype(np.float64), size) ** 2 * _SQUARE)
    np.cumsum(starts, out=starts)
    shape_starts = np.concatenate(([0], np.cumsum(most)))
    seen = Seen(column_of, shape_starts, *(np.zeros(shape_starts[-1], dtype=np.int64) for _ in range(3)))
    docs = new_array("docs", np.uint32, int(starts[-1]))
    kind = np.uint16 if shape_starts[-1] <= _SMALL_SHAPES else np.uint32
    shapes = new_array("shapes", kind, int(starts[-1]))
    cosines = Cosines(new_array("inverse_norms", np.float32, size), np.zeros(terms, dtype=np.float64))
    known = fill(documents, starts, squares, seen, docs, shapes, cosines)
    often, length = (values[:known].astype(np.uint32) for values in (seen.often, seen.length))
    return Postings(starts, docs, shapes, often, length, size, len(documents.tokens)), cosines


@kernel
def count_documents(
    tokens: Tokens, doc_starts: IntArray, column_of: IntArray, counts: IntArray, most: IntArray
) -> None:
    """Count the documents of term t in ``counts[t + 1]``; per length, how often a term stands in one document."""
    met = np.zeros((len(counts), 2), dtype=np.int32)  # per term: the document last met in, plus one; how often there
    for doc in range(len(doc_starts) - 1):
        column = column_of[doc_starts[doc + 1] - doc_starts[doc]]
        for at in range(doc_starts[doc], doc_starts[doc + 1]):
            term = tokens[at]
            if met[term, 0] == doc + 1:
                met[term, 1] += 1
                most[column] = max(most[column], met[term, 1])
            else:
                met[term, 0], met[term, 1] = doc + 1, 1
                counts[term + 1] += 1


@kernel
def columns_of(doc_starts: IntArray) -> tuple[IntArray, int]:
    """The lengths that documents have, numbered in their order, -1 for a length that none has; how many there are."""
    longest = 0
    for doc in range(len(doc_starts) - 1):
        longest = max(longest, doc_starts[doc + 1] - doc_starts[doc])
    column_of = np.full(longest + 1, -1, dtype=np.int64)
    for doc in range(len(doc_starts) - 1):
        column_of[doc_starts[doc + 1] - doc_starts[doc]] = 0
    column = 0
    for length in range(longest + 1):
        if column_of[length] == 0:
            column_of[length] = column
            column += 1
    return column_of, column


@kernel
def fill(
    documents: Documents, starts: IntArray, squares: FloatArray, seen: Seen,
    docs: NDArray[np.uint32], shapes: Shapes, cosines: Cosines,
) -> int:  # fmt: skip
    """Write each posting behind its term's cursor, documents in their order; how many shapes were numbered.

    A term met again in a document finds its posting just behind the cursor: documents need not be sorted first. All
    that is kept of a term stands side by side, so that it is fetched once.
    """
    met = np.zeros((len(starts) - 1, 4), dtype=np.int64)  # the cursor; the document last met in, plus one; then
    weight = met.view(np.float64)  # in the same rows, the term's square and its peak
    for term in range(len(met)):
        met[term, 0], weight[term, 2] = starts[term], squares[term]
    known = 0
    for doc in range(len(documents.order)):
        low, high = documents.starts[documents.order[doc]], documents.starts[documents.order[doc] + 1]
        known = number_shape(seen, 1, high - low, known)
        once = shape_of(seen, 1, high - low)
        total, most = 0.0, 1
        for at in range(low, high):
            term = documents.tokens[at]
            cursor = met[term, 0]
            if met[term, 1] != doc + 1:
                docs[cursor], shapes[cursor] = doc, once
                met[term, 0], met[term, 1] = cursor + 1, doc + 1
                total += weight[term, 2]
            else:
                often = seen.often[shapes[cursor - 1]] + 1
                known = number_shape(seen, often, high - low, known)
                shapes[cursor - 1] = shape_of(seen, often, high - low)
                total += (2 * often - 1) * weight[term, 2]
                most = max(most, often)
        cosines.inverse_norms[doc] = inverse_norm(total)
        inverse = np.float64(cosines.inverse_norms[doc])
        for at in range(low, high):
            term = documents.tokens[at]
            often = 1 if most == 1 else seen.often[shapes[met[term, 0] - 1]]
            weight[term, 3] = max(weight[term, 3], often * inverse)
    cosines.peaks[:] = weight[:, 3]
    return known


@kernel
def shape_of(seen: Seen, often: int, length: int) -> int:
    """The number of a shape; -1 when it has none yet."""
    return int(seen.code[seen.starts[seen.column_of[length]] + often - 1]) - 1


@kernel
def number_shape(seen: Seen, often: int, length: int, known: int) -> int:
    """Number the shape, if it is new; how many are known."""
    if shape_of(seen, often, length) >= 0:
        return known
    seen.code[seen.starts[seen.column_of[length]] + often - 1] = known + 1
    seen.often[known], seen.length[known] = often, length
    return known + 1


@kernel
def inverse_norm(total: float) -> np.float32:
    """1 / sqrt of a sum of squares, a hair less, so that a cosine is at most 1; 0 for nothing."""
    if total == 0.0:
        return np.float32(0.0)
    return np.float32(1.0 / np.sqrt(total / _SQUARE)) * np.float32(1.0 - 2.0**-23)


@kernel
def peaks_of(starts: IntArray, shapes: Shapes, by_shape: FloatArray) -> FloatArray:
    """Per term the largest of its postings' ``by_shape``."""
    peaks = np.zeros(len(starts) - 1, dtype=np.float64)
    for term in range(len(starts) - 1):
        for at in range(starts[term], starts[term + 1]):
            peaks[term] = max(peaks[term], by_shape[shapes[at]])
    return peaks
