"""REML estimates of a crossed mixed model: variances, run means, and how well they are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.mixed_equations import MixedEquations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.stats.mixed_equations import Evaluation

ZERO = 1e-8
"""The ratio of a term without variance: its effects are shrunk to nothing."""
LARGEST, _SMALL = 1e5, 1e-2
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
        if ratios[term] > _SMALL:
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
