"""Where the variance lies: V_E, V_E2, the components of topic, run and residual, and how well runs are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.anova import require_matrix, two_way_anova
from kaiwa.compare.bootstrap import bca_limits, blocks, topic_draws
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model import FloatArray


@dataclass(frozen=True)
class Components:
    """Variance components of the topics x runs model; a negative estimate is reported as 0 (Searle et al. 1992).

    ``generalisability`` is how well the runs' order would repeat on other topics as many, ``dependability``
    how well their scores would (Brennan 2001; Bodoff & Li 2007); None when no variance is left at all.
    """

    topic: float
    run: float
    residual: float
    generalisability: float | None
    dependability: float | None


@dataclass(frozen=True)
class Variance:
    """The variances that topic set size design takes, pooled over matrices, with bootstrap limits over topics."""

    v_e: float
    v_e2: float | None
    v_e_limits: tuple[float, float] | None
    v_e2_limits: tuple[float, float] | None
    topics: int
    runs: int
    components: Components | None
    confidence: float
    matrices: int


def variance_components(by_topic: FloatArray) -> Components:
    """The components from the expected mean squares of the two-way table.

    >>> components = variance_components(np.array([[0.9, 0.5], [0.5, 0.3], [0.4, 0.1]]))
    >>> [round(part, 4) for part in (components.topic, components.run, components.residual)]
    [0.05, 0.0433, 0.005]
    """
    topics, runs = require_matrix(by_topic)
    anova = two_way_anova(by_topic)
    residual = anova.v_e2
    topic = max(0.0, (anova.topics.ms - residual) / runs)
    run = max(0.0, (anova.runs.ms - residual) / topics)
    relative, absolute = run + residual / topics, run + (residual + topic) / topics
    return Components(topic, run, residual, run / relative if relative else None, run / absolute if absolute else None)


def pooled_variance(
    matrices: Sequence[FloatArray],
    *,
    trials: int = 2_000,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> Variance:
    """V_E and V_E2 pooled over topics x runs matrices by their degrees of freedom (Sakai 2015).

    >>> scores = np.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]])
    >>> result = pooled_variance([scores], rng=np.random.default_rng(1))
    >>> (round(result.v_e, 5), round(result.v_e2, 5))
    (0.0375, 0.03028)
    """
    if not matrices:
        raise InputError("no matrix; give at least one topics x runs matrix")
    for by_topic in matrices:
        require_matrix(by_topic, runs=1)
    paired = [by_topic for by_topic in matrices if by_topic.shape[1] > 1]
    centred = [by_topic - by_topic.mean(axis=1, keepdims=True) for by_topic in paired]
    lost = [1] * len(paired)
    return Variance(
        v_e=_pooled(matrices, [0] * len(matrices)),
        v_e2=_pooled(centred, lost) if paired else None,
        v_e_limits=_limits(matrices, [0] * len(matrices), trials, confidence, rng),
        v_e2_limits=_limits(centred, lost, trials, confidence, rng) if paired else None,
        topics=sum(len(by_topic) for by_topic in matrices),
        runs=sum(by_topic.shape[1] for by_topic in matrices),
        components=variance_components(paired[0]) if len(matrices) == len(paired) == 1 else None,
        confidence=confidence,
        matrices=len(matrices),
    )


def _pooled(matrices: Sequence[FloatArray], lost: Sequence[int]) -> float:
    """Squares about the run means over degrees of freedom, all matrices together."""
    squares = [float(((x - x.mean(axis=0)) ** 2).sum()) for x in matrices]
    return sum(squares) / _degrees(matrices, lost)


def _degrees(matrices: Sequence[FloatArray], lost: Sequence[int]) -> int:
    """(runs - lost)(topics - 1), summed: a run is lost to each matrix whose topic means were taken out."""
    return sum((x.shape[1] - less) * (len(x) - 1) for x, less in zip(matrices, lost, strict=True))


def _limits(
    matrices: Sequence[FloatArray],
    lost: Sequence[int],
    trials: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """BCa limits over topics drawn with replacement, each matrix on its own; None below three topics."""
    if min(map(len, matrices)) < 3:  # noqa: PLR2004  leaving one of two topics out leaves no variance
        return None
    df = _degrees(matrices, lost)
    drawn = np.sum([_drawn_squares(x, trials, rng) for x in matrices], axis=0) / df
    whole = [float(((x - x.mean(axis=0)) ** 2).sum()) for x in matrices]
    left_out = np.concatenate(
        [
            (sum(whole) - own + _squares_without_each(x)) / (df - x.shape[1] + less)
            for x, less, own in zip(matrices, lost, whole, strict=True)
        ]
    )
    return bca_limits(drawn, observed=sum(whole) / df, left_out=left_out, confidence=confidence)


def _drawn_squares(by_topic: FloatArray, trials: int, rng: np.random.Generator) -> FloatArray:
    """Squares about the run means, one value per draw of topics with replacement."""
    centred = by_topic - by_topic.mean(axis=0)
    found = []
    for size in blocks(trials, len(centred)):
        weights = topic_draws(rng, size, len(centred))
        found.append((weights @ centred**2).sum(axis=1) - ((weights @ centred) ** 2).sum(axis=1) / len(centred))
    squares: FloatArray = np.maximum(np.concatenate(found), 0.0)
    return squares


def _squares_without_each(by_topic: FloatArray) -> FloatArray:
    """Squares about the run means without each topic in turn: all of them less n/(n-1) of that topic's own."""
    own = ((by_topic - by_topic.mean(axis=0)) ** 2).sum(axis=1)
    left: FloatArray = own.sum() - own * len(own) / (len(own) - 1)
    return left
