"""V_E, V_E2, the variance components of topic, run and residual, and generalisability."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.model.shown import Shown
from kaiwa.stats.anova import require_matrix, run_deviations, two_way_anova
from kaiwa.stats.topic_bootstrap import block_size, percentile_limits
from kaiwa.stats.topic_draws import drawn_counts, trial_key
from kaiwa.stats.topic_resampling import exact_multiples
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers, trial_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.ids import FloatArray

_ROUNDING = 1e-12
"""A spread below this share of the squared total is rounding."""


@dataclass(frozen=True)
class Components:
    """Variance components of the topics x runs model; a negative estimate is reported as 0 (Searle et al. 1992).

    ``generalisability`` is how well the order of the runs would repeat on as many other topics, ``dependability``
    how well their scores would (Brennan 2001; Bodoff & Li 2007); None if there is no variance at all.
    """

    topic: float
    run: float
    residual: float
    generalisability: float | None
    dependability: float | None


@dataclass(frozen=True)
class Variance(Shown):
    """The variances that topic set size design takes, pooled over matrices, with bootstrap limits over topics.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("AP", ("1", "2"), ("A", "B"), numpy.array([[0.5, 0.25], [0.25, 0.25]]))
    >>> scores.variance().v_e
    0.015625
    """

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
    workers: Workers = ONE_THREAD,
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
    draws = _Draws(trials, confidence, rng, workers)
    return Variance(
        v_e=_pooled(matrices, [0] * len(matrices)),
        v_e2=_pooled(centred, lost) if paired else None,
        v_e_limits=_limits(matrices, [0] * len(matrices), draws),
        v_e2_limits=_limits(centred, lost, draws) if paired else None,
        topics=sum(len(by_topic) for by_topic in matrices),
        runs=sum(by_topic.shape[1] for by_topic in matrices),
        components=variance_components(paired[0]) if len(matrices) == len(paired) == 1 else None,
        confidence=confidence,
        matrices=len(matrices),
    )


def _pooled(matrices: Sequence[FloatArray], lost: Sequence[int]) -> float:
    """Squares about the run means over degrees of freedom, all matrices together."""
    squares = [float((run_deviations(x) ** 2).sum()) for x in matrices]
    return sum(squares) / _degrees(matrices, lost)


def _degrees(matrices: Sequence[FloatArray], lost: Sequence[int]) -> int:
    """(runs - lost)(topics - 1), summed: a matrix whose topic means were subtracted loses one run."""
    return sum((x.shape[1] - less) * (len(x) - 1) for x, less in zip(matrices, lost, strict=True))


@dataclass(frozen=True)
class _Draws:
    """How topics are drawn: how often, the confidence of the limits, by which chance, and where."""

    trials: int
    confidence: float
    rng: np.random.Generator
    workers: Workers


def _limits(matrices: Sequence[FloatArray], lost: Sequence[int], draws: _Draws) -> tuple[float, float] | None:
    """Bootstrap-t limits of log variance over topics, each matrix resampled separately; None below three topics.

    A variance is in essence a mean over topics of their squared deviations, so it is studentised as a mean;
    the log makes it nearly symmetric (Efron & Tibshirani 1993, section 12.5).
    """
    if min(map(len, matrices)) < 3:  # noqa: PLR2004  two topics deviate alike from their mean
        return None
    shares = [(run_deviations(x) ** 2).sum(axis=1) for x in matrices]
    total = float(sum(share.sum() for share in shares))
    if not total:
        return 0.0, 0.0
    error = float(np.sqrt(sum(len(share) * share.var(ddof=1) for share in shares))) / total
    low, high = percentile_limits(_studentised_logs(shares, total, draws), draws.confidence)
    variance = total / _degrees(matrices, lost)
    with np.errstate(over="ignore"):  # of a few topics there may be no upper limit
        return float(variance * np.exp(-high * error)), float(variance * np.exp(-low * error))


def _studentised_logs(shares: Sequence[FloatArray], total: float, draws: _Draws) -> FloatArray:
    """Per draw, log(drawn total / total) over its standard error; 0 for draws without variance."""
    trials = draws.trials
    sums, spreads = np.zeros(trials), np.zeros(trials)
    for share in shares:
        n = len(share)
        block = partial(_moments, exact_multiples(np.stack((share, share**2), axis=1)), trial_key(draws.rng))
        moments = list(trial_blocks(block, trials=trials, size=block_size(n), workers=draws.workers))
        first, second = np.concatenate(moments).T
        sums += first
        spreads += np.maximum(second - first**2 / n, 0.0) * n / (n - 1)
    varied = (sums > 0) & (spreads > _ROUNDING * sums**2)
    error = np.sqrt(spreads[varied]) / sums[varied]
    logs = np.zeros(trials)
    logs[varied] = np.log(sums[varied] / total) / error
    return logs


def _moments(shares: FloatArray, key: int, first: int, trials: int) -> FloatArray:
    """The sums of the drawn topics' shares and of their squares, "trials x 2"."""
    drawn: FloatArray = drawn_counts(key, first, trials, len(shares)) @ shares
    return drawn
