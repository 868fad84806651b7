"""BM25 (Robertson and Zaragoza 2009), with the idf that is never negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray

    Whole = NDArray[np.uint32]

K1 = 1.2
B = 0.75


def inverse_document_frequency(documents_with: FloatArray, documents: int) -> FloatArray:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) per term.

    >>> inverse_document_frequency(np.array([1.0, 2.0]), 2).round(4)
    array([0.6931, 0.1823])
    """
    return np.log1p((documents - documents_with + 0.5) / (documents_with + 0.5))


def query_weights(counts: FloatArray, documents_with: FloatArray, documents: int) -> FloatArray:
    """The count of the term in the query, times idf."""
    return counts * inverse_document_frequency(documents_with, documents)


def weights_by_shape(frequency: Whole, length: Whole, mean_length: float) -> FloatArray:
    """Tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)) per shape, the part that idf multiplies."""
    tf = frequency.astype(np.float64)
    relative = K1 * (1 - B + B * length / max(mean_length, 1e-9))
    weights: FloatArray = tf * (K1 + 1) / (tf + relative)
    return weights
