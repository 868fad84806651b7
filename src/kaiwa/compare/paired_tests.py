"""Planned pairs: paired tests of each run against one baseline, corrected by Holm's rule, with matching intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.registry import Names
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import PRule, allowed_counts, holm, p_from_counts
from kaiwa.stats.ties import TOLERANCE, tie_tolerance
from kaiwa.stats.topic_bootstrap import block_size
from kaiwa.stats.topic_draws import drawn_counts, drawn_pluses, trial_key
from kaiwa.stats.topic_resampling import exact_multiples
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers, trial_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray

    Reaches = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Draws:
    """How a paired test is run; ``level`` is that of each interval."""

    trials: int
    rng: np.random.Generator
    p_rule: PRule = "plus-one"
    level: float = 0.05
    workers: Workers = ONE_THREAD


@dataclass(frozen=True, eq=False)
class PairedTest:
    """Per column of differences: the two-sided p, and the interval's reach below and above the mean.

    The interval holds the differences that the test does not reject at its level. So it contains 0 exactly if the
    observed difference is not significant at that level.
    """

    p: FloatArray
    below: FloatArray
    above: FloatArray


@dataclass(frozen=True, eq=False)
class PairedTests:
    """One value per tested run: its mean minus the baseline's, the interval, the raw and the corrected p."""

    differences: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    holm: FloatArray


def paired_t(differences: FloatArray, draws: Draws) -> PairedTest:
    """The paired t-test, per column of per-topic differences.

    If every topic differs by the same amount there is no variance: p is 1 for no difference, else 0.

    >>> paired_t(np.array([[0.1], [0.3], [0.2], [0.4]]), Draws(1, np.random.default_rng(1))).p.round(4).tolist()
    [0.0305]
    """
    from scipy.special import stdtr, stdtrit

    n = len(differences)
    mean = differences.mean(axis=0)
    error = _standard_error(differences)
    constant = error == 0
    t = np.abs(mean) / np.where(constant, 1.0, error)
    p = np.where(constant, np.where(mean == 0, 1.0, 0.0), 2 * stdtr(n - 1, -t))
    reach = float(stdtrit(n - 1, 1 - draws.level / 2)) * error
    return PairedTest(p, reach, reach)


def paired_randomisation(differences: FloatArray, draws: Draws) -> PairedTest:
    """Fisher's randomisation test, per column: the sign of each topic's difference is random.

    >>> differences = np.array([[0.1], [0.3], [0.2], [0.4]])  # the exact p is 2/16
    >>> paired_randomisation(differences, Draws(20_000, np.random.default_rng(1))).p.round(1).tolist()
    [0.1]
    """
    residuals = exact_multiples(differences - differences.mean(axis=0))
    return _monte_carlo(differences, partial(_sign_reaches, residuals, trial_key(draws.rng)), draws)


def paired_bootstrap(differences: FloatArray, draws: Draws) -> PairedTest:
    """The paired studentised bootstrap test, per column (Sakai 2006, figure 1).

    Topics are drawn with replacement from differences shifted to mean zero; a draw without variance
    counts as extreme only if its mean is as far from zero as the observed one.
    """
    shifted = differences - differences.mean(axis=0)
    moments = exact_multiples(np.concatenate((shifted, shifted**2), axis=1))
    reaches = partial(_draw_reaches, moments, _standard_error(differences), trial_key(draws.rng))
    return _monte_carlo(differences, reaches, draws)


PAIRED_TESTS: Names[Callable[[FloatArray, Draws], PairedTest]] = Names(
    "paired test", {"t": paired_t, "randomisation": paired_randomisation, "bootstrap": paired_bootstrap}
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
    workers: Workers = ONE_THREAD,
) -> PairedTests:
    """Every other run against the baseline column, Holm-corrected; the intervals are the same test's, by Bonferroni."""
    runs = require_matrix(by_topic)[1]
    differences = differences_from(by_topic, baseline)
    found = PAIRED_TESTS[test](differences, Draws(trials, rng, p_rule, alpha / (runs - 1), workers))
    mean = differences.mean(axis=0)
    return PairedTests(mean, mean - found.below, mean + found.above, found.p, holm(found.p))


