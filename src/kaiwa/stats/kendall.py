"""Kendall's tau between two score lists of the same runs, with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.stats.p_values import tie_tolerance, with_ties
from kaiwa.stats.resampling import ONE_THREAD, Workers, drawn_places, percentile_limits, trial_blocks, trial_key

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray


Ties = Literal["tau-b", "listed"]
Interval = Literal["hwc", "null", "bootstrap"]
MIN_RUNS = 2
TAU_BLOCK = 250
"""Taus computed at once, one after the other."""
MOST_DRAWS = 20
"""Draws for each tau that is wanted: one in which all runs tie has none."""


@dataclass(frozen=True)
class TauResult:
    """Tau and its interval; the limits are not clipped at -1 and 1, as in the published tables."""

    tau: float
    low: float
    high: float
    runs: int
    ties: str
    interval: str
    confidence: float


def kendall_tau(
    x: FloatArray,
    y: FloatArray,
    *,
    ties: Ties = "tau-b",
    interval: Interval = "hwc",
    confidence: float = 0.95,
    trials: int = 2_000,
    rng: np.random.Generator | None = None,
    workers: Workers = ONE_THREAD,
) -> TauResult:
    """Kendall's tau between the scores of the same runs, with a confidence interval over runs.

    Scores that differ by rounding only are ties. Give means of scores as ``tied_means`` gives them.
    ``ties="tau-b"`` corrects for ties; ``"listed"`` ranks tied runs in the reverse of their listed order,
    as the rankings behind Table 6 of the STC overview (2016) do.

    >>> result = kendall_tau(np.array([3.0, 2.0, 1.0, 0.0]), np.array([3.0, 1.0, 2.0, 0.0]), interval="null")
    >>> (round(result.tau, 4), round(result.low, 4), round(result.high, 4))
    (0.6667, -0.295, 1.6283)
    """
    _require_paired(x, y)
    x, y = (with_ties(scores, tie_tolerance(scores)) for scores in (x, y))
    if ties == "listed":
        x, y = listed_order(x), listed_order(y)
    tau = tau_b(x, y)
    if interval == "bootstrap":
        low, high = percentile_limits(_drawn_taus(x, y, trials, rng, workers), confidence)
    else:
        reach = normal_quantile(confidence) * (null_error(len(x)) if interval == "null" else hwc_error(x, y))
        low, high = tau - reach, tau + reach
    return TauResult(tau, low, high, len(x), ties, interval, confidence)


def tau_b(x: FloatArray, y: FloatArray) -> float:
    """Kendall's tau-b: concordant minus discordant pairs over the geometric mean of the numbers of untied pairs.

    >>> round(tau_b(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])), 4)
    0.8165
    """
    agreement, untied_x, untied_y = _signs(x, y)
    if not untied_x or not untied_y:
        raise InputError("all means are equal, so there is no order to compare; give scores that differ")
    return float(agreement.sum() / sqrt(untied_x * untied_y))


def mean_concordance(scores: FloatArray, truth: FloatArray) -> FloatArray:
    """Tau-a of each row of scores, "draws x runs", with the true scores: concordant minus discordant pairs, over all.

    >>> mean_concordance(np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 1.0]]), np.array([0.3, 0.2, 0.1])).round(4).tolist()
    [1.0, 0.6667]
    """
    first, second = np.triu_indices(scores.shape[1], 1)
    true_sign = np.sign(truth[first] - truth[second])
    concordance: FloatArray = (np.sign(scores[:, first] - scores[:, second]) * true_sign).mean(axis=1)
    return concordance


def listed_order(scores: FloatArray) -> FloatArray:
    """Distinct scores in the same order; of tied runs the last one listed is the highest.

    >>> listed_order(np.array([0.5, 0.7, 0.5])).tolist()
    [0.0, 2.0, 1.0]
    """
    place = np.empty(len(scores))
    place[np.argsort(scores, kind="stable")] = np.arange(len(scores))
    return place


def null_error(runs: int) -> float:
    """Tau's standard error when the two rankings are unrelated (Kendall 1938).

    >>> round(null_error(44), 4)
    0.1045
    """
    return sqrt(2 * (2 * runs + 5) / (9 * runs * (runs - 1)))


def hwc_error(x: FloatArray, y: FloatArray) -> float:
    """Tau's standard error from the spread of each run's agreement with the others.

    Hollander, Wolfe & Chicken (2014), section 8.3.
    """
    n = len(x)
    spread = float(_signs(x, y)[0].sum(axis=1).var(ddof=1))
    variance = 2 / (n * (n - 1)) * (2 * (n - 2) * spread / (n * (n - 1)) + 1 - tau_b(x, y) ** 2)
    return sqrt(max(variance, 0.0))


def _drawn_taus(
    x: FloatArray, y: FloatArray, trials: int, rng: np.random.Generator | None, workers: Workers
) -> FloatArray:
    """Taus over runs drawn with replacement: the first draws in which the runs do not all tie."""
    if rng is None:
        raise InputError("a bootstrap needs a generator; give rng=numpy.random.default_rng(seed)")
    found = np.zeros(0)
    block = partial(_tau_block, x, y, trial_key(rng))
    for taus in trial_blocks(block, trials=MOST_DRAWS * trials, size=TAU_BLOCK, workers=workers):
        found = np.concatenate((found, taus[~np.isnan(taus)]))
        if len(found) >= trials:
            break
    return found[:trials]


def _tau_block(x: FloatArray, y: FloatArray, key: int, first: int, trials: int) -> FloatArray:
    """The tau of each draw, NaN if all runs of a list tie."""
    return np.array([_drawn_tau(x[pick], y[pick]) for pick in drawn_places(key, first, trials, len(x))])


def _drawn_tau(x: FloatArray, y: FloatArray) -> float:
    agreement, untied_x, untied_y = _signs(x, y)
    return float(agreement.sum() / sqrt(untied_x * untied_y)) if untied_x and untied_y else float("nan")


def normal_quantile(confidence: float) -> float:
    """How many standard errors a two-sided normal interval reaches.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _signs(x: FloatArray, y: FloatArray) -> tuple[FloatArray, float, float]:
    """Per ordered pair of runs +1 if the lists agree, -1 if not; and the number of untied pairs of each list."""
    by_x = np.sign(x[:, None] - x)
    by_y = np.sign(y[:, None] - y)
    return by_x * by_y, float(np.abs(by_x).sum()), float(np.abs(by_y).sum())


def _require_paired(x: FloatArray, y: FloatArray) -> None:
    if len(x) != len(y):
        raise InputError(f"{counted(len(x), 'score')} against {len(y)}; give both for the same runs")
    if len(x) < MIN_RUNS:
        raise InputError(f"{counted(len(x), 'run')}; a rank correlation needs at least {MIN_RUNS}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("a score is not a finite number; fix it, or leave out that run")
