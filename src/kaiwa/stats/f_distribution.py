"""The noncentral F distribution: critical values and power, exact for any degrees of freedom."""

from __future__ import annotations

from math import log
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.beta import log_density, upper_quantile, upper_tail

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray

LARGE_MEAN = 4000.0
"""Above this Poisson mean the mixture is summed in strides, not term by term."""
LARGEST_MEAN = 1e12
"""So far out the power is 1 for any critical value in use."""
SPREAD = 9.5
CHUNK = 1 << 17
PORTION = 2048
FARTHEST_ROOT = 1.4
"""The root of the noncentrality needed is within this factor of its first guess."""
NEWTON_STEPS = 8


def critical_f(alpha: FloatArray, df1: FloatArray, df2: FloatArray) -> FloatArray:
    """The value that an F(df1, df2) variable exceeds with chance ``alpha``.

    >>> critical_f(np.array([0.05]), np.array([1.0]), np.array([10.0])).round(4).tolist()
    [4.9646]
    """
    return np.exp(upper_quantile(alpha, df1 / 2, df2 / 2))


def f_tail(f: FloatArray, df1: FloatArray, df2: FloatArray) -> FloatArray:
    """The chance that an F(df1, df2) variable exceeds ``f``."""
    return upper_tail(np.log(f), df1 / 2, df2 / 2)


def noncentral_f_tail(
    f: FloatArray, df1: FloatArray, df2: FloatArray, noncentrality: FloatArray, central: FloatArray
) -> FloatArray:
    """The chance that a noncentral F variable exceeds ``f``, where a central one does with chance ``central``.

    A Poisson mixture of beta tails; as each tail is the one before plus a positive term t_j,
    P(F' > f) = central + sum_j P(N > j) t_j with N ~ Poisson(noncentrality / 2): no subtraction anywhere.
    """
    parts = np.broadcast_arrays(f, df1, df2, np.minimum(noncentrality / 2, LARGEST_MEAN), central)
    flat = [part.astype(float).ravel() for part in parts]
    mean = flat[3]
    if mean.size * _terms(float(mean.max(initial=0.0))) <= CHUNK and mean.max(initial=0.0) < LARGE_MEAN:
        power = _summed(*flat)
    else:
        power = _in_portions(flat)
    return np.clip(power.reshape(parts[0].shape), 0.0, 1.0)


def noncentrality_needed(df1: FloatArray, df2: FloatArray, alpha: FloatArray, power: float) -> FloatArray:
    """The noncentrality, to about a thousandth, at which an F-test reaches the power: Newton's method in its root.

    The beta tails are computed once: only the Poisson weights move with the noncentrality, and
    as dP(N > j)/dmean = P(N = j), the slope comes with them.
    """
    z = NormalDist().inv_cdf(1 - min(float(alpha.min()), 0.4)) + max(NormalDist().inv_cdf(power), 0.0)
    root = np.sqrt(z * np.sqrt(2 * df1) + 0.7 * z * z)
    farthest = float(root.max()) * FARTHEST_ROOT
    count = _terms(farthest**2 / 2)
    if farthest**2 / 2 > LARGE_MEAN:
        return root**2
    steps = _tail_steps(critical_f(alpha, df1, df2), df1, df2, count)
    for _ in range(NEWTON_STEPS):
        chance = _poisson(root**2 / 2, count)
        beyond = chance[:, ::-1].cumsum(axis=1)[:, ::-1]
        reached = np.clip(alpha + (beyond[:, 1:] * steps).sum(axis=1) / beyond[:, 0], 1e-15, 1 - 1e-15)
        slope = root * (chance[:, :-1] * steps).sum(axis=1) / beyond[:, 0] / (reached * (1 - reached))
        short = log(power / (1 - power)) - np.log(reached / (1 - reached))
        root = np.clip(root + short / np.maximum(slope, 1e-3), root / 2, farthest)
        if (np.abs(short) < 3e-3 * slope * root).all():
            break
    return root**2


