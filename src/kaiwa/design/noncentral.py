"""The noncentral F distribution: critical values and power, exact for any degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.design.beta import log_density, upper_quantile, upper_tail

if TYPE_CHECKING:
    from kaiwa.model import FloatArray

LARGE_MEAN = 4000.0
"""Above this Poisson mean the mixture is summed in strides, not term by term."""
LARGEST_MEAN = 1e12
"""So far out the power is 1 for any critical value in use."""
SPREAD = 9.5
CHUNK = 1 << 20


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
    shape = np.broadcast_shapes(*(np.shape(part) for part in (f, df1, df2, noncentrality, central)))
    mean = np.minimum(noncentrality / 2, LARGEST_MEAN)
    flat = [np.broadcast_to(part, shape).astype(float).ravel() for part in (f, df1, df2, mean, central)]
    power = np.empty(flat[0].shape)
    order = np.argsort(flat[3], kind="stable")
    place = 0
    while place < len(order):
        last = int(np.searchsorted(flat[3][order], LARGE_MEAN))
        if place >= last:
            power[order[place]] = _strided(*(float(part[order[place]]) for part in flat[:4]))
            place += 1
            continue
        width = _terms(float(flat[3][order[last - 1]]))
        some = order[place : min(last, place + max(1, CHUNK // width))]
        power[some] = _summed(*(part[some] for part in flat))
        place += len(some)
    return np.clip(power.reshape(shape), 0.0, 1.0)


def _terms(mean: float) -> int:
    return int(mean + SPREAD * mean**0.5 + 40)


def _summed(f: FloatArray, df1: FloatArray, df2: FloatArray, mean: FloatArray, central: FloatArray) -> FloatArray:
    a, b = (df1 / 2)[:, None], (df2 / 2)[:, None]
    j = np.arange(_terms(float(mean.max())), dtype=float)
    with np.errstate(divide="ignore"):
        log_mean = np.maximum(np.log(mean), -700.0)[:, None]
    log_poisson = np.concatenate([np.zeros((len(f), 1)), np.cumsum(log_mean - np.log(j[1:]), axis=1)], axis=1)
    poisson = np.exp(log_poisson - log_poisson.max(axis=1, keepdims=True))
    beyond = np.cumsum(poisson[:, ::-1], axis=1)[:, ::-1]
    beyond = np.concatenate([beyond[:, 1:], np.zeros((len(f), 1))], axis=1) / beyond[:, :1]
    x = (df1 * f / (df1 * f + df2))[:, None]
    log_ratio = np.log(x * (a + b + j[:-1]) / (a + j[1:]))
    log_first = log_density(np.log(f), df1 / 2, df2 / 2) - np.log(df1 / 2)
    log_term = log_first[:, None] + np.concatenate([np.zeros((len(f), 1)), np.cumsum(log_ratio, axis=1)], axis=1)
    power: FloatArray = central + (beyond * np.exp(log_term)).sum(axis=1)
    return power


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
