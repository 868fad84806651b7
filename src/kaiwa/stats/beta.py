"""Upper tails and quantiles of the beta distribution, to full precision at any size of its two parameters.

With s = a + b and p = a / s, the logit of a beta variable has the log-concave density

    g(p0 + d) = g(mode) exp(a d - s log(1 + p (e^d - 1))),     d the distance from the mode logit(p),

whose height at the mode needs only Stirling errors (Loader 2000), so nothing cancels even at a = 500,
b = 5e10, where differences of log-gammas have lost every digit. A tail is one 48-point Gauss-Legendre rule over
the stretch in which the density falls by ``DROP`` nats. numpy is all it needs: importing scipy.special would
cost more CPU time than a whole ``kaiwa design``.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log, pi
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray

DROP = 40.0
NODES = 48
ROUGH_NODES = 14
STEPS = 60
TINY = 1e-300
FARTHEST = 600.0
"""The largest exponent formed; no stretch of ``DROP`` nats reaches it."""
NEARLY = 5e-5
"""Halley triples the digits, and here leaves a hundredth of the cube: one step from here reaches the last."""
BLOCK = 512
STIRLING_FROM = 12.0
"""Above this, five terms of Stirling's series leave an error under 1e-16."""


def stirling_error(a: FloatArray) -> FloatArray:
    """Log Gamma(a) minus Stirling's formula (a - 1/2) log a - a + log(2 pi)/2, per element.

    >>> stirling_error(np.array([1.0])).round(12).tolist()
    [0.081061466795]
    """
    inverse = 1.0 / a
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))
    small = a < STIRLING_FROM
    if small.any():
        series = series.copy()
        series[small] = [_small_stirling_error(v) for v in a[small].tolist()]
    return series


@lru_cache(maxsize=1 << 12)
def _small_stirling_error(a: float) -> float:
    return lgamma(a) - (a - 0.5) * log(a) + a - 0.5 * log(2 * pi)


def log_density_at_mode(a: FloatArray, b: FloatArray) -> FloatArray:
    """The log density of the logit of a Beta(a, b) variable at its mode, logit(a / (a + b))."""
    s = a + b
    return 0.5 * np.log(a / s * b / (2 * pi)) + stirling_error(s) - stirling_error(a) - stirling_error(b)


def log_density(d: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The log density of the logit of a Beta(a, b) variable at distance ``d`` from its mode."""
    return log_density_at_mode(a, b) + _fall(d, a, b)


def upper_tail(d: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The chance that the logit of a Beta(a, b) variable lies more than ``d`` above its mode.

    >>> upper_tail(np.array([0.0]), np.array([1.5]), np.array([1.5])).round(12).tolist()
    [0.5]
    """
    return np.exp(_log_upper_tail(d, a, b, log_density_at_mode(a, b)))


def _log_upper_tail(d: FloatArray, a: FloatArray, b: FloatArray, height: FloatArray, nodes: int = NODES) -> FloatArray:
    right = d >= 0
    near = height + _log_right_tail(np.abs(d), np.where(right, a, b), np.where(right, b, a), nodes)
    return np.where(right, near, np.log1p(-np.exp(np.minimum(near, -1e-16))))


def upper_quantile(alpha: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The distance above the mode that the logit of a Beta(a, b) variable exceeds with chance ``alpha``.

    Halley's method on the log tail, which is concave, block by block so that the work stays in cache.
    """
    blocks = [slice(start, start + BLOCK) for start in range(0, len(a), BLOCK)]
    return np.concatenate([_quantile(alpha[block], a[block], b[block]) for block in blocks])


def _quantile(alpha: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    d = _first_guess(alpha, a, b)
    target = np.log(alpha)
    height = log_density_at_mode(a, b)
    for step in range(STEPS):
        # the first step only has to come near: a rough tail does
        log_tail = _log_upper_tail(d, a, b, height, ROUGH_NODES if step == 0 else NODES)
        miss = log_tail - target
        hazard = np.exp(height + _fall(d, a, b) - log_tail)
        bend = miss * (_slope(d, a, b) + hazard) / (2 * hazard)
        d = d + miss / hazard / np.clip(1 + bend, 0.5, 2.0)
        if step and (np.abs(miss) < NEARLY).all():
            break
    return d


def _first_guess(alpha: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Carter's (1947) approximation to Fisher's z where it holds, else that of an unlimited second parameter."""
    z, z_half = _normal_points(alpha)
    v, w = 1 / np.maximum(2 * a - 1, 0.5), 1 / np.maximum(2 * b - 1, 0.5)
    h, bow = 2 / (v + w), (z * z - 3) / 6
    carter = 2 * (z * np.sqrt(np.maximum(h + bow, 0.1)) / h - (v - w) * (bow + 5 / 6 - 2 / (3 * h)))
    squared = 2 * np.log(np.maximum(z_half, 0.05))
    return np.where(a > 0.75, np.clip(carter, -20.0, 20.0), squared)  # noqa: PLR2004  a = 1/2 is a squared normal


def _normal_points(alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The points a normal variable exceeds with chance alpha, and with half of it."""
    levels, back = np.unique(alpha, return_inverse=True)
    whole, half = ([_normal_point(level * share) for level in levels.tolist()] for share in (1.0, 0.5))
    return np.array(whole)[back], np.array(half)[back]


def _normal_point(level: float) -> float:
    return -NormalDist().inv_cdf(level) if level > TINY else 37.0


def _fall(d: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The log density at ``d`` relative to the mode, written from the side of the smaller parameter."""
    s, small = a + b, np.minimum(a, b)
    e = np.minimum(np.where(a <= b, 1.0, -1.0) * d, FARTHEST)
    fall: FloatArray = small * e - s * np.log1p(small / s * np.expm1(e))
    return fall


def _slope(d: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The derivative of the log density."""
    slope: FloatArray = a - (a + b) * a / (a + b * np.exp(np.minimum(-d, FARTHEST)))
    return slope


def _log_right_tail(d: FloatArray, a: FloatArray, b: FloatArray, count: int) -> FloatArray:
    """The log of the chance beyond ``d`` >= 0, short of the height at the mode."""
    end = _end_of_tail(d, a, b)
    nodes, weights = _RULES[count]
    here = d[..., None] + (end - d)[..., None] * nodes
    start = _fall(d, a, b)
    relative = np.exp(_fall(here, a[..., None], b[..., None]) - start[..., None]) @ weights
    return start + np.log(relative * (end - d))


def _end_of_tail(d: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """A point where the density has fallen by at least ``DROP`` from its value at ``d``, and not by much more.

    A parabola through ``d``, then Newton's method: on a concave function it never stops short.
    """
    target = _fall(d, a, b) - DROP
    slope = _slope(d, a, b)
    bend = (a - slope) * (b + slope) / (a + b)
    end = d + 2 * DROP / (np.sqrt(slope * slope + 2 * DROP * bend) - slope)
    for _ in range(2):
        end = end + (target - _fall(end, a, b)) / _slope(end, a, b)
    return end


def _rule(count: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre in the root of the distance: the points crowd where the tail begins."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    roots = (nodes + 1) / 2
    return roots**2, weights * roots


_RULES = {count: _rule(count) for count in (ROUGH_NODES, NODES)}
