"""Similarities of a query and a document: each is one row of SIMILARITIES, which is all that build and search need.

A document's score is the sum over the query's terms of (weight in the query) x (weight by shape), times the document's
inverse norm if the similarity has norms. A shape is (frequency of the term, length of the document).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray

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
