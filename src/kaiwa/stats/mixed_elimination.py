"""Sums of crossproducts of a crossed mixed model, and the elimination of its cells and local effects.

The derivative of the REML criterion by an entry of the sums comes from the same elimination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.model.ids import FloatArray

    Sparse = Any  # Any: scipy.sparse has no types; an array if there are few cells

TOPIC, TOPIC_RUN, ANSWER = "topic", "topic x run", "answer"
ASSESSOR, ASSESSOR_TOPIC, ASSESSOR_RUN = "assessor", "assessor x topic", "assessor x run"
TERMS = (TOPIC, TOPIC_RUN, ANSWER, ASSESSOR, ASSESSOR_TOPIC, ASSESSOR_RUN)


@dataclass(frozen=True)
class Sums:
    """Crossproducts of the columns: ``cells`` is a diagonal; local columns are topics x slots, wide ones end with y."""

    cells: FloatArray
    cells_local: Sparse
    cells_wide: Sparse
    local: FloatArray
    local_wide: FloatArray
    wide: FloatArray

    def plus(self, other: Sums, weight: float) -> Sums:
        """These sums with the others times ``weight``."""
        return Sums(
            *(mine + weight * theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass(frozen=True)
class Elimination:
    """The equations after cells and local effects are eliminated."""

    sums: Sums
    pivots: FloatArray
    local_inverse: FloatArray
    projection: FloatArray
    inverse: FloatArray
    coefficients: FloatArray
    rss: float
    log_determinant: float

    @classmethod
    def of(cls, sums: Sums, ratios: Mapping[str, float], priors: FloatArray) -> Elimination:
        """The sums with cells and local effects eliminated, at these ratios of variances."""
        topics, slots = sums.local.shape[:2]
        cell_ratio = ratios.get(TOPIC_RUN, 1.0)
        pivots = sums.cells + 1 / cell_ratio
        local_priors = np.repeat(1 / ratios.get(ASSESSOR_TOPIC, 1.0), slots)
        local_priors[:1] = 1 / ratios.get(TOPIC, 1.0)
        taken = _crossed(sums, 1 / pivots, sums)
        local = sums.local - taken.local + np.diag(local_priors)
        local_wide = (sums.local_wide - taken.local_wide).reshape(topics, slots, len(sums.wide))
        local_inverse = np.linalg.inv(local).astype(np.float64)
        projection = local_inverse @ local_wide
        wide = sums.wide - taken.wide
        flat = (topics * slots, len(wide))
        wide -= local_wide.reshape(flat).T @ projection.reshape(flat)
        system = wide[:-1, :-1] + np.diag(priors)
        inverse = np.linalg.inv(system).astype(np.float64)
        coefficients = inverse @ wide[:-1, -1]
        log_determinant = (
            np.log(pivots * cell_ratio).sum()
            + _log_determinant(local)
            - topics * np.log(local_priors).sum()
            + _log_determinant(system)
            - np.log(priors[priors > 0]).sum()
        )
        rss = float(wide[-1, -1] - wide[-1, :-1] @ coefficients)
        return cls(sums, pivots, local_inverse, projection, inverse, coefficients, rss, float(log_determinant))

    def adjoint(self, variance: float) -> Blocks:
        """The derivative of the criterion by each entry of the equations that are left without cells."""
        residuals = np.append(-self.coefficients, 1.0)
        wide = np.outer(residuals, residuals) / variance
        wide[:-1, :-1] += self.inverse
        local_wide = self.projection @ wide
        local = self.local_inverse + local_wide @ self.projection.transpose(0, 2, 1)
        return Blocks(local, -local_wide.reshape(-1, len(wide)), wide)

    def slope_by_cells(self, adjoint: Blocks, weights: FloatArray) -> float:
        """The derivative of the criterion in the direction of these weights on the diagonal of the cells."""
        return float((weights / self.pivots).sum()) + adjoint.inner(
            _crossed(self.sums, weights / self.pivots**2, self.sums)
        )

    def slope_by_sums(self, adjoint: Blocks, part: Sums) -> float:
        """The derivative of the criterion in the direction of these sums."""
        crossed = _crossed(self.sums, 1 / self.pivots, part)
        return self.slope_by_cells(adjoint, part.cells) - 2 * adjoint.inner(crossed) + adjoint.inner(part)


@dataclass(frozen=True)
class Blocks:
    """A symmetric matrix over local and wide columns."""

    local: FloatArray
    local_wide: FloatArray
    wide: FloatArray

    def inner(self, other: Blocks | Sums) -> float:
        """The sum of the products of all entries."""
        return float(
            (self.local * other.local).sum()
            + 2 * (self.local_wide * other.local_wide).sum()
            + (self.wide * other.wide).sum()
        )


def _crossed(one: Sums, weights: FloatArray, other: Sums) -> Blocks:
    """The crossproducts of the cells' rows of two sums, weighted by cell, made symmetric."""
    from scipy.sparse import dia_array

    topics, slots = one.local.shape[:2]
    if not len(weights):
        return Blocks(np.zeros_like(one.local), np.zeros_like(one.local_wide), np.zeros_like(one.wide))
    if isinstance(one.cells_local, np.ndarray):
        local, wide = one.cells_local.T * weights, one.cells_wide.T * weights
    else:
        scaled = dia_array((weights[None], [0]), shape=(len(weights), len(weights))).tocsr()
        local, wide = one.cells_local.T @ scaled, one.cells_wide.T @ scaled
    across = dense(local @ other.cells_wide)
    if other is not one:
        across = (across + dense(wide @ other.cells_local).T) / 2
    return Blocks(block_diagonal(local @ other.cells_local, topics, slots), across, dense(wide @ other.cells_wide))


def dense(matrix: Sparse) -> FloatArray:
    """The matrix as an array."""
    array: FloatArray = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return array


def _log_determinant(matrices: FloatArray) -> float:
    """The log determinants of positive definite matrices, summed."""
    factors = np.linalg.cholesky(matrices)
    return 2 * float(np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum())


def block_diagonal(matrix: Sparse, topics: int, slots: int) -> FloatArray:
    """A block-diagonal matrix as topics x slots x slots."""
    if isinstance(matrix, np.ndarray):
        each = np.arange(topics)
        chosen: FloatArray = matrix.reshape(topics, slots, topics, slots)[each, :, each, :]
        return chosen
    blocks = np.zeros((topics, slots, slots))
    entries = matrix.tocoo()
    row, column = entries.coords
    if slots:
        np.add.at(blocks, (row // slots, row % slots, column % slots), entries.data)
    return blocks
