"""The studentised range: how far apart the largest and smallest of m equal means may fall by chance alone."""

from __future__ import annotations

from functools import cache, lru_cache
from math import erfc, expm1, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.f_distribution import critical_f
from kaiwa.stats.solvers import root

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray

FAR = 8.5
"""Standard deviations beyond which a normal variable is not looked for."""
DROP = 40.0
TABLE_END, TABLE_STEP = 10.0, 0.005
STEPS = 40
CLOSE = 1e-13
COARSE, FINE, FEW = 96, 256, 20
"""Quadrature points, and the systems or degrees of freedom at which they change."""


@lru_cache(maxsize=4096)
def critical_range(alpha: float, systems: int, df: float) -> float:
    """The studentised range that ``systems`` equal means exceed with chance ``alpha``, ``df`` for the error.

    The secant method on the log tail, from Bonferroni's bound, which lies just above.

    >>> round(critical_range(0.05, 3, 38), 4)
    3.449
    """
    before = _bonferroni(alpha, systems, df)
    now = before - 0.02
    miss_before = log(max(range_tail(np.exp(before), systems, df), 1e-300)) - log(alpha)
    for _ in range(STEPS):
        miss = log(max(range_tail(np.exp(now), systems, df), 1e-300)) - log(alpha)
        if abs(miss) < CLOSE or miss == miss_before:
            break
        step = miss * (now - before) / (miss_before - miss)
        before, now, miss_before = now, now + min(max(step, -1.0), 1.0), miss
    return float(np.exp(now))


def _bonferroni(alpha: float, systems: int, df: float) -> float:
    level = np.array([2 * alpha / (systems * (systems - 1))])
    f = critical_f(level, np.ones(1), np.array([float(df)]))
    return 0.5 * log(2 * float(f[0]))


def range_tail(q: float, systems: int, df: float) -> float:
    """The chance that the studentised range of ``systems`` equal means exceeds ``q``.

    P(Q > q) = E[P(R > q S)], R the range of m standard normals, S^2 a chi-square over its ``df`` degrees.

    >>> round(range_tail(3.4490, 3, 38), 4)
    0.05
    """
    scale, weight = _chi_rule(df)
    return float(weight @ _normal_range_tail(q * scale, systems))


def _normal_range_tail(width: FloatArray, systems: int) -> FloatArray:
    """P(range of m standard normals > width): 1 - m int phi(z) [Phi(z) - Phi(z - width)]^(m-1) dz."""
    z, below, weight = _normal_rule(COARSE if systems <= FEW else FINE)
    shifted = z[None, :] - np.minimum(width, 4 * FAR)[:, None]
    inside = below - _normal_cdf(shifted)
    return np.clip(1.0 - systems * (inside ** (systems - 1)) @ weight, 0.0, 1.0)


def _normal_cdf(x: FloatArray) -> FloatArray:
    """Phi by cubic Hermite interpolation in a table of itself and its density: error under 1e-12."""
    value, density = _normal_table()
    place = np.clip((x + TABLE_END) / TABLE_STEP, 0.0, len(value) - 1.0 - 1e-9)
    left = place.astype(np.int64)
    t = place - left
    u = 1 - t
    bend = TABLE_STEP * t * u * (u * density[left] - t * density[left + 1])
    cdf: FloatArray = u * u * (1 + 2 * t) * value[left] + t * t * (3 - 2 * t) * value[left + 1] + bend
    return cdf


@cache
def _normal_table() -> tuple[FloatArray, FloatArray]:
    x = np.arange(-TABLE_END, TABLE_END + TABLE_STEP, TABLE_STEP)
    value = np.array([erfc(-v * sqrt(0.5)) / 2 for v in x.tolist()])
    return value, np.exp(-x * x / 2) / sqrt(2 * np.pi)


@lru_cache(maxsize=4)
def _normal_rule(nodes: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    points, weights = np.polynomial.legendre.leggauss(nodes)
    z = points * FAR
    return z, _normal_cdf(z), weights * FAR * np.exp(-z * z / 2) / sqrt(2 * np.pi)


@lru_cache(maxsize=4096)
def _chi_rule(df: float) -> tuple[FloatArray, FloatArray]:
    """Points and weights for the root of a chi-square over its degrees of freedom, in its logarithm."""
    points, weights = np.polynomial.legendre.leggauss(COARSE // 2 if df > FEW else FINE)
    left, right = _chi_span(df)
    u = left + (right - left) * (points + 1) / 2
    log_density = df * u - df / 2 * np.expm1(2 * u)
    weight = weights * np.exp(log_density - log_density.max())
    return np.exp(u), weight / weight.sum()


def _chi_span(df: float) -> tuple[float, float]:
    """Where the log density of log S has fallen by ``DROP`` on either side of its mode, 0."""

    def fall(u: float) -> float:
        return df / 2 * (expm1(2 * u) - 2 * u) - DROP

    left = root(lambda u: fall(-u), 0.0, 1.0 + DROP / df, steps=40)
    return -left, root(fall, 0.0, 1.0 + log(1.0 + 2 * DROP / df), steps=40)
