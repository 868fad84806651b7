"""P-values from counts of trials, their Monte-Carlo error, and Holm's correction."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray

PRule = Literal["plus-one", "share"]


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


def fewest_trials(alpha: float, p_rule: PRule) -> int:
    """The fewest trials with which any pair can be significant.

    >>> fewest_trials(0.05, "plus-one")
    19
    """
    return 1 if p_rule == "share" else max(1, ceil(1 / alpha - 1e-9) - 1)


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
