"""One-way ANOVA: m systems, each scored on n topics, whose best and worst differ by min_diff."""

from __future__ import annotations

from math import erfc, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.f_distribution import critical_f, noncentral_f_tail

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


def power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The exact probability that ANOVA rejects "all equal" if best and worst differ by ``min_diff``, others midway.

    Sakai 2018, Section 6.4: Delta = minD^2 / (2 sigma^2), phiA = m - 1, phiE = m (n - 1), lambda = n Delta.

    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0643, alpha=0.05)
    >>> power(n=np.array([90, 92]), **cell).round(4).tolist()
    [0.7984, 0.8091]
    """
    phi_a, phi_e = systems - 1.0, systems * (n - 1.0)
    noncentrality = n * min_diff**2 / (2 * variance)
    return f_power(phi_a, phi_e, noncentrality, alpha)


def f_power(phi_a: FloatArray, phi_e: FloatArray, noncentrality: FloatArray, alpha: FloatArray) -> FloatArray:
    """The probability that the F-test at level ``alpha`` rejects under this noncentrality."""
    parts = np.broadcast_arrays(alpha, phi_a, phi_e, noncentrality)
    level, df1, df2, lam = (np.atleast_1d(part).astype(float) for part in parts)
    return noncentral_f_tail(critical_f(level, df1, df2), df1, df2, lam).reshape(parts[0].shape)


def sakai_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The power behind the published tables: a normal approximation with a minus where the derivation gives a plus.

    Sakai 2015, after Nagata 2003: power = P(U >= u) with
    u = [sqrt(w/phiE) sqrt(2 phiE - 1) - sqrt(c/phiA) sqrt(2 phi* - 1)] / sqrt(c/phiA - w/phiE);
    a radicand that is not positive counts as power 0.

    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0643, alpha=0.05)
    >>> sakai_power(n=np.array([89, 90]), **cell).round(4).tolist()
    [0.7981, 0.8035]
    """
    parts = np.broadcast_arrays(n, systems, min_diff, variance, alpha)
    size, m, minD, sigma2, level = (np.atleast_1d(part).astype(float) for part in parts)
    phiA, phiE, lam = m - 1, m * (size - 1), size * minD**2 / (2 * sigma2)
    w = critical_f(level, phiA, phiE)
    c = (phiA + 2 * lam) / (phiA + lam)
    phi_star = (phiA + lam) * ((phiA + lam) / (phiA + 2 * lam))
    radicand = c / phiA - w / phiE
    usable = radicand > 0
    top = np.sqrt(w / phiE) * np.sqrt(2 * phiE - 1) - np.sqrt(c / phiA) * np.sqrt(2 * phi_star - 1)
    u = top / np.sqrt(np.where(usable, radicand, 1.0))
    tail = np.array([erfc(v / sqrt(2)) / 2 for v in u.ravel().tolist()]).reshape(u.shape)
    return np.where(usable, tail, 0.0).reshape(parts[0].shape)
