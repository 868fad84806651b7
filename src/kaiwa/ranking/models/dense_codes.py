"""The vectors of all posts and comments by the two towers, as numbers of eight bits, and exact search among them.

A vector v is stored as round(127 v / max|v|) and the factor that undoes this. The search compares the query with every
vector: no index is built, and nothing is missed but by rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.ambient import no_progress, share
from kaiwa.retrieval.topk import empty_topk, enters, push, raise_threshold
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.models.towers import Towers
    from kaiwa.ranking.texts import Corpus, TokenLists
    from kaiwa.retrieval.topk import TopK


Codes = NDArray[np.int8]
Singles = NDArray[np.float32]

_LARGEST = 127
_DENSE_CODES_BLOCK = 1 << 16  # texts encoded at a time


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
    for low in range(0, len(texts), _DENSE_CODES_BLOCK):
        high = min(low + _DENSE_CODES_BLOCK, len(texts))
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


# An inverted file over the dense vectors: each vector in the cell of its nearest centre, for approximate search.


PROBES = 32
"""Cells that a search reads."""
_MOST_CELLS = 2048
_SAMPLE = 64  # vectors for each cell, from which the centres are found
_ROUNDS = 8
_VECTOR_CELLS_BLOCK = 1 << 13  # vectors compared with all centres at a time
_SIDES = ("posts", "comments")


class Cells(NamedTuple):
    """The centres ("cells x dimensions"); cell c holds the vectors ``members[starts[c]:starts[c + 1]]``."""

    centres: Singles
    starts: IntArray
    members: NDArray[np.uint32]


class VectorCells(NamedTuple):
    """The cells of posts and of comments."""

    posts: Cells
    comments: Cells


def made_vector_cells(
    codes: DenseCodes, *, seed: int, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: the cells of all coded posts and comments."""
    arrays: dict[str, Any] = {}  # Any: arrays
    for place, side in enumerate(_SIDES):
        own = share(progress, place / len(_SIDES), (place + 1) / len(_SIDES))
        made = cells_of(getattr(codes, side), np.random.default_rng([seed, place]), progress=own)
        arrays |= {f"{side}.{part}": values for part, values in made._asdict().items()}
    return arrays


def opened_vector_cells(arrays: Mapping[str, Any]) -> VectorCells:  # Any: arrays
    """The model, from its arrays."""
    return VectorCells(*(Cells(*(arrays[f"{side}.{part}"] for part in Cells._fields)) for side in _SIDES))


def cells_of(vectors: Coded, rng: np.random.Generator, *, progress: Progress = no_progress) -> Cells:
    """The cells of coded vectors, about as many as the root of their number."""
    count = len(vectors.codes)
    cells = max(1, min(int(np.sqrt(count)), _MOST_CELLS))
    sample = _decoded(vectors, np.sort(rng.permutation(count)[: _SAMPLE * cells]))
    centres = sample[rng.permutation(len(sample))[:cells]]
    for _ in range(_ROUNDS):
        centres = _moved(centres, sample, _nearest_centres(sample, centres))
    cell_of = np.zeros(count, dtype=np.int64)
    for low in range(0, count, _VECTOR_CELLS_BLOCK):
        places = np.arange(low, min(low + _VECTOR_CELLS_BLOCK, count))
        cell_of[places] = _nearest_centres(_decoded(vectors, places), centres)
        progress(low, count)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(cell_of, minlength=len(centres)))))
    return Cells(centres, starts, np.argsort(cell_of, kind="stable").astype(np.uint32))


def nearest_in_cells(vectors: Coded, cells: Cells, query: Coded, k: int, *, probes: int = PROBES) -> TopK:
    """The k vectors with the largest positive products among those in the cells nearest to the query."""
    asked = _decoded(query, np.zeros(1, dtype=np.int64))[0]
    order = np.argsort(-np.einsum("cd,d->c", cells.centres, asked), kind="stable")
    factors = query.factors[0]
    return nearest_members(
        vectors.codes, vectors.factors, query.codes[0].astype(np.int16), factors, *cells[1:], order[:probes], k
    )


def _decoded(vectors: Coded, places: IntArray) -> Singles:
    return vectors.codes[places] * vectors.factors[places, None]


def _nearest_centres(vectors: Singles, centres: Singles) -> IntArray:
    """The number of the centre with the largest product with each vector."""
    found = [
        (vectors[low : low + _VECTOR_CELLS_BLOCK] @ centres.T).argmax(axis=1)
        for low in range(0, max(len(vectors), 1), _VECTOR_CELLS_BLOCK)
    ]
    return np.concatenate(found)


def _moved(centres: Singles, vectors: Singles, cell_of: IntArray) -> Singles:
    """The means of the cells, of length 1; the centre of an empty cell stays."""
    sums = np.zeros_like(centres)
    np.add.at(sums, cell_of, vectors)
    lengths = np.sqrt((sums**2).sum(axis=1, keepdims=True))
    moved: Singles = np.where(lengths > 0, sums / np.maximum(lengths, 1e-12), centres).astype(np.float32)
    return moved


@kernel
def nearest_members(
    codes: Codes, factors: Singles, query: NDArray[np.int16], factor: float, starts: IntArray,
    members: NDArray[np.uint32], cells: IntArray, k: int,
) -> TopK:  # fmt: skip
    """The k members of some cells with the largest positive products."""
    topk = empty_topk(k)
    for cell in cells:
        for at in range(starts[cell], starts[cell + 1]):
            row = int(members[at])
            score = float(product(codes, row, query)) * float(np.float32(factors[row] * factor))
            if enters(topk, score, row):
                push(topk, score, row, 0)
    raise_threshold(topk)
    return topk
