"""The postings of a query's terms, and the scores that they sum to.

Scores are whole multiples of 2^-32 until a norm divides them, so a sum does not depend on the order of addition, and
equal scores are exact ties.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.errors import Names
from kaiwa.retrieval.topk import TopK, empty_topk, push, raise_threshold
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.documents import Numbers
    from kaiwa.retrieval.inverted_index import ShardSide, Side

    Whole = NDArray[np.uint32]


# BM25 (Robertson and Zaragoza 2009), with the idf that is never negative.


K1 = 1.2
B = 0.75


def bm25_inverse_document_frequency(documents_with: FloatArray, documents: int) -> FloatArray:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) per term.

    >>> bm25_inverse_document_frequency(np.array([1.0, 2.0]), 2).round(4)
    array([0.6931, 0.1823])
    """
    return np.log1p((documents - documents_with + 0.5) / (documents_with + 0.5))


def bm25_query_weights(counts: FloatArray, documents_with: FloatArray, documents: int) -> FloatArray:
    """The count of the term in the query, times idf."""
    return counts * bm25_inverse_document_frequency(documents_with, documents)


def bm25_weights_by_shape(frequency: Whole, length: Whole, mean_length: float) -> FloatArray:
    """Tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)) per shape, the part that idf multiplies."""
    tf = frequency.astype(np.float64)
    relative = K1 * (1 - B + B * length / max(mean_length, 1e-9))
    weights: FloatArray = tf * (K1 + 1) / (tf + relative)
    return weights


# The vector space model: the cosine of tf-idf vectors (Salton et al. 1975), the similarity of the STC papers.


def tfidf_inverse_document_frequency(documents_with: FloatArray, documents: int) -> FloatArray:
    """ln(1 + N / n) per term; above zero even for a term in every document, so that a small repository gives answers.

    >>> tfidf_inverse_document_frequency(np.array([1.0, 2.0]), 2).round(4)
    array([1.0986, 0.6931])
    """
    return np.log1p(documents / np.maximum(documents_with, 1.0))


def tfidf_query_weights(counts: FloatArray, documents_with: FloatArray, documents: int) -> FloatArray:
    """Tf idf in the query, divided by the length of the query's vector, times the idf in the document's vector."""
    idf = tfidf_inverse_document_frequency(documents_with, documents)
    length = float(np.sqrt(((counts * idf) ** 2).sum()))
    weights: FloatArray = counts * idf * idf / (length or 1.0)
    return weights


def tfidf_weights_by_shape(frequency: Whole, _length: Whole, _mean_length: float) -> FloatArray:
    """The frequency of the term in the document, per shape; the norm divides by the length of the vector."""
    return frequency.astype(np.float64)


@dataclass(frozen=True)
class Similarity:
    """How one similarity weights the terms of a query and of a document.

    ``query_weights`` takes, per term, its count in the query and the number of documents with it, and the number of
    documents; ``weights_by_shape`` takes, per shape, frequency and length, and the mean length of a document.
    ``parameters`` are recorded in the index. An index stores the peaks of each similarity as ``NAME_peaks``.
    """

    query_weights: Callable[[FloatArray, FloatArray, int], FloatArray]
    weights_by_shape: Callable[[Whole, Whole, float], FloatArray]
    has_norms: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)


SIMILARITIES = Names(
    "similarity",
    {
        "bm25": Similarity(bm25_query_weights, bm25_weights_by_shape, parameters={"k1": K1, "b": B}),
        "tfidf": Similarity(tfidf_query_weights, tfidf_weights_by_shape, has_norms=True),
    },
)

norm_weights = tfidf_inverse_document_frequency
"""Per term, its weight in the document vectors: the lengths of these vectors are the norms that an index stores."""


UNIT = float(1 << 32)
_SEARCH = 30


