"""The vectors of all posts and comments by the two towers, as numbers of eight bits, and exact search among them.

A vector v is stored as round(127 v / max|v|) and the factor that undoes this. The search compares the query with every
vector: no index is built, and nothing is missed but by rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.model.progress_callback import no_progress, share
from kaiwa.retrieve.search.topk import empty_topk, enters, push, raise_threshold
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.models.towers import Towers
    from kaiwa.rank.texts.corpus import Corpus
    from kaiwa.rank.texts.token_lists import TokenLists
    from kaiwa.retrieve.search.topk import TopK

Codes = NDArray[np.int8]
Singles = NDArray[np.float32]

_LARGEST = 127
_BLOCK = 1 << 16  # texts encoded at a time


class Coded(NamedTuple):
    """Vectors ("texts x dimensions") as ``codes`` times the ``factors`` of their rows."""

    codes: Codes
    factors: Singles

    def of(self, numbers: IntArray) -> Coded:
        """The vectors of some texts."""
        return Coded(self.codes[numbers], self.factors[numbers])


class DenseCodes(NamedTuple):
    """The coded posts and comments."""

    posts: Coded
    comments: Coded


def made_dense_codes(
    corpus: Corpus, towers: Towers, *, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: all posts and comments of a corpus, encoded."""
    cut = len(corpus.posts) / max(len(corpus.posts) + len(corpus.comments), 1)
    posts = _encoded(corpus.posts, towers, 0, share(progress, 0, cut))
    comments = _encoded(corpus.comments, towers, 1, share(progress, cut, 1))
    return {
        "posts.codes": posts.codes,
        "posts.factors": posts.factors,
        "comments.codes": comments.codes,
        "comments.factors": comments.factors,
    }


def opened_dense_codes(arrays: Mapping[str, Any]) -> DenseCodes:  # Any: arrays
    """The model, from its arrays."""
    return DenseCodes(*(Coded(arrays[f"{side}.codes"], arrays[f"{side}.factors"]) for side in ("posts", "comments")))


def coded(vectors: Singles) -> Coded:
    """Vectors as numbers of eight bits.

    >>> coded(np.array([[0.5, -1.0], [0.0, 0.0]], dtype=np.float32)).codes.tolist()
    [[64, -127], [0, 0]]
    """
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    factors = np.where(largest > 0, largest, 1.0).astype(np.float32) / np.float32(_LARGEST)
    return Coded(np.rint(vectors / factors[:, None]).astype(np.int8), factors)


def nearest(texts: Coded, query: Coded, k: int) -> TopK:
    """The k texts with the largest positive products with the query, ties by their numbers."""
    return nearest_codes(texts.codes, texts.factors * query.factors[0], query.codes[0].astype(np.int16), k)


def products(texts: Coded, query: Coded) -> FloatArray:
    """The product of the query and each text."""
    return code_products(texts.codes, texts.factors * query.factors[0], query.codes[0].astype(np.int16))


def _encoded(texts: TokenLists, towers: Towers, side: int, progress: Progress) -> Coded:
    """All texts of one side, encoded in blocks."""
    codes = np.empty((len(texts), towers.vectors.shape[1]), dtype=np.int8)
    factors = np.empty(len(texts), dtype=np.float32)
    for low in range(0, len(texts), _BLOCK):
        high = min(low + _BLOCK, len(texts))
        codes[low:high], factors[low:high] = coded(towers.encoded(texts.of(np.arange(low, high)), side))
        progress(high, len(texts))
    return Coded(codes, factors)


@kernel
def product(codes: Codes, row: int, query: NDArray[np.int16]) -> np.int32:
    """The product of one coded vector and the query."""
    total = np.int32(0)
    for place in range(codes.shape[1]):
        total += np.int32(codes[row, place]) * np.int32(query[place])
    return total


@kernel
def nearest_codes(codes: Codes, factors: Singles, query: NDArray[np.int16], k: int) -> TopK:
    """The k rows with the largest positive products."""
    topk = empty_topk(k)
    for row in range(len(codes)):
        score = float(product(codes, row, query)) * float(factors[row])
        if enters(topk, score, row):
            push(topk, score, row, 0)
    raise_threshold(topk)
    return topk


@kernel
def code_products(codes: Codes, factors: Singles, query: NDArray[np.int16]) -> FloatArray:
    """The product of every row."""
    scores = np.empty(len(codes))
    for row in range(len(codes)):
        scores[row] = float(product(codes, row, query)) * float(factors[row])
    return scores
