"""BM25 (Robertson and Zaragoza 2009), with the idf that is never negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.model import FloatArray
    from kaiwa.retrieve.invert import Postings

K1 = 1.2
B = 0.75


def inverse_document_frequency(documents_with: FloatArray, documents: int) -> FloatArray:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) per term.

    >>> inverse_document_frequency(np.array([1.0, 2.0]), 2).round(4)
    array([0.6931, 0.1823])
    """
    return np.log1p((documents - documents_with + 0.5) / (documents_with + 0.5))


def by_shape(postings: Postings) -> FloatArray:
    """Tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)) per shape, the part that idf multiplies."""
    often = postings.often.astype(np.float64)
    mean_length = postings.tokens / max(postings.documents, 1)
    length = K1 * (1 - B + B * postings.length / max(mean_length, 1e-9))
    weights: FloatArray = often * (K1 + 1) / (often + length)
    return weights
