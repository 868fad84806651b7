"""Pass rates: the number of prompts for a comparison of two systems that pass or fail each prompt.

Both systems answer the same prompts, so the test is McNemar's: of the D prompts on which they disagree, the better
one should pass more than half. Its mid-p form keeps the level closely (Fagerland et al. 2013), and its power is
summed exactly over D; above ``EXACT_UP_TO`` prompts the normal approximation is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import erfc, lgamma, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import DesignError, InputError
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.requirement import Requirement, completed
from kaiwa.topicset.sizes import Answer, answer_to

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray


EXACT_UP_TO = 20_000
ROUNDING = 1e-12
"""A p-value that exceeds alpha by less is alpha: the two tails of one count are computed separately."""


@dataclass(frozen=True)
class PassRates:
    """The pass rates of two systems and the correlation of their results on one prompt."""

    worse: float
    better: float
    correlation: float

    @property
    def gains(self) -> float:
        """The probability that only the better system passes a prompt."""
        return self.better - self.both

    @property
    def losses(self) -> float:
        """The probability that only the worse system passes a prompt."""
        return self.worse - self.both

    @property
    def both(self) -> float:
        """The probability that both pass a prompt."""
        spread = sqrt(self.worse * (1 - self.worse) * self.better * (1 - self.better))
        return self.worse * self.better + self.correlation * spread


@dataclass(frozen=True)
class PassRateDesign:
    """The number of prompts; ``power`` is that of McNemar's mid-p test, ``normal_n`` the n of the textbook formula."""

    n: int
    power: float
    rates: PassRates
    alpha: float
    asked_power: float
    method: str
    normal_n: int
    alternatives: tuple[tuple[int, float], ...]


def pass_rate_design(
    *, pass_rate: float, min_diff: float, correlation: float = 0.0, alpha: float = 0.05, power: float = 0.8
) -> PassRateDesign:
    """The number of prompts that show a difference of ``min_diff`` from a system with ``pass_rate``.

    >>> pass_rate_design(pass_rate=0.62, min_diff=0.03, correlation=0.5).n
    2022
    """
    rates = checked_rates(pass_rate, min_diff, correlation)
    completed(Requirement(variance=1.0, min_diff=min_diff, systems=2, alpha=alpha, power=power))
    smooth = normal_size(rates, alpha=alpha, power=power)
    if smooth > LARGEST_N:
        raise DesignError(f"no set of up to {LARGEST_N:,} prompts is enough; give a larger difference")
    exact = smooth <= EXACT_UP_TO
    n = _settled_size(rates, smooth, alpha, power) if exact else smooth
    at = mid_p_power if exact else normal_power
    near = sorted({max(2, round(n * share)) for share in (0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0)})
    reach = tuple((size, (at if size <= EXACT_UP_TO else normal_power)(size, rates, alpha=alpha)) for size in near)
    method = "exact" if exact else "normal"
    return PassRateDesign(n, at(n, rates, alpha=alpha), rates, alpha, power, method, smooth, reach)


def checked_rates(pass_rate: float, min_diff: float, correlation: float) -> PassRates:
    """The two rates; an error if no two systems can have them."""
    better = _better(pass_rate, min_diff)
    spread = sqrt(pass_rate * (1 - pass_rate) * better * (1 - better))
    highest = (min(pass_rate, better) - pass_rate * better) / spread if spread else 0.0
    lowest = (max(0.0, pass_rate + better - 1) - pass_rate * better) / spread if spread else 0.0
    if not lowest - 1e-12 <= correlation <= highest + 1e-12:
        what = f"pass rates {pass_rate:g} and {better:g} cannot correlate by {correlation:g}"
        raise DesignError(f"correlation: {what}; the nearest possible is {min(max(correlation, lowest), highest):.4f}")
    return PassRates(pass_rate, better, correlation)


def _better(pass_rate: float, min_diff: float) -> float:
    """The pass rate of the better system; an error if one of the two is not a rate."""
    if not 0 < pass_rate < 1:
        raise InputError.at("pass_rate", f"{pass_rate:g} is not between 0 and 1", "give a share such as 0.62")
    better = pass_rate + min_diff
    if not 0 < min_diff < 1 or better > 1 + 1e-12:
        what = f"{min_diff:g} above a pass rate of {pass_rate:g} is not a rate"
        raise InputError.at("min_diff", what, f"give a difference above 0 and up to {1 - pass_rate:.3g}")
    return min(better, 1.0)


