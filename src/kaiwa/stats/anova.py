"""Two-way analysis of variance without replication: topics x runs, one score per cell."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.nouns.matrix import TOPICS_AND_RUNS
from kaiwa.stats.solvers import crossing, merit_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Axes


LARGEST = 1e100
"""Larger scores would overflow when squared and summed."""
_ROUNDING = 1e-24
"""A sum of squares below this share of the squared scores is rounding, not variance."""


@dataclass(frozen=True)
class Source:
    """One row of the table; ``f`` and ``p`` are None if the residual variance is 0."""

    name: str
    ss: float
    df: int
    ms: float
    f: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class AnovaTable:
    """The two-way analysis of variance of a topics x runs matrix."""

    topics: Source
    runs: Source
    residual: Source

    @property
    def v_e2(self) -> float:
        """The residual variance, Sakai's V_E2."""
        return self.residual.ms


def two_way_anova(by_topic: FloatArray) -> AnovaTable:
    """The two-way table of a topics x runs matrix (Sakai 2018, section 3.2).

    >>> round(two_way_anova(np.array([[0.7, 0.5], [0.3, 0.1], [0.2, 0.3]])).v_e2, 6)
    0.015
    """
    topics, runs = require_matrix(by_topic)
    centred = by_topic - by_topic.mean()
    ss_topics = runs * float((centred.mean(axis=1) ** 2).sum())
    ss_runs = topics * float((centred.mean(axis=0) ** 2).sum())
    floor = _ROUNDING * float((by_topic**2).sum())
    ss_residual = float((residuals(by_topic) ** 2).sum())
    residual = _source("residual", 0.0 if ss_residual <= floor else ss_residual, (topics - 1) * (runs - 1))
    return AnovaTable(
        topics=_tested("topics", 0.0 if ss_topics <= floor else ss_topics, topics - 1, residual),
        runs=_tested("runs", 0.0 if ss_runs <= floor else ss_runs, runs - 1, residual),
        residual=residual,
    )


def run_deviations(by_topic: FloatArray) -> FloatArray:
    """The scores minus the mean of their run, "... x topics x runs" in and out."""
    deviations: FloatArray = by_topic - by_topic.mean(axis=-2, keepdims=True)
    return deviations


def residuals(by_topic: FloatArray) -> FloatArray:
    """The scores minus the effects of topic and run, "... x topics x runs" in and out.

    >>> residuals(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [[-0.5, 0.5], [0.5, -0.5]]
    """
    return run_deviations(by_topic - by_topic.mean(axis=-1, keepdims=True))


def residual_variance(by_topic: FloatArray) -> float:
    """V_E2: the variance of the residuals after topic and run (Sakai 2018, section 3.2).

    >>> residual_variance(np.array([[0.0, 1.0], [1.0, 0.0]]))
    1.0
    """
    topics, runs = by_topic.shape
    return float((residuals(by_topic) ** 2).sum() / ((topics - 1) * (runs - 1)))


def within_run_variance(by_topic: FloatArray) -> float:
    """V_E: the variance of a run's scores over topics, pooled over runs (Sakai 2015).

    >>> within_run_variance(np.array([[0.0, 1.0], [1.0, 0.0]]))
    0.5
    """
    topics, runs = require_matrix(by_topic, runs=1)
    return float((run_deviations(by_topic) ** 2).sum() / (runs * (topics - 1)))


def require_matrix(
    by_topic: FloatArray, *, topics: int = 2, runs: int = 2, axes: Axes = TOPICS_AND_RUNS
) -> tuple[int, int]:
    """The shape of the matrix; an error, in the words of its axes, if it is too small or a score is not finite."""
    topic, run = axes
    if by_topic.ndim != 2:  # noqa: PLR2004  topics x runs
        raise InputError(f"an array of {counted(by_topic.ndim, 'dimension')}; give a topics x runs matrix")
    if by_topic.shape[1] < runs:
        raise InputError(f"{counted(by_topic.shape[1], run)}; give at least {runs}, scored on the same {topic}s")
    if by_topic.shape[0] < topics:
        raise InputError(f"{counted(by_topic.shape[0], topic)}; give at least {topics}: one {topic} has no variance")
    if not np.isfinite(by_topic).all():
        raise InputError(f"a score is not a finite number; fix it, or leave out that {topic} or {run}")
    if by_topic.size and np.abs(by_topic).max() > LARGEST:
        raise InputError(f"a score is beyond {LARGEST:g}; scale the scores down")
    return by_topic.shape[0], by_topic.shape[1]


