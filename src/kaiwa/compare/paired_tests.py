"""Planned pairs: paired tests of each run against one baseline, corrected by Holm's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import scale_tolerance
from kaiwa.registry import Names
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import PRule, holm, p_from_counts
from kaiwa.stats.topic_bootstrap import blocks, topic_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray


@dataclass(frozen=True, eq=False)
class PairedTests:
    """One value per tested run: its mean minus the baseline's, the interval, the raw and the corrected p."""

    differences: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    holm: FloatArray


def paired_t_p(differences: FloatArray) -> FloatArray:
    """Two-sided p of the paired t-test, per column of per-topic differences.

    If every topic differs by the same amount there is no variance: p is 1 for no difference, else 0.

    >>> paired_t_p(np.array([[0.1], [0.3], [0.2], [0.4]])).round(4).tolist()
    [0.0305]
    """
    from scipy.special import stdtr

    n = len(differences)
    mean = differences.mean(axis=0)
    error = _standard_error(differences)
    constant = error == 0
    t = np.abs(mean) / np.where(constant, 1.0, error)
    return np.where(constant, np.where(mean == 0, 1.0, 0.0), 2 * stdtr(n - 1, -t))


def randomisation_p(
    differences: FloatArray, *, trials: int, rng: np.random.Generator, p_rule: PRule = "plus-one"
) -> FloatArray:
    """Two-sided p of Fisher's randomisation test, per column: the sign of each topic's difference is random.

    >>> differences = np.array([[0.1], [0.3], [0.2], [0.4]])  # the exact p is 2/16
    >>> randomisation_p(differences, trials=20_000, rng=np.random.default_rng(1)).round(2).tolist()
    [0.12]
    """
    cut = np.abs(differences.mean(axis=0)) - scale_tolerance(differences)
    count = np.zeros(differences.shape[1])
    for size in blocks(trials, len(differences)):
        signs = rng.integers(2, size=(size, len(differences)), dtype=np.int8) * 2.0 - 1
        count += (np.abs(signs @ differences) / len(differences) >= cut).sum(axis=0)
    return p_from_counts(count, trials, p_rule)


def bootstrap_p(
    differences: FloatArray, *, trials: int, rng: np.random.Generator, p_rule: PRule = "plus-one"
) -> FloatArray:
    """Two-sided p of the paired studentised bootstrap test, per column (Sakai 2006, figure 1).

    Topics are drawn with replacement from differences shifted to mean zero; a draw without variance
    counts as extreme only if its mean is as far from zero as the observed one.
    """
    error = _standard_error(differences)
    observed = np.abs(differences.mean(axis=0))
    t_observed = observed / np.where(error == 0, 1.0, error)
    shifted = differences - differences.mean(axis=0)
    tolerance = scale_tolerance(differences)
    count = np.zeros(differences.shape[1])
    for weight in topic_weights(rng, trials, len(differences)):
        mean = weight @ shifted / len(shifted)
        spread = np.maximum(weight @ shifted**2 / len(shifted) - mean**2, 0.0)
        drawn = np.sqrt(spread / (len(shifted) - 1))
        flat = drawn <= tolerance
        t = np.abs(mean) / np.where(flat, 1.0, drawn)
        extreme = np.where(flat | (error == 0), np.abs(mean) >= observed - tolerance, t >= t_observed - tolerance)
        count += extreme.sum(axis=0)
    return p_from_counts(count, trials, p_rule)


def _t(differences: FloatArray, _trials: int, _rng: np.random.Generator, _rule: PRule) -> FloatArray:
    return paired_t_p(differences)


def _randomised(differences: FloatArray, trials: int, rng: np.random.Generator, p_rule: PRule) -> FloatArray:
    return randomisation_p(differences, trials=trials, rng=rng, p_rule=p_rule)


def _bootstrapped(differences: FloatArray, trials: int, rng: np.random.Generator, p_rule: PRule) -> FloatArray:
    return bootstrap_p(differences, trials=trials, rng=rng, p_rule=p_rule)


PAIRED_TESTS: Names[Callable[[FloatArray, int, np.random.Generator, PRule], FloatArray]] = Names(
    "paired test", {"t": _t, "randomisation": _randomised, "bootstrap": _bootstrapped}
)


def against_baseline(
    by_topic: FloatArray,
    baseline: int,
    *,
    test: str,
    trials: int,
    rng: np.random.Generator,
    alpha: float = 0.05,
    p_rule: PRule = "plus-one",
) -> PairedTests:
    """Every other run against the baseline column, Holm-corrected; intervals are Bonferroni's paired t limits."""
    from scipy.special import stdtrit

    topics, runs = require_matrix(by_topic)
    differences = np.delete(by_topic, baseline, axis=1) - by_topic[:, [baseline]]
    p = PAIRED_TESTS[test](differences, trials, rng, p_rule)
    reach = float(stdtrit(topics - 1, 1 - alpha / (2 * (runs - 1)))) * _standard_error(differences)
    mean = differences.mean(axis=0)
    return PairedTests(mean, mean - reach, mean + reach, p, holm(p))


def _standard_error(differences: FloatArray) -> FloatArray:
    """The standard error of each column's mean; a standard deviation from rounding alone counts as 0."""
    spread = differences.std(axis=0, ddof=1)
    error: FloatArray = np.where(spread <= scale_tolerance(differences), 0.0, spread) / np.sqrt(len(differences))
    return error
