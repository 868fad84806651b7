"""Similarities of a query and a document: each is one row of SIMILARITIES, which is all that build and search need.

A document's score is the sum over the query's terms of (weight in the query) x (weight by shape), times the document's
inverse norm if the similarity has norms. A shape is (frequency of the term, length of the document).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.registry import Names
from kaiwa.retrieve.similarity import bm25, tfidf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray

    Whole = NDArray[np.uint32]


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
        "bm25": Similarity(bm25.query_weights, bm25.weights_by_shape, parameters={"k1": bm25.K1, "b": bm25.B}),
        "tfidf": Similarity(tfidf.query_weights, tfidf.weights_by_shape, has_norms=True),
    },
)

norm_weights = tfidf.inverse_document_frequency
"""Per term, its weight in the document vectors: the lengths of these vectors are the norms that an index stores."""
