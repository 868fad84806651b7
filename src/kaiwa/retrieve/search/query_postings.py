"""The postings of a query's terms, and the scores they add up to.

Scores are whole numbers of 2^-32 until a norm divides them, so a sum does not depend on the order of
addition, and ties are true ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.topk import Best, none_yet, push, raise_floor
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

UNIT = float(1 << 32)


class Lists(NamedTuple):
    """One side of a query, weakest term first."""

    slices: IntArray  # terms x (from, to) in docs and shapes
    docs: NDArray[np.uint32]
    shapes: NDArray[np.uint16]
    weights: FloatArray  # per term, in units
    peaks: FloatArray  # per term: the most it can add to a score
    by_shape: FloatArray
    inverse_norms: NDArray[np.float32]  # per document; empty where the similarity divides by none


@kernel
def added(lists: Lists, term: int, at: int) -> int:
    """What the posting at a place adds to its document's sum."""
    return np.int64(lists.weights[term] * lists.by_shape[lists.shapes[at]])  # type: ignore[return-value]  # compiled


@kernel
def norm_of(lists: Lists, doc: int) -> float:
    """What the document's sum is multiplied by."""
    return np.float64(lists.inverse_norms[doc]) if len(lists.inverse_norms) else 1.0


@kernel
def dense_scores(lists: Lists, documents: int) -> FloatArray:
    """The score of every document."""
    sums = np.zeros(documents, dtype=np.int64)
    for term in range(len(lists.slices)):
        for at in range(lists.slices[term, 0], lists.slices[term, 1]):
            sums[lists.docs[at]] += added(lists, term, at)
    scores = sums.astype(np.float64)
    if len(lists.inverse_norms):
        for doc in range(documents):
            scores[doc] *= lists.inverse_norms[doc]
    return scores


@kernel
def score_of(lists: Lists, doc: int) -> float:
    """The score of one document, looked up term by term."""
    total = np.int64(0)
    for term in range(len(lists.slices)):
        end = lists.slices[term, 1]
        at = find(lists.docs, lists.slices[term, 0], end, doc)
        if at < end and lists.docs[at] == doc:
            total += added(lists, term, at)
    return total * norm_of(lists, doc)


@kernel
def scores_of(lists: Lists, wanted: IntArray) -> FloatArray:
    """The scores of a few documents."""
    scores = np.zeros(len(wanted), dtype=np.float64)
    for place in range(len(wanted)):
        scores[place] = score_of(lists, wanted[place])
    return scores


@kernel
def best_of(scores: FloatArray, count: int) -> Best:
    """The documents with the highest positive scores; none of the others scores above the floor."""
    best = none_yet(count)
    for doc in range(len(scores)):
        if scores[doc] > best.floor[0]:
            push(best, scores[doc], doc, 0)
    raise_floor(best)
    return best


@kernel
def find(docs: NDArray[np.uint32], low: int, high: int, doc: int) -> int:
    """The first place in ``low:high`` whose document is not before ``doc``."""
    while low < high:
        middle = (low + high) >> 1
        if docs[middle] < doc:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def gallop(docs: NDArray[np.uint32], low: int, high: int, doc: int) -> int:
    """As ``find``, quick when the place is near ``low``."""
    step = 1
    while low + step < high and docs[low + step] < doc:
        low += step
        step <<= 1
    return find(docs, low, min(low + step + 1, high), doc)
