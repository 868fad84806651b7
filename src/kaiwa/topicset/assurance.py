"""What a small pilot leaves uncertain: how well its variance is known, and what its true value may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.anova import residuals, run_deviations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.ids import FloatArray


MIDPOINTS = (np.arange(200) + 0.5) / 200
"""The probabilities at which the distribution of the variance is averaged."""
ENOUGH_TOPICS, ENOUGH_RUNS = 20, 5
"""A smaller pilot does not show how unequal topics and runs are."""
UNEQUAL_TOPICS, UNEQUAL_RUNS = 1.0, 0.2
"""The squared relative deviation of the residual squares of topics, and of runs: upper quartiles of 57 matrices."""
ROUNDING = 1e-24
"""A sum of squares below this share of the squared scores is rounding, not variance."""


@dataclass(frozen=True)
class VarianceEstimate:
    """A pooled variance and the degrees of freedom that it is worth."""

    variance: float
    df: float

    def limits(self, confidence: float = 0.95) -> tuple[float, float]:
        """The chi-square limits of the variance.

        >>> [round(limit, 4) for limit in VarianceEstimate(1.0, 8).limits()]
        [0.4562, 3.6702]
        """
        low, high = self.variance / _scaled_chi(np.array([(1 + confidence) / 2, (1 - confidence) / 2]), self.df)
        return float(low), float(high)


def estimated_variance(matrices: Sequence[FloatArray], *, shared_topics: bool) -> VarianceEstimate:
    """V_E2 (V_E if topics are not shared), pooled, and how well it is known if other topics and runs had been drawn.

    The variance is a sum over topics, and also a sum over runs; both sums vary. 2 / df is the sum of their squared
    relative errors, and at least that of normal scores. Topics and runs of a small pilot are taken as no more equal
    than those of real collections (docs/decisions/designs.md).

    >>> scores = np.random.default_rng(1).normal(size=(200, 8))
    >>> found = estimated_variance([scores], shared_topics=True)
    >>> (round(found.variance, 2), 400 < found.df < 7 * 199)
    (1.01, True)
    """
    paired = [one for one in matrices if one.shape[1] > 1] if shared_topics else []
    lost, used = (1, paired) if paired else (0, matrices)
    squares = [(residuals(one) if lost else run_deviations(one)) ** 2 for one in used]
    total = sum(float(one.sum()) for one in squares)
    most = float(sum((one.shape[1] - lost) * (len(one) - 1) for one in squares))
    if total <= ROUNDING * sum(float((one**2).sum()) for one in used):
        return VarianceEstimate(0.0, most)
    varied = sum(_varied(one, normal=bool(lost)) for one in squares)
    return VarianceEstimate(total / most, min(most, 2 * total**2 / varied) if varied else most)


def _varied(squares: FloatArray, *, normal: bool) -> float:
    """The squared error of the sum of residual squares, topics x runs; of a small pilot at least that of real ones."""
    found = _squared_error(squares.sum(axis=0)) + _squared_error(squares.sum(axis=1))
    topics, runs = squares.shape
    if not normal or (topics >= ENOUGH_TOPICS and runs >= ENOUGH_RUNS):
        return found
    usual = 2 / ((topics - 1) * (runs - 1)) + UNEQUAL_TOPICS / topics + UNEQUAL_RUNS / runs
    least: float = usual * float(squares.sum()) ** 2
    return max(found, least)


def variance_ratios(df: float) -> FloatArray:
    """The estimate of a variance over its true value, at equally likely points of its distribution.

    >>> ratios = variance_ratios(8)
    >>> (len(ratios), round(float(ratios.mean()), 2))
    (200, 1.0)
    """
    return _scaled_chi(MIDPOINTS, df)


def _scaled_chi(probabilities: FloatArray, df: float) -> FloatArray:
    """Quantiles of a chi-square over its degrees of freedom."""
    from scipy.special import gammaincinv

    scaled: FloatArray = np.maximum(gammaincinv(df / 2, probabilities) * 2 / df, 1e-12)
    return scaled


def _squared_error(parts: FloatArray) -> float:
    """The squared standard error of a sum of independent parts."""
    return float(len(parts) * parts.var(ddof=1)) if len(parts) > 1 else 0.0
