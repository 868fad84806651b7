"""The normal equations of a crossed mixed model, solved by elimination; the REML criterion and its gradient.

Scores are fixed run means plus random effects of topic, topic x run, answer, assessor, assessor x topic and assessor x
run. Effects inside a topic are eliminated first: answers and topic x run are diagonal, topic and assessor x topic are
small blocks. What is left has a column per run, assessor and assessor x run, so that time and memory grow linearly with
the topics. The criterion is -2 log of the REML likelihood (Bates et al. 2015); ratios are variances over that of the
residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.model.ids import FloatArray, IntArray

    Sparse = Any  # Any: scipy.sparse has no types; an array if there are few cells

TOPIC, TOPIC_RUN, ANSWER = "topic", "topic x run", "answer"
ASSESSOR, ASSESSOR_TOPIC, ASSESSOR_RUN = "assessor", "assessor x topic", "assessor x run"
_SMALL = 3_000_000
"""Operations of a dense crossproduct of the cells' rows below which sparse matrices only cost time."""
TERMS = (TOPIC, TOPIC_RUN, ANSWER, ASSESSOR, ASSESSOR_TOPIC, ASSESSOR_RUN)


@dataclass(frozen=True)
class _Sums:
    """Crossproducts of the columns: ``cells`` is a diagonal; local columns are topics x slots, wide ones end with y."""

    cells: FloatArray
    cells_local: Sparse
    cells_wide: Sparse
    local: FloatArray
    local_wide: FloatArray
    wide: FloatArray

    def plus(self, other: _Sums, weight: float) -> _Sums:
        """These sums with the others times ``weight``."""
        return _Sums(
            *(mine + weight * theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass(frozen=True)
class Evaluation:
    """The REML criterion at given ratios and residual variance, and what follows from them.

    ``gradient`` is that of the criterion by ratio, in the order of the equations' terms. ``coefficients`` are fixed run
    means, then the effects of assessors and assessor x run; ``inverse`` times the residual variance is the covariance
    of their errors.
    """

    criterion: float
    rss: float
    residual: float
    gradient: FloatArray
    coefficients: FloatArray
    inverse: FloatArray


class MixedEquations:
    """The equations of scores with a run and with level codes of the random terms.

    ``codes`` has, for each term of the model, the level of each score, from 0 and without gaps; ``topic`` is given even
    if it is not a term.
    """

    def __init__(self, values: FloatArray, run: IntArray, codes: Mapping[str, IntArray], topic: IntArray) -> None:
        self.terms = tuple(term for term in TERMS if term in codes)
        self.scores, self.runs = len(values), int(run.max()) + 1
        self.sizes = {term: int(codes[term].max()) + 1 for term in self.terms}
        self.centre = np.bincount(run, values) / np.bincount(run)
        self._topics, self._slots = int(topic.max()) + 1, 0
        columns = self._columns(values - self.centre[run], run, codes, topic)
        self._plain = self._sums(columns)
        self._answers = self._answer_sums(columns, codes.get(ANSWER))

    def _columns(self, y: FloatArray, run: IntArray, codes: Mapping[str, IntArray], topic: IntArray) -> list[Sparse]:
        """The columns of cells, of effects inside a topic, and of all others with y, scores x columns."""
        from scipy.sparse import csr_array, hstack

        def indicator(code: IntArray | None, columns: int | None = None) -> Sparse:
            if code is None:
                return csr_array((len(y), 0))
            shape = (len(y), int(code.max()) + 1 if columns is None else columns)
            return csr_array((np.ones(len(y)), (np.arange(len(y)), code)), shape=shape)

        slots = _slots(topic, codes[ASSESSOR_TOPIC]) if ASSESSOR_TOPIC in codes else None
        self._slots = (TOPIC in codes) * 1 if slots is None else 1 + int(slots.max()) + 1
        places = self._topics * self._slots
        local = indicator(topic * self._slots, places) if TOPIC in codes else csr_array((len(y), places))
        if slots is not None:
            local += indicator(topic * self._slots + 1 + slots, places)
        wide = [indicator(run), *(indicator(codes.get(term)) for term in (ASSESSOR, ASSESSOR_RUN))]
        return [indicator(codes.get(TOPIC_RUN)), csr_array(local), csr_array(hstack([*wide, y[:, None]]))]

    def _sums(self, columns: list[Sparse]) -> _Sums:
        cells, local, wide = columns
        across = cells.T @ local, cells.T @ wide
        if cells.shape[1] * (local.shape[1] + wide.shape[1]) ** 2 <= _SMALL:
            across = across[0].toarray(), across[1].toarray()
        return _Sums(
            np.asarray(cells.power(2).sum(axis=0), dtype=float).ravel(),
            *across,
            _block_diagonal(local.T @ local, self._topics, self._slots),
            (local.T @ wide).toarray(),
            (wide.T @ wide).toarray(),
        )

    def _answer_sums(self, columns: list[Sparse], answer: IntArray | None) -> list[tuple[int, int, _Sums]]:
        """For each number of scores of an answer: that number, the number of such answers, the sums over them."""
        from scipy.sparse import csr_array

        if answer is None:
            return []
        sizes = np.bincount(answer)
        found = []
        for size in np.unique(sizes).tolist():
            chosen = np.flatnonzero(sizes[answer] == size)
            _, group = np.unique(answer[chosen], return_inverse=True)
            total = csr_array((np.ones(len(chosen)), (group, chosen)), shape=(int(group.max()) + 1, self.scores))
            found.append((int(size), total.shape[0], self._sums([total @ part for part in columns])))
        return found

    def evaluate(self, ratios: Mapping[str, float], residual: float | None = None) -> Evaluation:
        """The criterion at these ratios; without a residual variance, at the one that minimises it."""
        sums, criterion = self._plain, 0.0
        for size, count, part in self._answers:
            sums = sums.plus(part, -ratios[ANSWER] / (1 + size * ratios[ANSWER]))
            criterion += count * np.log1p(size * ratios[ANSWER])
        solved = _Elimination.of(sums, ratios, self._priors(ratios))
        freedom = self.scores - self.runs
        variance = solved.rss / freedom if residual is None else residual
        criterion += solved.log_determinant + freedom * np.log(2 * np.pi * variance) + solved.rss / variance
        adjoint = solved.adjoint(variance)
        return Evaluation(
            float(criterion),
            solved.rss,
            variance,
            np.array([self._slope(term, ratios[term], solved, adjoint) for term in self.terms]),
            solved.coefficients + np.pad(self.centre, (0, len(solved.coefficients) - self.runs)),
            solved.inverse,
        )

    def _priors(self, ratios: Mapping[str, float]) -> FloatArray:
        """1 over the ratio of each wide column but y; 0 for the runs, which are fixed."""
        wide = [np.full(self.sizes[term], 1 / ratios[term]) for term in (ASSESSOR, ASSESSOR_RUN) if term in self.sizes]
        return np.concatenate([np.zeros(self.runs), *wide])

    def _slope(self, term: str, ratio: float, solved: _Elimination, adjoint: _Blocks) -> float:
        """The derivative of the criterion by one ratio."""
        if term == ANSWER:
            return sum(
                count * size / (1 + size * ratio) - solved.slope_by_sums(adjoint, part) / (1 + size * ratio) ** 2
                for size, count, part in self._answers
            )
        if term == TOPIC_RUN:
            levels, trace = self.sizes[term], solved.slope_by_cells(adjoint, np.ones(self.sizes[term]))
        elif term in {TOPIC, ASSESSOR_TOPIC}:
            diagonal = np.diagonal(adjoint.local, axis1=1, axis2=2)
            chosen = diagonal[:, :1] if term == TOPIC else diagonal[:, 1:]
            levels, trace = chosen.size, float(chosen.sum())
        else:
            levels, trace = self.sizes[term], float(np.diagonal(adjoint.wide)[self.of_term(term)].sum())
        return levels / ratio - trace / ratio**2

    def of_term(self, term: str) -> slice:
        """The places of a wide term among the coefficients."""
        start = self.runs + (self.sizes.get(ASSESSOR, 0) if term == ASSESSOR_RUN else 0)
        return slice(start, start + self.sizes.get(term, 0))


@dataclass(frozen=True)
class _Elimination:
    """The equations after cells and local effects are eliminated."""

    sums: _Sums
    pivots: FloatArray
    local_inverse: FloatArray
    projection: FloatArray
    inverse: FloatArray
    coefficients: FloatArray
    rss: float
    log_determinant: float

    @classmethod
    def of(cls, sums: _Sums, ratios: Mapping[str, float], priors: FloatArray) -> _Elimination:
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

    def adjoint(self, variance: float) -> _Blocks:
        """The derivative of the criterion by each entry of the equations that are left without cells."""
        residuals = np.append(-self.coefficients, 1.0)
        wide = np.outer(residuals, residuals) / variance
        wide[:-1, :-1] += self.inverse
        local_wide = self.projection @ wide
        local = self.local_inverse + local_wide @ self.projection.transpose(0, 2, 1)
        return _Blocks(local, -local_wide.reshape(-1, len(wide)), wide)

    def slope_by_cells(self, adjoint: _Blocks, weights: FloatArray) -> float:
        """The derivative of the criterion in the direction of these weights on the diagonal of the cells."""
        return float((weights / self.pivots).sum()) + adjoint.inner(
            _crossed(self.sums, weights / self.pivots**2, self.sums)
        )

    def slope_by_sums(self, adjoint: _Blocks, part: _Sums) -> float:
        """The derivative of the criterion in the direction of these sums."""
        crossed = _crossed(self.sums, 1 / self.pivots, part)
        return self.slope_by_cells(adjoint, part.cells) - 2 * adjoint.inner(crossed) + adjoint.inner(part)


@dataclass(frozen=True)
class _Blocks:
    """A symmetric matrix over local and wide columns."""

    local: FloatArray
    local_wide: FloatArray
    wide: FloatArray

    def inner(self, other: _Blocks | _Sums) -> float:
        """The sum of the products of all entries."""
        return float(
            (self.local * other.local).sum()
            + 2 * (self.local_wide * other.local_wide).sum()
            + (self.wide * other.wide).sum()
        )


def _crossed(one: _Sums, weights: FloatArray, other: _Sums) -> _Blocks:
    """The crossproducts of the cells' rows of two sums, weighted by cell, made symmetric."""
    from scipy.sparse import dia_array

    topics, slots = one.local.shape[:2]
    if not len(weights):
        return _Blocks(np.zeros_like(one.local), np.zeros_like(one.local_wide), np.zeros_like(one.wide))
    if isinstance(one.cells_local, np.ndarray):
        local, wide = one.cells_local.T * weights, one.cells_wide.T * weights
    else:
        scaled = dia_array((weights[None], [0]), shape=(len(weights), len(weights))).tocsr()
        local, wide = one.cells_local.T @ scaled, one.cells_wide.T @ scaled
    across = _dense(local @ other.cells_wide)
    if other is not one:
        across = (across + _dense(wide @ other.cells_local).T) / 2
    return _Blocks(_block_diagonal(local @ other.cells_local, topics, slots), across, _dense(wide @ other.cells_wide))


def _dense(matrix: Sparse) -> FloatArray:
    """The matrix as an array."""
    array: FloatArray = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return array


def _log_determinant(matrices: FloatArray) -> float:
    """The log determinants of positive definite matrices, summed."""
    factors = np.linalg.cholesky(matrices)
    return 2 * float(np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum())


def _block_diagonal(matrix: Sparse, topics: int, slots: int) -> FloatArray:
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


def _slots(topic: IntArray, assessor_topic: IntArray) -> IntArray:
    """The place of each score's assessor among the assessors of its topic, from 0."""
    levels, first = np.unique(assessor_topic, return_index=True)
    order = np.lexsort((levels, topic[first]))
    sorted_topics = topic[first][order]
    starts = np.flatnonzero(np.append(True, sorted_topics[1:] != sorted_topics[:-1]))
    place = np.arange(len(levels)) - np.repeat(starts, np.diff(np.append(starts, len(levels))))
    slots = np.empty(len(levels), dtype=np.int64)
    slots[order] = place
    return slots[assessor_topic]
