"""The verdict of each test on many simulated data sets at once: significant or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from kaiwa.registry import Names
from kaiwa.stats.anova import residuals, run_deviations
from kaiwa.stats.f_distribution import critical_f
from kaiwa.stats.studentised_range import critical_range

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


class Rejects(Protocol):
    """Whether the test is significant on each simulated data set, "sets x topics x systems"."""

    def __call__(self, sets: FloatArray, *, alpha: float) -> FloatArray:
        """1 where the test rejects, else 0."""


def f_test_one_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """One-way ANOVA's verdict on each set."""
    _, n, m = sets.shape
    return _f_verdict(sets, run_deviations(sets), df=m * (n - 1), alpha=alpha)


def f_test_two_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """Two-way ANOVA's verdict on each set; with two systems this is the paired t-test."""
    _, n, m = sets.shape
    return _f_verdict(sets, residuals(sets), df=(m - 1) * (n - 1), alpha=alpha)


def hsd_one_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """Whether the first system and the last differ by Tukey's HSD, topics not shared."""
    _, n, m = sets.shape
    return _hsd_verdict(sets, run_deviations(sets), df=m * (n - 1), alpha=alpha)


def hsd_two_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """Whether the first system and the last differ by Tukey's HSD, topics shared."""
    _, n, m = sets.shape
    return _hsd_verdict(sets, residuals(sets), df=(m - 1) * (n - 1), alpha=alpha)


def _f_verdict(sets: FloatArray, errors: FloatArray, *, df: int, alpha: float) -> FloatArray:
    _, n, m = sets.shape
    means = sets.mean(axis=1)
    between = n * ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / (m - 1)
    within = (errors**2).sum(axis=(1, 2)) / df
    critical = critical_f(np.array([alpha]), np.array([m - 1.0]), np.array([float(df)]))[0]
    return np.where(between > critical * within, 1.0, 0.0)


def _hsd_verdict(sets: FloatArray, errors: FloatArray, *, df: int, alpha: float) -> FloatArray:
    _, n, m = sets.shape
    means = sets.mean(axis=1)
    within = (errors**2).sum(axis=(1, 2)) / df
    q = critical_range(alpha, m, float(df))
    return np.where(np.abs(means[:, 0] - means[:, -1]) > q * np.sqrt(within / n), 1.0, 0.0)


VERDICTS: Names[Rejects] = Names(
    "simulated test",
    {
        "anova": f_test_one_way,
        "two-sample-t": f_test_one_way,
        "two-way": f_test_two_way,
        "paired-t": f_test_two_way,
        "hsd": hsd_one_way,
        "hsd-paired": hsd_two_way,
    },
)
