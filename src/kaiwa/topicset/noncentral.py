"""The noncentral F distribution: critical values and power, exact for any degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.topicset.beta import log_density, upper_quantile, upper_tail

if TYPE_CHECKING:
    from kaiwa.model import FloatArray

LARGE_MEAN = 4000.0
"""Above this Poisson mean the mixture is summed in strides, not term by term."""
LARGEST_MEAN = 1e12
"""So far out the power is 1 for any critical value in use."""
SPREAD = 9.5
CHUNK = 1 << 17
PORTION = 2048


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
    a, b = (df1 / 2)[:, None], (df2 / 2)[:, None]
    j = np.arange(1.0, _terms(float(mean.max())))
    odds = np.log(np.maximum(mean, 1e-300))[:, None]
    poisson = _running(odds - np.log(j))
    poisson = np.exp(poisson - poisson.max(axis=1, keepdims=True))
    beyond = poisson[:, ::-1].cumsum(axis=1)[:, ::-1]
    x = (df1 * f / (df1 * f + df2))[:, None]
    log_first = log_density(np.log(f), df1 / 2, df2 / 2) - np.log(df1 / 2)
    terms = np.exp(_running(np.log(x * (a + b + (j - 1)) / (a + j))) + log_first[:, None])
    power: FloatArray = central + (beyond[:, 1:] * terms[:, :-1]).sum(axis=1) / beyond[:, 0]
    return power


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
