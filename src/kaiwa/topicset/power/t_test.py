"""Two systems: the paired and the two-sample t-test, two-sided, by the exact noncentral distribution.

A two-sided t-test is an F-test with one numerator degree of freedom: t^2 = F and the noncentrality is squared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.topicset.power.one_way_anova import f_power

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


def paired_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that a paired t-test on n topics rejects; ``variance`` is that of the per-topic differences.

    ncp = sqrt(n) minD / sigma_t, phi = n - 1.

    >>> import numpy as np
    >>> cell = dict(systems=2.0, min_diff=0.5, variance=1.0, alpha=0.05)
    >>> paired_power(n=np.array([33, 34]), **cell).round(4).tolist()
    [0.7954, 0.8078]
    """
    return f_power(systems - 1.0, n - 1.0, n * min_diff**2 / variance, alpha)


def two_sample_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that a two-sample t-test with n topics per system rejects; ``variance`` is one system's.

    ncp = sqrt(n/2) minD / sigma, phi = 2n - 2.

    >>> import numpy as np
    >>> cell = dict(systems=2.0, min_diff=0.5, variance=1.0, alpha=0.05)
    >>> two_sample_power(n=np.array([63, 64]), **cell).round(4).tolist()
    [0.7952, 0.8015]
    """
    return f_power(systems - 1.0, 2.0 * n - 2.0, n * min_diff**2 / (2 * variance), alpha)