class QueryPostings(NamedTuple):
    """The query's terms on one side, the posts or the comments; terms ordered by their peaks, lowest first."""

    slices: IntArray  # terms x (from, to) in docs and shapes
    docs: NDArray[np.uint32]
    shapes: NDArray[np.uint16]
    weights: FloatArray  # per term, in units
    peaks: FloatArray  # per term: the maximum it can add to a score
    by_shape: FloatArray
    inverse_norms: NDArray[np.float32]  # per document; empty if the similarity has no norms


@kernel
def contribution(postings: QueryPostings, term: int, at: int) -> int:
    """What a posting adds to the sum of its document."""
    weight = postings.weights[term] * postings.by_shape[postings.shapes[at]]
    return np.int64(weight)  # type: ignore[return-value]  # compiled


@kernel
def norm_of(postings: QueryPostings, doc: int) -> float:
    """The factor of the document's sum."""
    return np.float64(postings.inverse_norms[doc]) if len(postings.inverse_norms) else 1.0


@kernel
def dense_scores(postings: QueryPostings, documents: int) -> FloatArray:
    """The score of every document."""
    sums = np.zeros(documents, dtype=np.int64)
    for term in range(len(postings.slices)):
        for at in range(postings.slices[term, 0], postings.slices[term, 1]):
            sums[postings.docs[at]] += contribution(postings, term, at)
    scores = sums.astype(np.float64)
    if len(postings.inverse_norms):
        for doc in range(documents):
            scores[doc] *= postings.inverse_norms[doc]
    return scores


@kernel
def score_of(postings: QueryPostings, doc: int) -> float:
    """The score of one document, looked up term by term."""
    total = np.int64(0)
    for term in range(len(postings.slices)):
        end = postings.slices[term, 1]
        at = lower_bound(postings.docs, postings.slices[term, 0], end, doc)
        if at < end and postings.docs[at] == doc:
            total += contribution(postings, term, at)
    return total * norm_of(postings, doc)


@kernel
def scores_of(postings: QueryPostings, docs: IntArray) -> FloatArray:
    """The scores of some documents: looked up, or, if they are many, from the scores of all.

    Both ways give the same bits. A search in the postings of a term costs about as much as reading ``_SEARCH`` of them.
    """
    scores = np.zeros(len(docs), dtype=np.float64)
    if len(docs) == 0:
        return scores
    documents, read = docs.max() + 1, 0
    for term in range(len(postings.slices)):
        read += postings.slices[term, 1] - postings.slices[term, 0]
    if 2 * documents + read > _SEARCH * len(docs) * len(postings.slices):
        for place in range(len(docs)):
            scores[place] = score_of(postings, docs[place])
        return scores
    sums = np.zeros(documents, dtype=np.int64)
    for term in range(len(postings.slices)):
        for at in range(postings.slices[term, 0], postings.slices[term, 1]):
            if postings.docs[at] < documents:
                sums[postings.docs[at]] += contribution(postings, term, at)
    for place in range(len(docs)):
        scores[place] = sums[docs[place]] * norm_of(postings, docs[place])
    return scores


@kernel
def top_documents(scores: FloatArray, k: int) -> TopK:
    """The k documents with the highest positive scores; no other document scores above the threshold."""
    topk = empty_topk(k)
    for doc in range(len(scores)):
        if scores[doc] > topk.threshold[0]:
            push(topk, scores[doc], doc, 0)
    raise_threshold(topk)
    return topk


@kernel
def lower_bound(docs: NDArray[np.uint32] | NDArray[np.int32], low: int, high: int, doc: int) -> int:
    """The first position in ``low:high`` whose document is not less than ``doc``, by binary search."""
    while low < high:
        middle = (low + high) >> 1
        if docs[middle] < doc:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def galloping_search(docs: NDArray[np.uint32], low: int, high: int, doc: int) -> int:
    """As ``lower_bound``, but faster if the position is near ``low`` (Bentley and Yao 1976)."""
    step = 1
    while low + step < high and docs[low + step] < doc:
        low += step
        step <<= 1
    return lower_bound(docs, low, min(low + step + 1, high), doc)


