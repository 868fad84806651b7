"""An inverted file over the dense vectors: each vector in the cell of its nearest centre, for approximate search.

Jégou, Douze and Schmid 2011 (IVFADC, without its codes). The centres are those of spherical k-means on a sample. A
search compares the query with the vectors of the cells nearest to it, and misses those in other cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.model.progress_callback import no_progress, share
from kaiwa.rank.models.dense_codes import product
from kaiwa.retrieve.search.topk import empty_topk, enters, push, raise_threshold
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.models.dense_codes import Coded, Codes, DenseCodes, Singles
    from kaiwa.retrieve.search.topk import TopK

PROBES = 32
"""Cells that a search reads."""
_MOST_CELLS = 2048
_SAMPLE = 64  # vectors for each cell, from which the centres are found
_ROUNDS = 8
_BLOCK = 1 << 13  # vectors compared with all centres at a time
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
    for low in range(0, count, _BLOCK):
        places = np.arange(low, min(low + _BLOCK, count))
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
    found = [(vectors[low : low + _BLOCK] @ centres.T).argmax(axis=1) for low in range(0, max(len(vectors), 1), _BLOCK)]
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
