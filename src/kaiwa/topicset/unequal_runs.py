"""Runs that do not vary alike: how much larger their critical range is than that of runs with equal variances.

Tukey's critical range is for runs with equal variances and equal correlations. The range of real runs is often that of
the runs that vary most, so a test that keeps the error on such runs has a larger critical difference, and less power.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.anova import residual_variance
from kaiwa.stats.random_words import trial_words
from kaiwa.stats.studentised_range import critical_range
from kaiwa.stats.topic_resampling import resampled_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.ids import FloatArray

TRIALS = 4_000
SIGNS_KEY, RUNS_KEY = 1, 2
"""The keys of the random signs and of the runs drawn: the same pilot has the same answer."""
NORMAL_DF = 1e7
FEWEST_RUNS = 3
"""Two runs have one difference; its variance is V_E2 itself."""


def range_ratio(matrices: Sequence[FloatArray], *, systems: int, alpha: float) -> float:
    """The critical range of so many runs like those of the pilots over that of equal runs; at least 1.

    The signs of whole topics are flipped, as by the robust test, and the runs are drawn from those of the pilot if it
    has more. Several pilots are averaged by their degrees of freedom.

    >>> rng = np.random.default_rng(1)
    >>> equal, unequal = rng.normal(size=(80, 8)), rng.normal(0, np.geomspace(1, 9, 8), (80, 8))
    >>> [round(range_ratio([one], systems=8, alpha=0.05), 2) for one in (equal, unequal)]
    [1.0, 1.18]
    """
    known = [one for one in matrices if one.shape[1] >= FEWEST_RUNS and residual_variance(one) > 0]
    if not known:
        return 1.0
    ratios = [_ratio(one, min(systems, one.shape[1]), alpha) for one in known]
    weights = [(len(one) - 1) * (one.shape[1] - 1) for one in known]
    return max(1.0, float(np.average(ratios, weights=weights)))


def _ratio(by_topic: FloatArray, systems: int, alpha: float) -> float:
    flipped = np.concatenate(list(resampled_means(by_topic, trials=TRIALS, key=SIGNS_KEY)))
    runs = flipped.shape[1]
    if systems < runs:
        drawn = trial_words(RUNS_KEY, 0, TRIALS, runs).argpartition(systems - 1, axis=1)[:, :systems]
        flipped = np.take_along_axis(flipped, drawn, axis=1)
    reached = float(np.quantile(np.ptp(flipped, axis=1), 1 - alpha))
    return reached / (critical_range(alpha, systems, NORMAL_DF) * sqrt(residual_variance(by_topic) / len(by_topic)))