def normal_size(rates: PassRates, *, alpha: float, power: float) -> int:
    """The textbook number of pairs for McNemar's test (Connor 1987), rounded up."""
    differ, gap = rates.gains + rates.losses, rates.better - rates.worse
    z_alpha, z_beta = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)
    size = (z_alpha * sqrt(differ) + z_beta * sqrt(max(differ - gap**2, 0.0))) ** 2 / gap**2
    return max(2, int(np.ceil(size)))


def normal_power(n: int, rates: PassRates, *, alpha: float) -> float:
    """The power by the textbook approximation."""
    differ, gap = rates.gains + rates.losses, rates.better - rates.worse
    z = NormalDist().inv_cdf(1 - alpha / 2)
    left = (gap * sqrt(n) - z * sqrt(differ)) / sqrt(max(differ - gap**2, 1e-300))
    return erfc(-left / sqrt(2)) / 2


def mid_p_power(n: int, rates: PassRates, *, alpha: float) -> float:
    """The exact power of McNemar's two-sided mid-p test on n prompts, summed over the number that disagree."""
    differ = rates.gains + rates.losses
    disagree = _window(n, min(differ, 1.0))
    chance = _binomial(disagree, n, min(differ, 1.0))
    share = rates.gains / differ
    rejected = np.array([_rejects(int(d), share, alpha) for d in disagree.tolist()])
    return float(min(1.0, chance @ rejected))


@lru_cache(maxsize=1 << 16)
def _rejects(d: int, share: float, alpha: float) -> float:
    """The power of the mid-p test if d prompts disagree, each in favour of the better with probability ``share``."""
    wins = np.arange(d + 1.0) if d < 200 else np.unique(np.concatenate([_window(d, 0.5), _window(d, share)]))  # noqa: PLR2004
    fair = _binomial(wins, d, 0.5)
    tail = np.cumsum(fair) - fair / 2
    p = 2 * np.minimum(tail, fair.sum() - tail)
    return float(_binomial(wins, d, share)[p <= alpha + ROUNDING].sum())


def _window(n: int, p: float) -> FloatArray:
    reach = 8.5 * sqrt(n * p * (1 - p)) + 10
    return np.arange(max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1) + 1, dtype=float)


def _binomial(k: FloatArray, n: int, p: float) -> FloatArray:
    """Binomial probabilities over a window that has practically all of the distribution."""
    if p in {0.0, 1.0}:
        return np.where(k == n * p, 1.0, 0.0)
    steps = np.log((n - k[:-1]) / (k[:-1] + 1) * p / (1 - p)) if len(k) > 1 else np.zeros(0)
    if len(k) > 1 and (np.diff(k) > 1).any():
        steps = np.diff([_log_choose(n, v) + v * np.log(p / (1 - p)) for v in k.tolist()])
    log_chance = np.concatenate([[0.0], np.cumsum(steps)])
    chance = np.exp(log_chance - log_chance.max())
    share: FloatArray = chance / chance.sum()
    return share


def _log_choose(n: int, k: float) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _settled_size(rates: PassRates, smooth: int, alpha: float, power: float) -> int:
    """The n from which the saw-toothed exact power stays at or above the target: one past the last shortfall."""
    span = max(12, round(0.02 * smooth))
    high = smooth + span
    while mid_p_power(high, rates, alpha=alpha) < power and high < 2 * smooth + 100:
        high += span
    n = high
    while n > 2 and mid_p_power(n - 1, rates, alpha=alpha) >= power:  # noqa: PLR2004  two prompts at least
        n -= 1
    return n


def many_pass_rates_design(
    *, pass_rate: float, min_diff: float, systems: int, correlation: float, alpha: float, power: float
) -> Answer:
    """The number of prompts for a comparison of several pass rates: two-way ANOVA at the largest variance.

    A rate r has the variance r (1 - r), so the largest is that of the rate nearest to one half.

    >>> many_pass_rates_design(pass_rate=0.6, min_diff=0.05, systems=5, correlation=0.5, alpha=0.05, power=0.8).n
    1147
    """
    nearest = min(max(0.5, pass_rate), _better(pass_rate, min_diff))
    return answer_to(
        variance=nearest * (1 - nearest),
        systems=systems,
        min_diff=min_diff,
        alpha=alpha,
        power=power,
        test="two-way",
        correlation=correlation,
    )
