"""P-values from counts of trials, their Monte-Carlo error, and Holm's correction."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, counted, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray


PRule = Literal["plus-one", "share"]
MIN_TRIALS = 5_000
EXTREME_TRIALS = 20
MOST_TRIALS = 100_000_000
"""Trials that are drawn without being asked for; hours of work."""
LEAST_ALPHA = 1e-9


def require_alpha(alpha: float) -> None:
    """Refuse a level that is no probability, or one that no number of trials can reach."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha} is not between 0 and 1; give 0.05, for example")
    if alpha < LEAST_ALPHA:
        raise InputError(
            f"alpha {alpha:g} is below {LEAST_ALPHA:g}, which no test here can reach; give 0.05, for example"
        )


def p_from_counts(count: NDArray[np.number], trials: int, p_rule: PRule) -> FloatArray:
    """The share of trials at least as extreme; "plus-one" counts the observed data as one more trial.

    >>> p_from_counts(np.array([0, 4]), 99, "plus-one").tolist()
    [0.01, 0.05]
    """
    counts = count.astype(np.float64)
    return counts / trials if p_rule == "share" else (counts + 1) / (trials + 1)


def monte_carlo_error(p: FloatArray, trials: int) -> FloatArray:
    """The standard error of p that comes from running a finite number of trials.

    >>> monte_carlo_error(np.array([0.5]), 10_000).tolist()
    [0.005]
    """
    return np.sqrt(p * (1 - p) / trials)


def too_close(p: FloatArray, alpha: float, trials: int) -> NDArray[np.bool_]:
    """Which p-values lie within two Monte-Carlo standard errors of alpha: more trials could change the result.

    >>> too_close(np.array([0.055, 0.06]), 0.05, 5_000).tolist()
    [True, False]
    """
    close: NDArray[np.bool_] = np.abs(p - alpha) <= 2 * monte_carlo_error(p, trials)
    return close


def fewest_trials(alpha: float, p_rule: PRule, *, comparisons: int = 1) -> int:
    """The fewest trials with which any of so many Holm-corrected comparisons can be significant.

    >>> fewest_trials(0.05, "plus-one"), fewest_trials(0.01, "plus-one", comparisons=109)
    (19, 10899)
    """
    return 1 if p_rule == "share" else max(1, ceil(comparisons / alpha - 1e-9) - 1)


def enough_trials(alpha: float, *, comparisons: int) -> int:
    """The trials that so many corrected comparisons need: 20 are at least as extreme if p is alpha / comparisons.

    So the smallest level of Holm's rule is met with a standard error below a quarter; never fewer than 5,000.

    >>> enough_trials(0.05, comparisons=3), enough_trials(0.01, comparisons=109)
    (5000, 218000)
    """
    enough = max(MIN_TRIALS, ceil(EXTREME_TRIALS * comparisons / alpha - 1e-9))
    if enough > MOST_TRIALS:
        what = f"{counted(comparisons, 'comparison')} at alpha {alpha:g} need {enough:,} trials"
        raise InputError(f"{what}; give a larger alpha, or {option('trials')}")
    return enough


def smallest_p(trials: int | None, p_rule: PRule) -> float:
    """The p of a difference that no trial reaches, or the smallest above 0 for "share"; 0 for an analytic test.

    >>> smallest_p(999, "plus-one"), smallest_p(1000, "share"), smallest_p(None, "plus-one")
    (0.001, 0.001, 0.0)
    """
    if trials is None:
        return 0.0
    return 1 / trials if p_rule == "share" else 1 / (trials + 1)


def allowed_counts(level: float, trials: int, p_rule: PRule) -> int:
    """How many trials may be as extreme as a difference that is significant at this level; -1 if none can be.

    >>> allowed_counts(0.05, 99, "plus-one"), allowed_counts(0.05, 9, "plus-one"), allowed_counts(0.05, 99, "share")
    (4, -1, 4)
    """
    if p_rule == "share":
        return floor(level * trials + 1e-9)
    return floor(level * (trials + 1) + 1e-9) - 1


def holm(p: FloatArray) -> FloatArray:
    """Holm's step-down correction: the familywise p of each of several planned tests (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


# When two scores count as equal: one tolerance, relative to the scale, for every test, rank and correlation.


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
