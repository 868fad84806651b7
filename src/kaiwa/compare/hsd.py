"""Randomised Tukey HSD: every pair of runs against one null distribution of the largest difference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import PRule, p_from_counts, too_close
from kaiwa.stats.shuffles import shuffle_key, shuffled_means

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kaiwa.model.ids import FloatArray

TOLERANCE = 1e-12
AUTO_FIRST = 5_000
AUTO_CAP = 320_000
MOST_TRIALS = 100_000_000


@dataclass(frozen=True, eq=False)
class RandomisedHSD:
    """The observed run means and the null distribution of their range.

    ``ranges`` holds, ascending, the range of the run means in each trial; ``tolerance`` is how close two
    differences must be to count as equal, so that ties of decimal scores are ties in binary too.
    """

    means: FloatArray
    ranges: FloatArray
    tolerance: float
    p_rule: PRule = "plus-one"

    @property
    def trials(self) -> int:
        """How many times the scores were shuffled."""
        return len(self.ranges)

    def p_values(self) -> FloatArray:
        """P of each pair, runs x runs: the share of trials in which the run means have at least this range."""
        return self.p_of(np.abs(self.means[:, None] - self.means))

    def p_of(self, differences: FloatArray) -> FloatArray:
        """P of given absolute differences (Carterette 2012, section 4; Phipson & Smyth 2010 for the +1)."""
        count = self.trials - np.searchsorted(self.ranges, differences - self.tolerance, side="left")
        return p_from_counts(count, self.trials, self.p_rule)

    def critical_difference(self, alpha: float) -> float:
        """The difference that a pair must exceed to be significant; infinite if there are too few trials.

        >>> hsd = randomised_hsd(np.eye(9, 3), trials=999, rng=np.random.default_rng(1))
        >>> cut = hsd.critical_difference(0.05)
        >>> bool(hsd.p_of(np.array(cut)) > 0.05 >= hsd.p_of(np.array(cut + 1e-9)))
        True
        """
        allowed = int(np.floor(alpha * self.trials + 1e-9))
        if self.p_rule == "plus-one":
            allowed = int(np.floor(alpha * (self.trials + 1) + 1e-9)) - 1
        return float(self.ranges[self.trials - 1 - allowed]) if 0 <= allowed < self.trials else float("inf")


def randomised_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RandomisedHSD:
    """The randomised Tukey HSD test of all pairs of runs of a topics x runs matrix (Carterette 2012).

    >>> scores = np.array([[0.9, 0.5, 0.1]] * 8)
    >>> randomised_hsd(scores, trials=999, rng=np.random.default_rng(1)).p_values()[0].round(3).tolist()
    [1.0, 0.151, 0.001]
    """
    require_matrix(by_topic)
    require_trials(trials)
    blocks = shuffled_means(by_topic, trials=trials, key=shuffle_key(rng), threads=threads, progress=progress)
    return _hsd(by_topic, _ranges(blocks), p_rule)


def randomised_hsd_until_clear(
    by_topic: FloatArray,
    *,
    alpha: float,
    rng: np.random.Generator,
    cap: int = AUTO_CAP,
    p_rule: PRule = "plus-one",
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RandomisedHSD:
    """The same test with trials doubled until no pair's p is within two standard errors of alpha, or to the cap."""
    require_matrix(by_topic)
    shuffled = partial(shuffled_means, by_topic, key=shuffle_key(rng), threads=threads, progress=progress)
    trials = min(AUTO_FIRST, cap)
    ranges = _ranges(shuffled(trials=trials))
    while too_close(_hsd(by_topic, ranges, p_rule).p_values(), alpha, trials).any() and trials < cap:
        more = min(trials, cap - trials)
        ranges = np.concatenate((ranges, _ranges(shuffled(trials=more, first=trials))))
        trials += more
    return _hsd(by_topic, ranges, p_rule)


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


def scale_tolerance(by_topic: FloatArray) -> float:
    """1e-12, or that share of the largest score if scores are larger than 1."""
    return TOLERANCE * max(1.0, float(np.abs(by_topic).max()))


def _hsd(by_topic: FloatArray, ranges: FloatArray, p_rule: PRule) -> RandomisedHSD:
    return RandomisedHSD(by_topic.mean(axis=0), np.sort(ranges), scale_tolerance(by_topic), p_rule)


def _ranges(blocks: Iterable[FloatArray]) -> FloatArray:
    return np.concatenate([means.max(axis=1) - means.min(axis=1) for means in blocks])
