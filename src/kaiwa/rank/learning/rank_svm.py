"""RankSVM: weights such that the better of two candidates of a topic has the higher score (Joachims 2002).

The squared hinge loss of the pairs (Chapelle and Keerthi 2010, "Efficient algorithms for ranking with SVMs"), minimised
by Newton's method. The weights are those of LinearSVC of scikit-learn on the differences, which is not needed here.
Pairs have weights, because not every pair matters to a measure as much as another (Cao et al. 2006).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

_BLOCK = 1 << 16  # differences held at a time
_STEPS = 100
_CONVERGED = 1e-9


class Pairs(NamedTuple):
    """The rows of the candidates ("items x features"), and pairs of them: the better one, the worse one, its weight."""

    rows: NDArray[np.float32]
    better: IntArray
    worse: IntArray
    weights: FloatArray


def rank_svm(pairs: Pairs, *, penalty: float, start: FloatArray | None = None) -> FloatArray:
    """The weights w that minimise w.w / 2 + C sum a max(0, 1 - w.(better - worse))^2.

    C is ``penalty``, a the weight of a pair.

    >>> rows = np.array([[1.0], [0.0]], dtype=np.float32)
    >>> rank_svm(Pairs(rows, np.array([0]), np.array([1]), np.ones(1)), penalty=0.5).tolist()
    [0.5]
    """
    weights = np.zeros(pairs.rows.shape[1]) if start is None else start.copy()
    value, losses = _objective(pairs, weights, penalty)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(pairs, weights, losses, penalty)
        if np.abs(gradient).max(initial=0.0) <= _CONVERGED * max(penalty * len(pairs.better), 1.0):
            break
        step, size = np.linalg.solve(curvature, -gradient), 1.0
        while (tried := _objective(pairs, weights + size * step, penalty))[0] > value and size > _CONVERGED:
            size /= 2
        if tried[0] > value:
            break
        weights, (value, losses) = weights + size * step, tried
    return weights


def _objective(pairs: Pairs, weights: FloatArray, penalty: float) -> tuple[float, FloatArray]:
    """The value to be minimised, and what each pair lacks to a margin of 1."""
    scores = pairs.rows @ weights
    losses = np.maximum(1 - (scores[pairs.better] - scores[pairs.worse]), 0.0)
    return float(weights @ weights / 2 + penalty * (pairs.weights @ losses**2)), losses


def _derivatives(
    pairs: Pairs, weights: FloatArray, losses: FloatArray, penalty: float
) -> tuple[FloatArray, FloatArray]:
    """The gradient and the Hessian of the objective."""
    gradient, curvature = weights.copy(), np.eye(len(weights))
    for differences, shares, own in _differences(pairs, losses):
        gradient -= 2 * penalty * ((shares * own) @ differences)
        curvature += 2 * penalty * ((differences.T * shares) @ differences)
    return gradient, curvature


def _differences(pairs: Pairs, losses: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """The differences of the pairs that have a loss, with their weights and losses, in blocks."""
    active = np.flatnonzero(losses > 0)
    for low in range(0, len(active), _BLOCK):
        part = active[low : low + _BLOCK]
        rows = pairs.rows[pairs.better[part]].astype(np.float64) - pairs.rows[pairs.worse[part]]
        yield rows, pairs.weights[part], losses[part]
