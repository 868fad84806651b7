"""Tukey's HSD by the studentised range: the analytic test, for matched and for unmatched topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.anova import require_matrix, two_way_anova, within_run_variance
from kaiwa.stats.studentised_range import critical_range, range_tail
from kaiwa.stats.ties import tie_tolerance

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


@dataclass(frozen=True, eq=False)
class TukeyHSD:
    """p per pair, runs x runs, and the difference that a pair must exceed to be significant at alpha."""

    p: FloatArray
    critical_difference: float


def tukey_hsd(by_topic: FloatArray, *, alpha: float = 0.05) -> TukeyHSD:
    """Tukey's HSD on matched topics: the two-way residual variance and its degrees of freedom (Sakai 2018, 5.2).

    >>> scores = np.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]])
    >>> tukey_hsd(scores).p[0].round(4).tolist()
    [1.0, 0.1853, 0.0513]
    """
    topics, runs = require_matrix(by_topic)
    return _hsd(by_topic, two_way_anova(by_topic).v_e2, (topics - 1) * (runs - 1), alpha)


def one_way_tukey_hsd(by_topic: FloatArray, *, alpha: float = 0.05) -> TukeyHSD:
    """Tukey's HSD as if each run had topics of its own: what other packages call tukey, kept for comparison."""
    topics, runs = require_matrix(by_topic)
    return _hsd(by_topic, within_run_variance(by_topic), runs * (topics - 1), alpha)


def _hsd(by_topic: FloatArray, variance: float, df: int, alpha: float) -> TukeyHSD:
    topics, runs = by_topic.shape
    means = by_topic.mean(axis=0)
    differences = np.abs(means[:, None] - means)
    if not variance:
        return TukeyHSD((differences <= tie_tolerance(by_topic)).astype(np.float64), 0.0)
    error = float(np.sqrt(variance / topics))
    first, second = np.triu_indices(runs, 1)
    p = np.ones((runs, runs))
    p[first, second] = p[second, first] = range_tail(differences[first, second] / error, runs, df)
    return TukeyHSD(p, critical_range(alpha, runs, df) * error)
