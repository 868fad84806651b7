"""REML estimates of a crossed mixed model: variances, run means, and how well they are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.nouns.ids import FloatArray, IntArray

    Sparse = Any  # Any: scipy.sparse has no types; an array if there are few cells


# Sums of crossproducts of a crossed mixed model, and the elimination of its cells and local effects.


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


# The normal equations of a crossed mixed model, solved by elimination; the REML criterion and its gradient.


_MIXED_EQUATIONS_SMALL = 3_000_000
"""Operations of a dense crossproduct of the cells' rows below which sparse matrices only cost time."""


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

    def _sums(self, columns: list[Sparse]) -> Sums:
        cells, local, wide = columns
        across = cells.T @ local, cells.T @ wide
        if cells.shape[1] * (local.shape[1] + wide.shape[1]) ** 2 <= _MIXED_EQUATIONS_SMALL:
            across = across[0].toarray(), across[1].toarray()
        return Sums(
            np.asarray(cells.power(2).sum(axis=0), dtype=float).ravel(),
            *across,
            block_diagonal(local.T @ local, self._topics, self._slots),
            (local.T @ wide).toarray(),
            (wide.T @ wide).toarray(),
        )

    def _answer_sums(self, columns: list[Sparse], answer: IntArray | None) -> list[tuple[int, int, Sums]]:
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
        solved = Elimination.of(sums, ratios, self._priors(ratios))
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

    def _slope(self, term: str, ratio: float, solved: Elimination, adjoint: Blocks) -> float:
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


ZERO = 1e-8
"""The ratio of a term without variance: its effects are shrunk to nothing."""
LARGEST, _REML_SMALL = 1e5, 1e-2
"""The largest ratio of the search, and the one below which zero is tried."""
_SAMPLE_SCORES, _SAMPLE_TOPICS = 6_000, 40
"""The search over more scores and topics starts from the estimates of a sample of topics, at least this large."""
_STEP = 2e-3
_SETTLED = 1e-5
"""Steps of a log ratio that are no longer worth taking; their squares are such gains of the criterion."""
_NEWTON_STEPS = 20
_SAME = 1e-6
"""Values of the criterion that differ by less are equal."""


@dataclass(frozen=True)
class Fit:
    """The model fitted: variances by term and of the residual, and the covariance of the estimates.

    ``covariance`` is that of the logs of the ratios of the terms in ``varied`` and of the log residual variance;
    ``slopes`` are the derivatives, by these logs, of the covariance matrix of the run means.
    """

    equations: MixedEquations
    variances: dict[str, float]
    residual: float
    found: Evaluation
    varied: tuple[str, ...]
    covariance: FloatArray = field(repr=False)
    slopes: FloatArray = field(repr=False)

    @property
    def means(self) -> FloatArray:
        """The run means, adjusted for what is missing."""
        return self.found.coefficients[: self.equations.runs]

    @property
    def mean_covariance(self) -> FloatArray:
        """The covariance matrix of the run means."""
        runs = self.equations.runs
        matrix: FloatArray = self.residual * self.found.inverse[:runs, :runs]
        return matrix

    def effects(self, term: str) -> tuple[FloatArray, FloatArray]:
        """The predicted effects (BLUPs) of assessors or of assessor x run, and their standard errors."""
        places = self.equations.of_term(term)
        errors = np.sqrt(self.residual * np.diagonal(self.found.inverse)[places])
        return self.found.coefficients[places], errors

    def freedom_of_variance(self, term: str | None) -> float:
        """Satterthwaite's degrees of freedom of a variance estimate; None: of the residual."""
        chosen = np.zeros(len(self.varied) + 1)
        chosen[-1] = 1
        if term is not None:
            chosen[self.varied.index(term)] = 1
        return float(2 / (chosen @ self.covariance @ chosen))

    def differences(self) -> tuple[FloatArray, FloatArray]:
        """Standard errors of the differences of all run means, and their Satterthwaite degrees of freedom."""
        variance = _of_differences(self.mean_covariance)
        slopes = np.array([_of_differences(slope) for slope in self.slopes])
        spread = np.einsum("iab,ij,jab->ab", slopes, self.covariance, slopes)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.where(spread > 0, 2 * variance**2 / spread, np.inf)
        return np.sqrt(variance), np.maximum(freedom, 1.0)


