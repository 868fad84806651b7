"""Two-way ANOVA without replication: all systems are scored on the same topics, so topic difficulty cancels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.topicset.power.one_way_anova import f_power

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


def power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The exact probability that the two-way F-test rejects "all systems equal"; ``variance`` is V_E2.

    phiA = m - 1, phiE = (m - 1)(n - 1), lambda = n minD^2 / (2 V_E2).

    >>> import numpy as np
    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0311, alpha=0.05)
    >>> power(n=np.array([45]), **cell).round(4).tolist()
    [0.8087]
    """
    phi_a = systems - 1.0
    return f_power(phi_a, phi_a * (n - 1.0), n * min_diff**2 / (2 * variance), alpha)
