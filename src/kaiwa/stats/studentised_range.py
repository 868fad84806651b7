"""The studentised range: the largest minus the smallest of m equal means, over their standard error."""

from __future__ import annotations

from functools import cache, lru_cache
from math import log
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.anova import critical_f

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray


FAR = 8.5
"""The limits of the integral over a normal variable, in standard deviations."""
TAIL = 1e-17
"""The probability of a scale outside the limits of the integral, on either side."""
STEPS = 40
CLOSE = 1e-13
COARSE, FINE, FEW = 96, 256, 20
"""Quadrature points, and the systems or degrees of freedom at which they change."""
CHUNK_CELLS = 2_000_000


@lru_cache(maxsize=4096)
def critical_range(alpha: float, systems: int, df: float) -> float:
    """The studentised range that ``systems`` equal means exceed with probability ``alpha``; ``df`` of the error.

    The secant method on the log tail, from Bonferroni's bound, which is slightly larger.

    >>> round(critical_range(0.05, 3, 38), 4)
    3.449
    """

    def miss_at(log_range: float) -> float:
        tail = range_tail(np.exp([log_range]), systems, df)
        return log(max(float(tail[0]), 1e-300)) - log(alpha)

    before = _bonferroni(alpha, systems, df)
    now, miss_before = before - 0.02, miss_at(before)
    for _ in range(STEPS):
        miss = miss_at(now)
        if abs(miss) < CLOSE or miss == miss_before:
            break
        step = miss * (now - before) / (miss_before - miss)
        before, now, miss_before = now, now + min(max(step, -1.0), 1.0), miss
    return float(np.exp(now))


def _bonferroni(alpha: float, systems: int, df: float) -> float:
    level = np.array([2 * alpha / (systems * (systems - 1))])
    f = critical_f(level, np.ones(1), np.array([float(df)]))
    return 0.5 * log(2 * float(f[0]))


def range_tail(q: FloatArray, systems: int, df: float) -> FloatArray:
    """The probability that the studentised range of ``systems`` equal means exceeds each ``q``.

    P(Q > q) = E[P(R > q S)], R the range of m standard normals, S^2 a chi-square over its ``df`` degrees.

    >>> range_tail(np.array([3.0, 3.4490]), 3, 38).round(4).tolist()
    [0.0989, 0.05]
    """
    scale, weight = _chi_rule(df)
    size = max(1, CHUNK_CELLS // (len(scale) * FINE))
    parts = [q[start : start + size] for start in range(0, len(q), size)]
    tails = [_normal_range_tail(np.outer(part, scale), systems) @ weight for part in parts]
    return np.clip(np.concatenate(tails), 0.0, 1.0)


def _normal_range_tail(width: FloatArray, systems: int) -> FloatArray:
    """P(range of m standard normals > width) = m int phi(z) {Phi(z)^(m-1) - [Phi(z) - Phi(z - width)]^(m-1)} dz.

    The braces are written as a share of their first term, without a difference, so that small tails keep their digits.
    """
    from scipy.special import ndtr

    z, density = _normal_rule(COARSE if systems <= FEW else FINE)
    below = ndtr(z)
    kept = np.minimum(ndtr(z - width[..., None]) / below, 1 - 1e-16)
    tail: FloatArray = -np.expm1((systems - 1) * np.log1p(-kept)) @ (systems * density * below ** (systems - 1))
    return tail


@cache
def _normal_rule(nodes: int) -> tuple[FloatArray, FloatArray]:
    points, weights = np.polynomial.legendre.leggauss(nodes)
    z = points * FAR
    return z, weights * FAR * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


@lru_cache(maxsize=4096)
def _chi_rule(df: float) -> tuple[FloatArray, FloatArray]:
    """Points and weights for the root of a chi-square over its degrees of freedom, in its logarithm."""
    from scipy.special import gammainccinv, gammaincinv

    points, weights = np.polynomial.legendre.leggauss(COARSE // 2 if df > FEW else FINE)
    left, right = (0.5 * np.log(2 * float(end(df / 2, TAIL)) / df) for end in (gammaincinv, gammainccinv))
    u = left + (right - left) * (points + 1) / 2
    log_density = df * u - df / 2 * np.expm1(2 * u)
    weight = weights * np.exp(log_density - log_density.max())
    return np.exp(u), weight / weight.sum()
