"""Tukey's HSD: the power to find the difference between the best and the worst of m systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.f_distribution import noncentral_f_tail
from kaiwa.stats.studentised_range import critical_range

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


def one_way_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that a pair with the difference ``min_diff`` is significant; ``variance`` is V_E.

    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0643, alpha=0.05)
    >>> one_way_power(n=np.array([92.0]), **cell).round(3).tolist()
    [0.799]
    """
    df = systems * (n - 1.0)
    return _pair_power(systems, df, n * min_diff**2 / (2 * variance), alpha)


def paired_power(
    *,
    n: FloatArray,
    systems: FloatArray,
    min_diff: FloatArray,
    variance: FloatArray,
    alpha: FloatArray,
    range_ratio: float = 1.0,
) -> FloatArray:
    """The same if all systems are scored on the same topics; ``variance`` is V_E2.

    ``range_ratio`` is the critical range of the test over Tukey's, if the runs do not vary alike.
    """
    df = (systems - 1.0) * (n - 1.0)
    return _pair_power(systems, df, n * min_diff**2 / (2 * variance), alpha, range_ratio)


def _pair_power(
    systems: FloatArray, df: FloatArray, noncentrality: FloatArray, alpha: FloatArray, range_ratio: float = 1.0
) -> FloatArray:
    """P(|T'| > q / sqrt 2), T' noncentral t with ncp sqrt(n/2) minD / sigma, as its square, a noncentral F."""
    parts = np.broadcast_arrays(systems, df, noncentrality, alpha)
    m, phi, lam, level = (np.atleast_1d(part).astype(float) for part in parts)
    cells = zip(level.tolist(), m.tolist(), phi.tolist(), strict=True)
    q = range_ratio * np.array([critical_range(a, round(k), d) for a, k, d in cells])
    tail = noncentral_f_tail(q**2 / 2, np.ones_like(q), phi, lam)
    return tail.reshape(parts[0].shape)