def _source(name: str, ss: float, df: int) -> Source:
    return Source(name, ss, df, ss / df)


def _tested(name: str, ss: float, df: int, residual: Source) -> Source:
    from scipy.special import fdtrc

    if not residual.ms:
        return _source(name, ss, df)
    f = ss / df / residual.ms
    return Source(name, ss, df, ss / df, f, float(fdtrc(df, residual.df, f)))


# The F distribution, central and noncentral: critical values, and the power of an F-test.


PLENTY = 1e5
"""From df2 = PLENTY * max(df1, 100) on, the limit of many error degrees of freedom is used, with a correction."""
_FAULTY = 2000.0
"""At exactly this df1, scipy 1.15 to 1.17 inverts the beta distribution wrongly, by up to a factor of 2.7."""


def critical_f(alpha: FloatArray, df1: FloatArray, df2: FloatArray) -> FloatArray:
    """The value that an F(df1, df2) variable exceeds with probability ``alpha``.

    The beta variable and its complement each have their own inverse, so that no number near 1 is subtracted from 1.
    With many error degrees of freedom the value is a chi-square over df1 with a first-order correction.

    >>> critical_f(np.array([0.05]), np.array([1.0]), np.array([10.0])).round(4).tolist()
    [4.9646]
    """
    from scipy.special import betainccinv, betaincinv, chdtri

    half = np.where(df1 == _FAULTY, np.nextafter(_FAULTY / 2, 0.0), df1 / 2)
    above, below = betainccinv(half, df2 / 2, alpha), betaincinv(df2 / 2, half, alpha)
    square = chdtri(df1, alpha)
    limit = square / df1 * (1 + (square - df1 + 2) / (2 * df2))
    critical: FloatArray = np.where(_plenty(df1, df2), limit, df2 / df1 * above / below)
    return critical


def noncentral_f_tail(f: FloatArray, df1: FloatArray, df2: FloatArray, noncentrality: FloatArray) -> FloatArray:
    """The probability that a noncentral F variable exceeds ``f``.

    With many error degrees of freedom the scale of the error hardly varies. It is replaced by two points with its
    mean and variance, each with the tail of a noncentral chi-square. ``ncfdtr`` is nan if the lower tail underflows.

    >>> one = np.ones(1)
    >>> noncentral_f_tail(4.9646 * one, one, 10 * one, 8 * one).round(4).tolist()
    [0.7225]
    """
    from scipy.special import chndtr, ncfdtr

    plenty = _plenty(df1, df2)
    lower = np.nan_to_num(ncfdtr(df1, np.where(plenty, 1.0, df2), noncentrality, f), nan=0.0)
    step = np.sqrt(2 / np.where(plenty, df2, 2.0))
    limit = sum(chndtr(df1 * f * (1 + side * step), df1, noncentrality) for side in (-1, 1)) / 2
    tail: FloatArray = np.clip(1 - np.where(plenty, limit, lower), 0.0, 1.0)
    return tail


def noncentrality_needed(df1: FloatArray, df2: FloatArray, alpha: FloatArray, power: float) -> FloatArray:
    """The noncentrality at which an F-test reaches the power; nan if every noncentrality does."""
    critical, target = critical_f(alpha, df1, df2), np.array(power)
    z = NormalDist().inv_cdf(1 - min(float(alpha.min()), 0.4)) + max(NormalDist().inv_cdf(power), 0.0)
    return crossing(
        lambda lam: merit_of(noncentral_f_tail(critical, df1, df2, lam), target), z * np.sqrt(2 * df1) + 0.7 * z * z
    )


def _plenty(df1: FloatArray, df2: FloatArray) -> NDArray[np.bool_]:
    plenty: NDArray[np.bool_] = df2 >= PLENTY * np.maximum(df1, 100.0)
    return plenty
