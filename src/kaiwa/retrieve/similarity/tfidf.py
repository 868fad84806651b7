"""The vector space model: the cosine of tf-idf vectors (Salton et al. 1975), the similarity the STC papers name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray


def inverse_document_frequency(documents_with: FloatArray, documents: int) -> FloatArray:
    """ln(1 + N / n) per term; above zero even for a term in every document, so a small repository answers too.

    >>> inverse_document_frequency(np.array([1.0, 2.0]), 2).round(4)
    array([1.0986, 0.6931])
    """
    return np.log1p(documents / np.maximum(documents_with, 1.0))


def by_shape(often: NDArray[np.uint32]) -> FloatArray:
    """How often the term stands in the document, per shape."""
    return often.astype(np.float64)