def reml(values: FloatArray, run: IntArray, codes: Mapping[str, IntArray], topic: IntArray) -> Fit:
    """The model with fixed run means and these random terms, fitted by REML (Patterson & Thompson 1971).

    >>> run, topic = np.tile([0, 1, 2], 4), np.repeat([0, 1, 2, 3], 3)
    >>> scores = np.array([0.7, 0.5, 0.0, 0.9, 0.7, 0.0, 0.2, 0.0, 0.2, 0.6, 0.2, 0.1])
    >>> fit = reml(scores, run, {"topic": topic}, topic)
    >>> {term: round(variance, 4) for term, variance in fit.variances.items()}, round(fit.residual, 4)
    ({'topic': 0.0106}, 0.0536)
    """
    equations = MixedEquations(values, run, codes, topic)
    apart = min(len(values) // _SAMPLE_SCORES, int(topic.max()) // _SAMPLE_TOPICS)
    if apart > 1:
        found = _refined(equations, _sampled(values, run, codes, topic, apart))
    else:
        found = _refined(equations, _searched(equations, dict.fromkeys(equations.terms, 0.5)))
    return _inferred(equations, found)


def _sampled(
    values: FloatArray, run: IntArray, codes: Mapping[str, IntArray], topic: IntArray, apart: int
) -> dict[str, float]:
    """The ratios near the minimum for every topic of so many."""
    chosen = np.flatnonzero(topic % apart == 0)
    part = {term: _recoded(code[chosen]) for term, code in codes.items()}
    equations = MixedEquations(values[chosen], _recoded(run[chosen]), part, _recoded(topic[chosen]))
    found = _searched(equations, dict.fromkeys(equations.terms, 0.5))
    return {term: max(ratio, 1e-3) for term, ratio in found.items()}


def _recoded(code: IntArray) -> IntArray:
    """The codes without gaps."""
    return np.unique(code, return_inverse=True)[1].ravel()


def _refined(equations: MixedEquations, start: Mapping[str, float]) -> dict[str, float]:
    """The ratios at the minimum of the criterion; ZERO for a term whose variance would be negative.

    A term that the search took to zero although the criterion falls with its variance is tried again.
    """
    found = _newton(equations, _zeros(equations, start))
    for _ in equations.terms:
        slopes = dict(zip(equations.terms, equations.evaluate(found).gradient, strict=True))
        wrong = [term for term, ratio in found.items() if ratio <= ZERO and slopes[term] < -_SETTLED]
        if not wrong:
            break
        again = _searched(equations, {**found, **dict.fromkeys(wrong, 0.1)})
        found = _newton(equations, _zeros(equations, again))
    return found


def _searched(equations: MixedEquations, start: Mapping[str, float]) -> dict[str, float]:
    """The ratios near the minimum, by a quasi-Newton search over relative standard deviations."""
    from scipy.optimize import minimize

    def criterion(sizes: FloatArray) -> tuple[float, FloatArray]:
        found = equations.evaluate(dict(zip(equations.terms, sizes**2, strict=True)))
        return found.criterion / equations.scores, 2 * sizes * found.gradient / equations.scores

    if not start:
        return {}
    sizes = np.sqrt([start[term] for term in equations.terms])
    limits = [(ZERO**0.5, LARGEST**0.5)] * len(sizes)
    tuned = {"ftol": 1e-8, "gtol": 1e-5}
    found = minimize(criterion, sizes, jac=True, method="L-BFGS-B", bounds=limits, options=tuned).x
    return dict(zip(equations.terms, (found**2).tolist(), strict=True))


def _zeros(equations: MixedEquations, ratios: Mapping[str, float]) -> dict[str, float]:
    """The ratios, with ZERO where that is no worse."""
    found, now = dict(ratios), equations.evaluate(ratios).criterion
    for term in sorted(ratios, key=lambda term: ratios[term]):
        if ratios[term] > _REML_SMALL:
            break
        without = {**found, term: ZERO}
        criterion = equations.evaluate(without).criterion
        if criterion <= now + _SAME:
            found, now = without, criterion
    return found


def _varied(ratios: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(term for term, ratio in ratios.items() if ratio > ZERO)


def _newton(equations: MixedEquations, start: Mapping[str, float]) -> dict[str, float]:
    """The ratios after Newton's steps on their logs; the first curvature is updated as in BFGS."""
    ratios, varied = dict(start), _varied(start)
    if not varied:
        return ratios
    now = equations.evaluate(ratios)
    slope = _log_gradient(equations, now, ratios, varied)
    curvature = _positive(_curvature(equations, ratios, varied, None)[0])
    for _ in range(_NEWTON_STEPS):
        step = np.clip(-np.linalg.solve(curvature, slope), -1, 1)
        moved = {term: ratios[term] * float(np.exp(move)) for term, move in zip(varied, step, strict=True)}
        tried = {**ratios, **{term: min(max(ratio, ZERO), LARGEST) for term, ratio in moved.items()}}
        after = equations.evaluate(tried)
        if after.criterion > now.criterion + _SAME:
            break
        gained = now.criterion - after.criterion
        bent = _log_gradient(equations, after, tried, varied) - slope
        curvature, slope, ratios, now = _updated(curvature, step, bent), slope + bent, tried, after
        if gained < _SETTLED**2 or np.abs(step).max() < _SETTLED:
            break
    return _zeros(equations, ratios)


def _updated(curvature: FloatArray, step: FloatArray, bent: FloatArray) -> FloatArray:
    """The curvature after a step that changed the slope by ``bent``."""
    along = curvature @ step
    if step @ bent <= _SETTLED**2:
        return curvature
    made: FloatArray = curvature + np.outer(bent, bent) / (step @ bent) - np.outer(along, along) / (step @ along)
    return made


def _log_gradient(
    equations: MixedEquations, found: Evaluation, ratios: Mapping[str, float], varied: tuple[str, ...]
) -> FloatArray:
    """The derivative of the criterion by the logs of the ratios."""
    slopes = dict(zip(equations.terms, found.gradient, strict=True))
    return np.array([slopes[term] * ratios[term] for term in varied])


def _curvature(
    equations: MixedEquations, ratios: Mapping[str, float], varied: tuple[str, ...], residual: float | None
) -> tuple[FloatArray, list[tuple[Evaluation, Evaluation]]]:
    """Second derivatives of the criterion by the logs of the ratios, and the evaluations on both sides of each."""
    rows, sides = [], []
    for term in varied:
        above, below = (
            equations.evaluate({**ratios, term: ratios[term] * np.exp(sign * _STEP)}, residual) for sign in (1, -1)
        )
        moved = [
            _log_gradient(equations, side, {**ratios, term: ratios[term] * np.exp(sign * _STEP)}, varied)
            for side, sign in ((above, 1), (below, -1))
        ]
        rows.append((moved[0] - moved[1]) / (2 * _STEP))
        sides.append((above, below))
    matrix = np.array(rows).reshape(len(varied), len(varied))
    return (matrix + matrix.T) / 2, sides


def _positive(hessian: FloatArray) -> FloatArray:
    """The matrix with eigenvalues that are at least slightly positive."""
    values, vectors = np.linalg.eigh(hessian)
    made: FloatArray = (vectors * np.maximum(np.abs(values), 1e-4)) @ vectors.T
    return made


def _inferred(equations: MixedEquations, ratios: dict[str, float]) -> Fit:
    """The fit at these ratios, with the curvature of the criterion around it."""
    found = equations.evaluate(ratios)
    varied, residual, runs = _varied(ratios), found.residual, equations.runs
    within, sides = _curvature(equations, ratios, varied, residual)
    size = len(varied)
    hessian = np.zeros((size + 1, size + 1))
    hessian[:size, :size] = within
    hessian[-1, -1] = equations.scores - runs
    slopes = np.zeros((size + 1, runs, runs))
    slopes[-1] = residual * found.inverse[:runs, :runs]
    for place, (above, below) in enumerate(sides):
        hessian[place, -1] = hessian[-1, place] = -(above.rss - below.rss) / (2 * _STEP) / residual
        slopes[place] = residual * (above.inverse - below.inverse)[:runs, :runs] / (2 * _STEP)
    variances = {term: residual * ratio if ratio > ZERO else 0.0 for term, ratio in ratios.items()}
    covariance = 2 * np.linalg.inv(_positive(hessian)).astype(np.float64)
    return Fit(equations, variances, residual, found, varied, covariance, slopes)


def _of_differences(covariance: FloatArray) -> FloatArray:
    """The variance of each difference of two of the estimates."""
    diagonal = np.diagonal(covariance)
    differences: FloatArray = diagonal[:, None] + diagonal[None] - covariance - covariance.T
    return differences
