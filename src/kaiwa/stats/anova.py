"""Two-way analysis of variance without replication: topics x runs, one score per cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.model.direction import TOPICS_AND_RUNS

if TYPE_CHECKING:
    from kaiwa.model.direction import Axes
    from kaiwa.model.ids import FloatArray

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
