"""Confidence intervals: the expected width of the interval on a difference of two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.f_distribution import critical_f

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


def expected_width(*, n: FloatArray, variance: FloatArray, alpha: FloatArray) -> FloatArray:
    """The expected width of the 1 - alpha interval on a mean difference whose per-topic variance is ``variance``.

    2 t(n-1) E[sqrt V] / sqrt n (Sakai 2018, Section 6.2). Only the ratio of the gamma functions is computed, so it
    works far beyond n = 343, where a spreadsheet's GAMMA overflows.

    >>> expected_width(n=np.array([10.0, 1e6]), variance=np.array(0.25), alpha=np.array(0.05)).round(6).tolist()
    [0.695799, 0.00196]
    """
    parts = np.broadcast_arrays(n, variance, alpha)
    size, sigma2, level = (np.atleast_1d(part).astype(float) for part in parts)
    phi = size - 1.0
    t = np.sqrt(critical_f(level, np.ones_like(phi), phi))
    width: FloatArray = 2 * t * mean_sd_ratio(phi) * np.sqrt(sigma2 / size)
    return width.reshape(parts[0].shape)


def mean_sd_ratio(df: FloatArray) -> FloatArray:
    """E[sqrt V] / sigma for a sample variance V on ``df`` degrees: sqrt(2/df) Gamma((df+1)/2) / Gamma(df/2).

    >>> mean_sd_ratio(np.array([1.0, 1e9])).round(6).tolist()
    [0.797885, 1.0]
    """
    from scipy.special import poch

    ratio: FloatArray = poch(df / 2, 0.5) / np.sqrt(df / 2)
    return ratio