def _in_portions(flat: list[FloatArray]) -> FloatArray:
    """The same for many cells, those with few terms together, or for large means, one by one."""
    power = np.empty(len(flat[0]))
    order = np.argsort(flat[3], kind="stable")
    summed = int(np.searchsorted(flat[3][order], LARGE_MEAN))
    place = 0
    while place < summed:
        ahead = order[place : min(summed, place + PORTION)]
        width = _terms(float(flat[3][ahead[-1]]))
        some = ahead[: max(1, CHUNK // width)]
        power[some] = _summed(*(part[some] for part in flat))
        place += len(some)
    for one in order[summed:].tolist():
        power[one] = _strided(*(float(part[one]) for part in flat[:4]))
    return power


def _terms(mean: float) -> int:
    return int(mean + SPREAD * mean**0.5 + 18)


def _summed(f: FloatArray, df1: FloatArray, df2: FloatArray, mean: FloatArray, central: FloatArray) -> FloatArray:
    count = _terms(float(mean.max()))
    beyond = _poisson(mean, count)[:, ::-1].cumsum(axis=1)[:, ::-1]
    power: FloatArray = central + (beyond[:, 1:] * _tail_steps(f, df1, df2, count)).sum(axis=1) / beyond[:, 0]
    return power


def _poisson(mean: FloatArray, count: int) -> FloatArray:
    """Poisson chances of 0 to count - 1, in proportion: cells x count."""
    odds = np.log(np.maximum(mean, 1e-300))[:, None]
    chance = _running(odds - np.log(np.arange(1.0, count)))
    chance -= chance.max(axis=1, keepdims=True)
    return np.exp(chance, out=chance)


def _tail_steps(f: FloatArray, df1: FloatArray, df2: FloatArray, count: int) -> FloatArray:
    """By how much each beta tail of the mixture exceeds the one before it: cells x (count - 1)."""
    a, b = (df1 / 2)[:, None], (df2 / 2)[:, None]
    j = np.arange(1.0, count - 1)
    x = (df1 * f / (df1 * f + df2))[:, None]
    log_first = log_density(np.log(f), df1 / 2, df2 / 2) - np.log(df1 / 2)
    steps = _running(np.log(x * (a + b + (j - 1)) / (a + j)))
    steps += log_first[:, None]
    return np.exp(steps, out=steps)


def _running(steps: FloatArray) -> FloatArray:
    """Sums of the steps so far, along rows, from 0."""
    sums = np.zeros((steps.shape[0], steps.shape[1] + 1))
    np.cumsum(steps, axis=1, out=sums[:, 1:])
    return sums


def _strided(f: float, df1: float, df2: float, mean: float) -> float:
    """The same mixture for a large mean: Poisson weights and tails are smooth there, so every stride-th will do."""
    stride = max(1, int(mean**0.5 / 16))
    reach = SPREAD * mean**0.5
    j = np.arange(max(0, int(mean - reach)), int(mean + reach), stride, dtype=float)
    log_weight = np.concatenate([[0.0], np.cumsum(_log_poisson_steps(j, mean))])
    weight = np.exp(log_weight - log_weight.max())
    a = df1 / 2 + j
    tails = upper_tail(np.log(df1 * f / df2) - np.log(2 * a / df2), a, np.full(len(a), df2 / 2))
    return float(weight @ tails / weight.sum())


def _log_poisson_steps(j: FloatArray, mean: float) -> FloatArray:
    """Log pmf(j[i+1]) - log pmf(j[i]), by Loader's deviance, which keeps its digits at any mean."""
    ratio = (j - mean) / mean
    deviance = mean * ((1 + ratio) * np.log1p(ratio) - ratio)
    k = np.maximum(j, 1.0)
    return np.diff(-deviance - 0.5 * np.log(k) - 1 / (12 * k))
