"""The randomised Tukey HSD: its power to find the best-worst difference, wherever the other systems' means lie.

Shuffling a topic's scores among the systems mixes the true differences into the null distribution: with the residual
variance V and the squares T of the systems' effects, the shuffled means have the range of m means of variance
(V + T / (m - 1)) / n. T is largest if half of the systems are as good as the best and half as bad as the worst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.f_distribution import noncentral_f_tail
from kaiwa.stats.studentised_range import critical_range

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray

FAR = 1e4
NORMAL_DF = 1e7
"""Degrees of freedom at which a studentised range is the range of normal means."""


def power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that the best-worst pair is significant, the other systems in two clusters, the worst case.

    >>> cell = dict(systems=np.array(10.0), min_diff=0.15, variance=0.02, alpha=0.05)
    >>> power(n=np.array([30.0, 36.0]), **cell).round(3).tolist()
    [0.694, 0.817]
    """
    half = np.floor(systems / 2)
    spread = half * (systems - half) / systems
    return _power(spread, n=n, systems=systems, min_diff=min_diff, variance=variance, alpha=alpha)


def midway_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The same with all other systems midway between best and worst, the most favourable case.

    >>> cell = dict(systems=np.array(10.0), min_diff=0.15, variance=0.02, alpha=0.05)
    >>> midway_power(n=np.array([30.0]), **cell).round(3).tolist()
    [0.812]
    """
    return _power(np.array(0.5), n=n, systems=systems, min_diff=min_diff, variance=variance, alpha=alpha)


def _power(
    spread: FloatArray,
    *,
    n: FloatArray,
    systems: FloatArray,
    min_diff: FloatArray,
    variance: FloatArray,
    alpha: FloatArray,
) -> FloatArray:
    """The power if the squared effects of the systems sum to ``spread`` times the squared difference.

    The pair is significant if its square, n D^2 / 2, exceeds q^2 / 2 times the mean of all squares within topics,
    of which it is a part: a doubly noncentral F with 1 and n (m - 1) - 1 degrees of freedom. Its denominator is
    approximated by a chi-square with the same mean and variance (Patnaik 1949).
    """
    parts = np.broadcast_arrays(spread, n, systems, min_diff, variance, alpha)
    share, size, m, minD, sigma2, level = (np.atleast_1d(part).astype(float) for part in parts)
    half_square = np.array(
        [critical_range(a, round(k), NORMAL_DF) ** 2 / 2 for a, k in zip(level.tolist(), m.tolist(), strict=True)]
    )
    whole = size * (m - 1)
    rest = size * (share - 0.5) * minD**2 / sigma2
    mean = whole - 1 + rest
    enough = whole > half_square
    critical = half_square * mean / np.where(enough, whole - half_square, 1.0)
    df = mean**2 / (whole - 1 + 2 * rest)
    tail = _tail(critical, df, size * minD**2 / (2 * sigma2))
    return np.where(enough, tail, 0.0).reshape(parts[0].shape)


def _tail(critical: FloatArray, df: FloatArray, noncentrality: FloatArray) -> FloatArray:
    """The tail of a noncentral F with one degree of freedom; of a far one, whose sum is long, by its normal root."""
    from scipy.special import ndtr

    near = noncentrality <= FAR
    root = ndtr((np.sqrt(noncentrality) - np.sqrt(critical)) / np.sqrt(1 + critical / (2 * df)))
    tail: FloatArray = root.copy()
    tail[near] = noncentral_f_tail(critical[near], np.ones(int(near.sum())), df[near], noncentrality[near])
    return tail
