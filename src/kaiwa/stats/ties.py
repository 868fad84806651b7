"""When two scores count as equal: one tolerance, relative to the scale, for every test, rank and correlation.

Scores with the same decimals differ in their last binary digits when they were computed in different ways. Such
differences are not differences between runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray

TOLERANCE = 1e-12
"""The share of the largest score by which two equal scores may differ."""


def tie_tolerance(scores: FloatArray) -> float:
    """The largest difference that is rounding: 1e-12 of the largest of these scores.

    >>> tie_tolerance(np.array([0.5, -2.0])), tie_tolerance(np.zeros(3))
    (2e-12, 0.0)
    """
    return TOLERANCE * float(np.abs(scores).max(initial=0.0))


def with_ties(values: FloatArray, tolerance: float) -> FloatArray:
    """The values, each replaced by the lowest of those that are equal to it up to the tolerance.

    >>> with_ties(np.array([0.3, 0.1 + 0.2, 0.1]), 1e-12).tolist()
    [0.3, 0.3, 0.1]
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    lowest = np.concatenate(([True], np.diff(ascending) > tolerance))[: len(values)]
    tied = np.empty(len(values))
    tied[order] = ascending[np.maximum.accumulate(np.where(lowest, np.arange(len(values)), 0))]
    return tied


def tied_means(by_topic: FloatArray) -> FloatArray:
    """The mean of each run of a topics x runs matrix; means that differ by rounding only are made equal.

    >>> tied_means(np.array([[0.1, 0.3], [0.2, 0.0]])).tolist()
    [0.15, 0.15]
    """
    return with_ties(by_topic.mean(axis=0), tie_tolerance(by_topic))
