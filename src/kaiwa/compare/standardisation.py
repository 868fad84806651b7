"""Scores made comparable across topics by each topic's mean and standard deviation over the runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.model.ids import codes_of
from kaiwa.registry import Names
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.ties import tie_tolerance

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray
    from kaiwa.model.scores import Scores

A = 0.15
B = 0.5


@dataclass(frozen=True, eq=False)
class Factors:
    """The mean and standard deviation of each topic, over the runs of one round, under one measure.

    A standard deviation of 0 marks a topic on which all those runs tied: every standardised score is neutral.

    >>> import kaiwa, numpy
    >>> kaiwa.Scores("AP", ("q1",), ("A", "B"), numpy.array([[0.5, 0.25]])).factors().topics
    ('q1',)
    """

    measure: str
    topics: tuple[str, ...]
    means: FloatArray
    sds: FloatArray

    def __post_init__(self) -> None:
        if not (np.isfinite(self.means).all() and np.isfinite(self.sds).all() and (self.sds >= 0).all()):
            raise InputError(f"{self.measure}: a topic's mean or sd is not a number, or the sd is below 0; fix it")
        if len(set(self.topics)) != len(self.topics):
            raise InputError(f"{self.measure}: duplicate topic; keep one factor per topic")


def standardisation_factors(scores: Scores) -> Factors:
    """Each topic's mean and standard deviation over the runs (Webber, Moffat & Zobel 2008).

    >>> from kaiwa.model.scores import Scores
    >>> factors = standardisation_factors(Scores("AP", ("q1",), ("A", "B", "C"), np.array([[0.1, 0.2, 0.3]])))
    >>> (factors.means.round(3).tolist(), factors.sds.round(3).tolist())
    ([0.2], [0.1])
    """
    try:
        require_matrix(scores.values, topics=1, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault.marked}, or read factors of an earlier round") from None
    spread = scores.values.max(axis=1) - scores.values.min(axis=1)
    tied = spread <= tie_tolerance(scores.values)
    return Factors(
        scores.measure,
        scores.topics,
        scores.values.mean(axis=1),
        np.where(tied, 0.0, scores.values.std(axis=1, ddof=1)),
    )


def standardised(scores: Scores, factors: Factors, *, method: str = "std-ab", a: float = A, b: float = B) -> Scores:
    """The scores, standardised by the factors of their own or of an earlier round; their direction stays.

    >>> from kaiwa.model.scores import Scores
    >>> raw = Scores("AP", ("q1",), ("A", "B", "C"), np.array([[0.1, 0.2, 0.3]]))
    >>> standardised(raw, standardisation_factors(raw)).values.round(2).tolist()
    [[0.35, 0.5, 0.65]]
    """
    if not (0 < a < float("inf") and 0 <= b <= 1):
        raise InputError(f"A = {a:g}, B = {b:g}; give a positive A, such as {A}, and B from 0 to 1, such as {B}")
    place = codes_of(scores.topics, factors.topics)
    if (place < 0).any():
        topic = scores.topics[int(np.flatnonzero(place < 0)[0])]
        raise InputError(f"{scores.measure}: no factor for topic {topic!r}; standardise topics of that round only")
    sds = factors.sds[place][:, None]
    z = np.where(sds == 0, 0.0, scores.values - factors.means[place][:, None]) / np.where(sds == 0, 1.0, sds)
    return replace(scores, values=METHODS[method](z, a, b))


def variance_bound(topics: int, runs: int, *, a: float = A) -> float:
    """The highest V_E that std-AB scores can have: A^2 n(m-1) / (m(n-1)).

    Each topic's z-scores have squares that sum to m-1, clipping only shrinks them, and V_E removes the run means.

    >>> round(variance_bound(100, 44), 5)
    0.02221
    """
    return a**2 * topics * (runs - 1) / (runs * (topics - 1))


def _std(z: FloatArray, _a: float, _b: float) -> FloatArray:
    return z


def _std_cdf(z: FloatArray, _a: float, _b: float) -> FloatArray:
    from scipy.special import ndtr

    cdf: FloatArray = ndtr(z)
    return cdf


def _std_ab(z: FloatArray, a: float, b: float) -> FloatArray:
    return np.clip(a * z + b, 0.0, 1.0)


METHODS: Names[Callable[[FloatArray, float, float], FloatArray]] = Names(
    "method", {"std": _std, "std-cdf": _std_cdf, "std-ab": _std_ab}
)
"""std: Webber et al. 2008; std-CDF: the same; std-AB: Sakai 2016, A z + B clipped to [0, 1]."""
