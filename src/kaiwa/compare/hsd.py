"""Randomised Tukey HSD: every pair of runs against one null distribution of the largest difference.

Each topic's scores are shuffled among the runs. This treats the runs as exchangeable: with equal variances, and with
equal correlations between any two. ``kaiwa.compare.robust`` is the same test without that assumption.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import PRule, allowed_counts, p_from_counts, too_close
from kaiwa.stats.shuffles import shuffled_means
from kaiwa.stats.ties import tie_tolerance
from kaiwa.stats.topic_draws import trial_key
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kaiwa.model.ids import FloatArray

    NullMeans = Callable[[int, int], Iterable[FloatArray]]

AUTO_FIRST = 5_000
AUTO_CAP = 320_000
MOST_TRIALS = 100_000_000


@dataclass(frozen=True, eq=False)
class RangeTest:
    """The observed run means and the null distribution of their range.

    ``ranges`` holds, ascending, the range of the run means in each trial; ``tolerance`` is how close two
    differences must be to count as equal, so that ties of decimal scores are ties in binary too. No p is below
    ``least_p``.
    """

    means: FloatArray
    ranges: FloatArray
    tolerance: float
    p_rule: PRule = "plus-one"
    least_p: float = 0.0

    @property
    def trials(self) -> int:
        """The number of trials."""
        return len(self.ranges)

    def p_values(self) -> FloatArray:
        """P of each pair, runs x runs: the share of trials in which the run means have at least this range."""
        return self.p_of(np.abs(self.means[:, None] - self.means))

    def p_of(self, differences: FloatArray) -> FloatArray:
        """P of given absolute differences (Carterette 2012, section 4; Phipson & Smyth 2010 for the +1)."""
        count = self.trials - np.searchsorted(self.ranges, differences - self.tolerance, side="left")
        return np.maximum(p_from_counts(count, self.trials, self.p_rule), self.least_p)

    def critical_difference(self, alpha: float) -> float:
        """The difference that a pair must exceed to be significant; infinite if no p can be that small.

        >>> hsd = randomised_hsd(np.eye(9, 3), trials=999, rng=np.random.default_rng(1))
        >>> cut = hsd.critical_difference(0.05)
        >>> bool(hsd.p_of(np.array(cut)) > 0.05 >= hsd.p_of(np.array(cut + 1e-9)))
        True
        """
        allowed = allowed_counts(alpha, self.trials, self.p_rule)
        possible = 0 <= allowed < self.trials and self.least_p <= alpha
        return float(self.ranges[self.trials - 1 - allowed]) if possible else float("inf")


def randomised_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> RangeTest:
    """The randomised Tukey HSD test of all pairs of runs of a topics x runs matrix (Carterette 2012).

    >>> scores = np.array([[0.9, 0.5, 0.1]] * 8)
    >>> randomised_hsd(scores, trials=999, rng=np.random.default_rng(1)).p_values()[0].round(3).tolist()
    [1.0, 0.151, 0.001]
    """
    return range_test(by_topic, shuffles(by_topic, rng, workers, progress), trials=trials, p_rule=p_rule)


def randomised_hsd_until_clear(
    by_topic: FloatArray,
    *,
    alpha: float,
    rng: np.random.Generator,
    cap: int = AUTO_CAP,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> RangeTest:
    """The same test with trials doubled until no pair's p is within two standard errors of alpha, or to the cap."""
    null = shuffles(by_topic, rng, workers, progress)
    return range_test_until_clear(by_topic, null, alpha=alpha, cap=cap, p_rule=p_rule)


def shuffles(
    by_topic: FloatArray,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> NullMeans:
    """The run means of given trials, in blocks; each topic's scores are shuffled among the runs."""
    shuffled = partial(shuffled_means, by_topic, key=trial_key(rng), workers=workers, progress=progress)

    def null(trials: int, first: int) -> Iterable[FloatArray]:
        return shuffled(trials=trials, first=first)

    return null


def range_test(
    by_topic: FloatArray, null: NullMeans, *, trials: int, p_rule: PRule = "plus-one", least_p: float = 0.0
) -> RangeTest:
    """The test with a given number of trials; ``null(trials, first)`` are their run means, in blocks."""
    require_matrix(by_topic)
    require_trials(trials)
    return _test(by_topic, ranges(null(trials, 0)), p_rule, least_p)


def range_test_until_clear(
    by_topic: FloatArray,
    null: NullMeans,
    *,
    alpha: float,
    cap: int = AUTO_CAP,
    p_rule: PRule = "plus-one",
    least_p: float = 0.0,
) -> RangeTest:
    """The same test with trials doubled until no pair's p is within two standard errors of alpha, or to the cap."""
    require_matrix(by_topic)
    trials = min(AUTO_FIRST, cap)
    found = ranges(null(trials, 0))
    while too_close(_test(by_topic, found, p_rule, least_p).p_values(), alpha, trials).any() and trials < cap:
        more = min(trials, cap - trials)
        found = np.concatenate((found, ranges(null(more, trials))))
        trials += more
    return _test(by_topic, found, p_rule, least_p)


def ranges(blocks: Iterable[FloatArray]) -> FloatArray:
    """The range of the run means of each trial.

    >>> ranges([np.array([[0.1, 0.4, 0.2]])]).round(6).tolist()
    [0.3]
    """
    return np.concatenate([means.max(axis=1) - means.min(axis=1) for means in blocks])


def require_trials(trials: int) -> None:
    """Raise an error if the number of trials is below 1 or above ``MOST_TRIALS``."""
    if not 1 <= trials <= MOST_TRIALS:
        raise InputError(f"{counted(trials, 'trial')}; give 1 to {MOST_TRIALS:,}")


def require_known_values(*, trials: object, p_rule: str) -> None:
    """Raise an error for an unknown word."""
    if isinstance(trials, str) and trials != "auto":
        raise InputError(f"trials {trials!r} is neither a whole number nor 'auto'; give 5000, for example")
    if p_rule not in get_args(PRule):
        raise UnknownName.among("p_rule", p_rule, get_args(PRule))


def _test(by_topic: FloatArray, found: FloatArray, p_rule: PRule, least_p: float) -> RangeTest:
    return RangeTest(by_topic.mean(axis=0), np.sort(found), tie_tolerance(by_topic), p_rule, least_p)
