"""How far two rankings agree at the top: tau_ap, rank-biased overlap, overlap of the first k."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.stats.kendall import listed_order

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray


def tau_ap(truth: FloatArray, estimate: FloatArray) -> float:
    """The AP correlation of an estimated ranking with the true one (Yilmaz, Aslam & Robertson 2008, Eq. 1).

    The probability that a run above another in the estimate is also above it in truth, with more weight for
    errors at the top; 1 for the same order, -1 for the reverse. Ties are broken as ``listed_order`` does.

    >>> round(tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0])), 4)
    0.3333
    """
    by_truth = listed_order(truth)[ranking(estimate)]
    runs = len(by_truth)
    if runs < 2:  # noqa: PLR2004
        raise InputError(f"{counted(runs, 'run')}; a rank correlation needs at least 2")
    above_right = [np.count_nonzero(by_truth[:place] > by_truth[place]) / place for place in range(1, runs)]
    return float(2 * np.mean(above_right) - 1)


def symmetric_tau_ap(x: FloatArray, y: FloatArray) -> float:
    """The mean of tau_ap in both directions, for two rankings of which neither is the truth."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def rank_biased_overlap(x: FloatArray, y: FloatArray, *, persistence: float = 0.9) -> float:
    """Extrapolated rank-biased overlap of two whole rankings (Webber, Moffat & Zobel 2010, Eq. 30).

    >>> rank_biased_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    1.0
    """
    if not 0 < persistence < 1:
        raise InputError(f"persistence {persistence:g} is not between 0 and 1; give 0.9, for example")
    depth = np.arange(1, len(x) + 1)
    shared = shared_at(x, y) / depth
    weights = persistence**depth
    rest = (1 - persistence) / persistence * float((shared * weights).sum())
    return float(shared[-1] * weights[-1] + rest)


def top_overlap(x: FloatArray, y: FloatArray, *, k: int) -> float:
    """The share of the first k runs of one ranking that are among the first k of the other.

    >>> top_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]), k=2)
    0.5
    """
    if not 1 <= k <= len(x):
        raise InputError(f"k = {k} with {counted(len(x), 'run')}; give 1 to {len(x)}")
    return float(shared_at(x, y)[k - 1]) / k


def shared_at(x: FloatArray, y: FloatArray) -> IntArray:
    """How many runs the first 1, 2, ... places of both rankings share."""
    first_x, first_y = np.argsort(ranking(x)), np.argsort(ranking(y))
    both_by = np.maximum(first_x, first_y)
    return np.cumsum(np.bincount(both_by, minlength=len(x)))


def ranking(scores: FloatArray) -> IntArray:
    """The runs from best to worst, ties as in ``listed_order``."""
    return np.argsort(-listed_order(scores))
