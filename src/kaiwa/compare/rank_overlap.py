"""How far two rankings agree at the top: tau_ap, rank-biased overlap, overlap of the first k.

Tied runs have no order, so no result depends on the order in which runs are listed. Equal scores are ties; means that
differ by rounding are made equal before (``stats/ties.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

TiedOverlap = Literal["a", "b", "w"]


def tau_ap(truth: FloatArray, estimate: FloatArray) -> float:
    """The AP correlation of an estimated ranking with the true one (Yilmaz, Aslam & Robertson 2008, Eq. 1).

    The probability that a run above another in the estimate is also above it in truth, with more weight for
    errors at the top; 1 for the same order, -1 for the reverse. With ties it is tau_ap,a of Urbano & Marrero (2017):
    the mean over all orders of the tied runs.

    >>> round(tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0])), 4)
    0.3333
    """
    _require_order(truth, estimate)
    above, first, group = _above(estimate)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, len(truth) + 1))))
    weight = (harmonic[first + group - 1] - harmonic[np.maximum(first - 1, 0)]) / group
    agreement = (above * np.sign(truth[:, None] - truth)).sum(axis=0)
    return float((weight * agreement)[first > 0].sum() / (len(truth) - 1))


def symmetric_tau_ap(x: FloatArray, y: FloatArray) -> float:
    """The mean of the AP correlation in both directions, for two rankings of which neither is the truth.

    With ties it is tau_ap,b of Urbano & Marrero (2017): each run is compared with the runs above all that tie with it,
    and a pair that only the other ranking ties does not agree.

    >>> symmetric_tau_ap(np.array([2.0, 2.0, 1.0]), np.array([2.0, 2.0, 1.0]))
    1.0
    """
    _require_order(x, y)
    return (_agreement_above(x, y) + _agreement_above(y, x)) / 2


def rank_biased_overlap(x: FloatArray, y: FloatArray, *, persistence: float = 0.9, ties: TiedOverlap = "b") -> float:
    """Extrapolated rank-biased overlap of two whole rankings (Webber, Moffat & Zobel 2010, Eq. 30).

    With ties it is one of the forms of Corsi & Urbano (2024): ``a`` is the mean over all orders of the tied runs,
    ``b`` divides that agreement by what each ranking has with itself, ``w`` takes tied runs to have one rank.

    >>> rank_biased_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0]))
    1.0
    """
    if not 0 < persistence < 1:
        raise InputError(f"persistence {persistence:g} is not between 0 and 1; give 0.9, for example")
    depth = np.arange(1, len(x) + 1)
    agreement = _AGREEMENTS[ties](x, y)
    weights = persistence**depth
    rest = (1 - persistence) / persistence * float((agreement * weights).sum())
    return float(agreement[-1] * weights[-1] + rest)


def top_overlap(x: FloatArray, y: FloatArray, *, k: int) -> float:
    """The share of the first k runs of one ranking that are among the first k of the other; the mean over tied orders.

    >>> top_overlap(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]), k=2)
    0.5
    """
    if not 1 <= k <= len(x):
        raise InputError(f"k = {k} with {counted(len(x), 'run')}; give 1 to {len(x)}")
    return float(_expected_overlap(x, y)[k - 1])


def _above(scores: FloatArray) -> tuple[NDArray[np.bool_], IntArray, IntArray]:
    """Whether one run is above another, runs x runs; how many are above each; how many tie with it, itself included."""
    above: NDArray[np.bool_] = scores[:, None] > scores
    return above, above.sum(axis=0), (scores[:, None] == scores).sum(axis=0)


def _agreement_above(x: FloatArray, y: FloatArray) -> float:
    above, first, _ = _above(y)
    agreeing = (above & (x[:, None] > x)).sum(axis=0)
    below_top = first > 0
    return float(2 * (agreeing[below_top] / first[below_top]).mean() - 1)


def _taken(scores: FloatArray) -> FloatArray:
    """The share of the orders of tied runs in which each run is among the first 1, 2, ...: runs x depths."""
    _, first, group = _above(scores)
    depth = np.arange(1, len(scores) + 1)
    shares: FloatArray = np.clip((depth - first[:, None]) / group[:, None], 0.0, 1.0)
    return shares


def _expected_overlap(x: FloatArray, y: FloatArray) -> FloatArray:
    overlap: FloatArray = np.einsum("rd,rd->d", _taken(x), _taken(y)) / np.arange(1, len(x) + 1)
    return overlap


def _normalised_overlap(x: FloatArray, y: FloatArray) -> FloatArray:
    of_x, of_y = _taken(x), _taken(y)
    own = np.sqrt((of_x**2).sum(axis=0) * (of_y**2).sum(axis=0))
    overlap: FloatArray = np.einsum("rd,rd->d", of_x, of_y) / own
    return overlap


def _shared_rank_overlap(x: FloatArray, y: FloatArray) -> FloatArray:
    of_x, of_y = _taken(x) > 0, _taken(y) > 0
    shares: FloatArray = 2 * (of_x & of_y).sum(axis=0) / (of_x.sum(axis=0) + of_y.sum(axis=0))
    return shares


_AGREEMENTS: dict[TiedOverlap, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "a": _expected_overlap,
    "b": _normalised_overlap,
    "w": _shared_rank_overlap,
}


def _require_order(x: FloatArray, y: FloatArray) -> None:
    if len(x) < 2:  # noqa: PLR2004
        raise InputError(f"{counted(len(x), 'run')}; a rank correlation needs at least 2")
    if not np.ptp(x) or not np.ptp(y):
        raise InputError("all means are equal, so there is no order to compare; give scores that differ")
