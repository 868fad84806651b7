"""The vector space model: the cosine of tf-idf vectors (Salton et al. 1975), the similarity of the STC papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray

    Whole = NDArray[np.uint32]


def inverse_document_frequency(documents_with: FloatArray, documents: int) -> FloatArray:
    """ln(1 + N / n) per term; above zero even for a term in every document, so that a small repository gives answers.

    >>> inverse_document_frequency(np.array([1.0, 2.0]), 2).round(4)
    array([1.0986, 0.6931])
    """
    return np.log1p(documents / np.maximum(documents_with, 1.0))


def query_weights(counts: FloatArray, documents_with: FloatArray, documents: int) -> FloatArray:
    """Tf idf in the query, divided by the length of the query's vector, times the idf in the document's vector."""
    idf = inverse_document_frequency(documents_with, documents)
    length = float(np.sqrt(((counts * idf) ** 2).sum()))
    weights: FloatArray = counts * idf * idf / (length or 1.0)
    return weights


def weights_by_shape(frequency: Whole, _length: Whole, _mean_length: float) -> FloatArray:
    """The frequency of the term in the document, per shape; the norm divides by the length of the vector."""
    return frequency.astype(np.float64)