def differences_from(by_topic: FloatArray, baseline: int) -> FloatArray:
    """The per-topic differences of every other run to the baseline column; those by rounding only are 0."""
    differences = np.delete(by_topic, baseline, axis=1) - by_topic[:, [baseline]]
    return np.where(np.abs(differences) <= tie_tolerance(by_topic), 0.0, differences)


def _monte_carlo(differences: FloatArray, reaches: Callable[[int, int], Reaches], draws: Draws) -> PairedTest:
    """The test from how far below and above the mean each trial is as extreme as the data, trials x columns.

    If the true difference were the mean less some distance, a trial would be at least as extreme as the data for all
    distances up to its reach. So the limit of the interval is the reach that few enough trials exceed, and p is the
    share of trials that reach 0.
    """
    mean = differences.mean(axis=0)
    cut = np.abs(mean) - tie_tolerance(differences)
    kept = allowed_counts(draws.level, draws.trials, draws.p_rule) + 1
    count = np.zeros(len(mean))
    below = above = np.full((0, len(mean)), np.inf)
    size = block_size(max(differences.shape))
    for under, over in trial_blocks(reaches, trials=draws.trials, size=size, workers=draws.workers):
        count += (np.where(mean >= 0, under, over) >= cut).sum(axis=0)
        below, above = _largest(below, under, kept), _largest(above, over, kept)
    limits = [reached.min(axis=0, initial=np.inf) for reached in (below, above)]
    return PairedTest(p_from_counts(count, draws.trials, draws.p_rule), *limits)


def _largest(kept: FloatArray, block: FloatArray, number: int) -> FloatArray:
    both = np.concatenate((kept, block))
    if not number:
        return both[:0]
    first = max(len(both) - number, 0)
    return np.partition(both, first, axis=0)[first:]


def _sign_reaches(residuals: FloatArray, key: int, first: int, trials: int) -> Reaches:
    """With signs s of n residuals e, |s.(e + t)| >= nt holds for t up to |s.e| / (n - s.1) if s.e > 0.

    If s.e < 0 it holds up to |s.e| / (n + s.1); above the mean it is the other way round. Signs that are all equal
    are as extreme at any distance.
    """
    n = len(residuals)
    signs = 2 * drawn_pluses(key, first, trials, n) - 1
    total = signs.sum(axis=1, keepdims=True)
    shifted = signs @ residuals
    rising, falling = np.maximum(shifted, 0.0), np.maximum(-shifted, 0.0)
    minus, plus = np.maximum(n - total, 1.0), np.maximum(n + total, 1.0)
    alike = np.abs(total) == n
    return (
        np.where(alike, np.inf, rising / minus + falling / plus),
        np.where(alike, np.inf, rising / plus + falling / minus),
    )


def _draw_reaches(moments: FloatArray, error: FloatArray, key: int, first: int, trials: int) -> Reaches:
    """A draw with the statistic t* reaches t* standard errors; without variance it reaches its mean.

    ``moments`` are the differences less their mean, and beside them their squares.
    """
    n = len(moments)
    drawn_mean, squares = np.hsplit(drawn_counts(key, first, trials, n) @ moments / n, 2)
    mean = np.abs(drawn_mean)
    spread = squares - mean**2
    flat = (spread <= TOLERANCE * squares) | (error == 0)
    drawn = np.sqrt(np.where(flat, 1.0, spread) / (n - 1))
    reach = np.where(flat, mean, mean / drawn * error)
    return reach, reach


def _standard_error(differences: FloatArray) -> FloatArray:
    """The standard error of each column's mean; a standard deviation from rounding alone counts as 0."""
    spread = differences.std(axis=0, ddof=1)
    error: FloatArray = np.where(spread <= tie_tolerance(differences), 0.0, spread) / np.sqrt(len(differences))
    return error
