"""The F distribution, central and noncentral: critical values, and the power of an F-test."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.solvers import crossing, merit_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray

PLENTY = 1e5
"""From df2 = PLENTY * max(df1, 100) on, the limit of many error degrees of freedom is used, with a correction."""
_FAULTY = 2000.0
"""At exactly this df1, scipy 1.15 to 1.17 inverts the beta distribution wrongly, by up to a factor of 2.7."""


def critical_f(alpha: FloatArray, df1: FloatArray, df2: FloatArray) -> FloatArray:
    """The value that an F(df1, df2) variable exceeds with probability ``alpha``.

    The beta variable and its complement each have their own inverse, so that no number near 1 is subtracted from 1.
    With many error degrees of freedom the value is a chi-square over df1 with a first-order correction.

    >>> critical_f(np.array([0.05]), np.array([1.0]), np.array([10.0])).round(4).tolist()
    [4.9646]
    """
    from scipy.special import betainccinv, betaincinv, chdtri

    half = np.where(df1 == _FAULTY, np.nextafter(_FAULTY / 2, 0.0), df1 / 2)
    above, below = betainccinv(half, df2 / 2, alpha), betaincinv(df2 / 2, half, alpha)
    square = chdtri(df1, alpha)
    limit = square / df1 * (1 + (square - df1 + 2) / (2 * df2))
    critical: FloatArray = np.where(_plenty(df1, df2), limit, df2 / df1 * above / below)
    return critical


def noncentral_f_tail(f: FloatArray, df1: FloatArray, df2: FloatArray, noncentrality: FloatArray) -> FloatArray:
    """The probability that a noncentral F variable exceeds ``f``.

    With many error degrees of freedom the scale of the error hardly varies. It is replaced by two points with its
    mean and variance, each with the tail of a noncentral chi-square. ``ncfdtr`` is nan if the lower tail underflows.

    >>> one = np.ones(1)
    >>> noncentral_f_tail(4.9646 * one, one, 10 * one, 8 * one).round(4).tolist()
    [0.7225]
    """
    from scipy.special import chndtr, ncfdtr

    plenty = _plenty(df1, df2)
    lower = np.nan_to_num(ncfdtr(df1, np.where(plenty, 1.0, df2), noncentrality, f), nan=0.0)
    step = np.sqrt(2 / np.where(plenty, df2, 2.0))
    limit = sum(chndtr(df1 * f * (1 + side * step), df1, noncentrality) for side in (-1, 1)) / 2
    tail: FloatArray = np.clip(1 - np.where(plenty, limit, lower), 0.0, 1.0)
    return tail


def noncentrality_needed(df1: FloatArray, df2: FloatArray, alpha: FloatArray, power: float) -> FloatArray:
    """The noncentrality at which an F-test reaches the power; nan if every noncentrality does."""
    critical, target = critical_f(alpha, df1, df2), np.array(power)
    z = NormalDist().inv_cdf(1 - min(float(alpha.min()), 0.4)) + max(NormalDist().inv_cdf(power), 0.0)
    return crossing(
        lambda lam: merit_of(noncentral_f_tail(critical, df1, df2, lam), target), z * np.sqrt(2 * df1) + 0.7 * z * z
    )


def _plenty(df1: FloatArray, df2: FloatArray) -> NDArray[np.bool_]:
    plenty: NDArray[np.bool_] = df2 >= PLENTY * np.maximum(df1, 100.0)
    return plenty
