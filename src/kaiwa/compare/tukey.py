"""The studentised range and Tukey's HSD with it: the analytic test, on matched topics and not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import scale_tolerance
from kaiwa.stats.anova import require_matrix, two_way_anova, within_run_variance

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray

_SCALE_NODES = 48
_MAX_NODES = 160
_REACH = 8.5
_TAIL = 1e-15
_CHUNK = 256


@dataclass(frozen=True, eq=False)
class TukeyHSD:
    """p per pair, runs x runs, and the difference a pair must exceed to be significant at alpha."""

    p: FloatArray
    critical_difference: float


@dataclass(frozen=True, eq=False)
class Quadrature:
    """Where to evaluate an integrand and how much each value counts."""

    nodes: FloatArray
    weights: FloatArray


def tukey_hsd(by_topic: FloatArray, *, alpha: float = 0.05) -> TukeyHSD:
    """Tukey's HSD on matched topics: the two-way residual variance and its degrees of freedom (Sakai 2018, 5.2).

    >>> scores = np.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]])
    >>> tukey_hsd(scores).p[0].round(4).tolist()
    [1.0, 0.1853, 0.0513]
    """
    topics, runs = require_matrix(by_topic)
    return _hsd(by_topic, two_way_anova(by_topic).v_e2, (topics - 1) * (runs - 1), alpha)


def one_way_tukey_hsd(by_topic: FloatArray, *, alpha: float = 0.05) -> TukeyHSD:
    """Tukey's HSD as if each run had topics of its own: what other packages call tukey, kept for comparison."""
    topics, runs = require_matrix(by_topic)
    return _hsd(by_topic, within_run_variance(by_topic), runs * (topics - 1), alpha)


def _hsd(by_topic: FloatArray, variance: float, df: int, alpha: float) -> TukeyHSD:
    topics, runs = by_topic.shape
    means = by_topic.mean(axis=0)
    differences = np.abs(means[:, None] - means)
    if not variance:
        return TukeyHSD((differences <= scale_tolerance(by_topic)).astype(np.float64), 0.0)
    error = float(np.sqrt(variance / topics))
    first, second = np.triu_indices(runs, 1)
    p = np.ones((runs, runs))
    p[first, second] = p[second, first] = studentised_range_tail(differences[first, second] / error, runs, df)
    return TukeyHSD(p, studentised_range_quantile(alpha, runs, df) * error)


def studentised_range_tail(q: FloatArray, runs: int, df: int) -> FloatArray:
    """P(Q > q) for the range of ``runs`` normal means over an independent scale estimate with ``df``.

    Two nested Gauss-Legendre sums: over the scale s = chi/sqrt(df), and over the place z of the largest
    mean, runs * phi(z) * (Phi(z) - Phi(z - q s))^(runs - 1).

    >>> studentised_range_tail(np.array([3.0, 3.6]), 3, 20).round(6).tolist()
    [0.110757, 0.048438]
    """
    parts = np.array_split(q, max(1, -(-len(q) // _CHUNK)))
    tails = [_tail_of(part, runs, _scales(df), _legendre(-_REACH, _REACH, _MAX_NODES)) for part in parts]
    return np.clip(np.concatenate(tails), 0.0, 1.0)


@cache
def studentised_range_quantile(alpha: float, runs: int, df: int) -> float:
    """The q exceeded with probability alpha, by bisection."""
    low, high = 0.0, 1.0
    while studentised_range_tail(np.array([high]), runs, df)[0] > alpha:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        above = studentised_range_tail(np.array([middle]), runs, df)[0] > alpha
        low, high = (middle, high) if above else (low, middle)
    return high


def _tail_of(q: FloatArray, runs: int, scales: Quadrature, places: Quadrature) -> FloatArray:
    from scipy.special import ndtr

    z = places.nodes
    width = q[:, None] * scales.nodes
    inside = ndtr(z) - ndtr(z - width[..., None])
    density = runs * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * places.weights
    tail: FloatArray = 1.0 - (inside ** (runs - 1) @ density) @ scales.weights
    return tail


def _scales(df: int) -> Quadrature:
    """Values of s = sqrt(chi-square / df), weighted by their density."""
    from scipy.special import gammainccinv, gammaincinv, gammaln

    low, high = (float(np.sqrt(2 * end(df / 2, _TAIL) / df)) for end in (gammaincinv, gammainccinv))
    flat = _legendre(low, high, _SCALE_NODES)
    s = flat.nodes
    log_density = np.log(2.0) + (df / 2) * np.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(s) - df * s**2 / 2
    return Quadrature(s, flat.weights * np.exp(log_density))


def _legendre(low: float, high: float, count: int) -> Quadrature:
    x, weights = _unit_nodes(count)
    return Quadrature((high - low) / 2 * x + (high + low) / 2, (high - low) / 2 * weights)


@cache
def _unit_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(count)