# The terms of a query with their weights, made once for the whole index, and their postings in one shard.


_ROUNDING = 1 + 1e-6  # peaks are single floats, so bounds are raised by more than their error


@dataclass(frozen=True)
class WeightedTerms:
    """The terms of a query that occur on a side of the index, and their weights in units."""

    rows: IntArray  # the place of each term in the query
    terms: IntArray
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.terms)


def weighted_terms(
    terms: IntArray, counts: FloatArray, side: Side, similarity: str, weight: float = 1.0
) -> WeightedTerms:
    """Those of the terms that occur on one side, scores multiplied by a weight; none if the weight is 0."""
    query_weights = SIMILARITIES[similarity].query_weights
    documents_with = side.documents_with(terms)
    rows = np.flatnonzero(documents_with) if weight else np.zeros(0, dtype=np.int64)
    weights = query_weights(counts[rows], documents_with[rows].astype(np.float64), len(side))
    return WeightedTerms(rows, terms[rows], weights * weight * UNIT)


def query_postings(weighted: WeightedTerms, side: ShardSide, similarity: str) -> tuple[QueryPostings, IntArray]:
    """The postings of the terms that occur in a shard, lowest peaks first; and the place of each term in the query."""
    stored, postings = side.weights[similarity], side.postings
    found = located(weighted.terms, weighted.weights, side.term_table, postings.starts, stored.peaks, side.checked)
    if not found.checked:
        side.check_slices(found.own, found.slices)
    by_term = (found.slices, postings.docs, postings.shapes, found.weights, found.peaks)
    return QueryPostings(*by_term, stored.by_shape, stored.inverse_norms), weighted.rows[found.places]


class Located(NamedTuple):
    """Terms that occur in a shard, lowest peaks first."""

    places: IntArray  # among the terms that were looked for
    own: IntArray  # the shard's number of each
    slices: IntArray  # terms x (from, to) in the postings
    weights: FloatArray
    peaks: FloatArray
    checked: bool  # whether the postings of all were checked for damage before


@kernel
def located(
    terms: IntArray, weights: FloatArray, table: Numbers, starts: IntArray, peaks: NDArray[np.float32],
    checked: NDArray[np.bool_],
) -> Located:  # fmt: skip
    """Find the terms of a query in a shard; ``table`` has the number of each term of it in the index, or is empty."""
    count, is_checked = 0, True
    places, own = np.empty(len(terms), dtype=np.int64), np.empty(len(terms), dtype=np.int64)
    highest = np.empty(len(terms), dtype=np.float64)
    for place in range(len(terms)):
        term = terms[place] if not len(table) else place_of(table, terms[place])
        if term < 0 or starts[term + 1] == starts[term]:
            continue
        peak = weights[place] * peaks[term] * _ROUNDING
        at = count
        while at > 0 and highest[at - 1] > peak:  # sorted by insertion: a query has few terms
            highest[at], places[at], own[at] = highest[at - 1], places[at - 1], own[at - 1]
            at -= 1
        highest[at], places[at], own[at] = peak, place, term
        is_checked &= checked[term]
        count += 1
    slices, own_weights = np.empty((count, 2), dtype=np.int64), np.empty(count, dtype=np.float64)
    for at in range(count):
        slices[at, 0], slices[at, 1] = starts[own[at]], starts[own[at] + 1]
        own_weights[at] = weights[places[at]]
    return Located(places[:count], own[:count], slices, own_weights, highest[:count], is_checked)


@kernel
def place_of(ascending: Numbers, number: int) -> int:
    """The place of a number in an ascending array; -1 if it is missing."""
    place = lower_bound(ascending, 0, len(ascending), number)
    return place if place < len(ascending) and ascending[place] == number else -1
