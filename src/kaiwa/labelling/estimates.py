"""A statistic with its interval over topics, and what its computation shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.nouns.ids import group_by_topic
from kaiwa.stats.resampling import percentile_limits

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.votes import Votes


CONFIDENCE = 0.95
_PAIR = 2
PERCENTILE, JACKKNIFE, NO_INTERVAL = "percentile", "jackknife t", "none"


@dataclass(frozen=True)
class Estimate:
    """A statistic with its interval over topics, and how that was made; the bounds are NaN if there is none.

    ``interval`` is ``percentile`` (of resampled topics), ``jackknife t`` or ``none``.
    """

    value: float
    low: float
    high: float
    interval: str = PERCENTILE


def jackknife_limits(value: float, without: FloatArray, confidence: float) -> tuple[float, float]:
    """The t interval of a coefficient by its values without each topic (Tukey 1958), within -1 and 1.

    NaN if a value is undefined, or if all are equal.

    >>> [round(limit, 4) for limit in jackknife_limits(0.5, np.array([0.45, 0.48, 0.5, 0.52, 0.55]), 0.95)]
    [0.3109, 0.6891]
    """
    from scipy.special import stdtrit

    topics = len(without)
    error = np.sqrt((topics - 1) * without.var())
    if not error > 0:
        return float("nan"), float("nan")
    reach = float(stdtrit(topics - 1, (1 + confidence) / 2) * error)
    return max(value - reach, -1.0), min(value + reach, 1.0)


def estimate(value: float, resampled: FloatArray, confidence: float = CONFIDENCE) -> Estimate:
    """The value with the limits of its resampled values; NaN limits if fewer than two of them differ."""
    defined = resampled[~np.isnan(resampled)]
    if len(defined) < _PAIR or np.ptp(defined) == 0:
        return Estimate(value, float("nan"), float("nan"))
    return Estimate(value, *percentile_limits(defined, confidence))


def topic_numbers(votes: Votes) -> tuple[IntArray, int]:
    """The number of each item's topic, and how many topics there are."""
    grouping = group_by_topic(votes.topics)
    numbers = np.repeat(np.arange(len(grouping.topics)), np.diff(grouping.starts))
    if grouping.order is not None:
        back = np.empty_like(numbers)
        back[grouping.order] = numbers
        numbers = back
    return numbers, len(grouping.topics)


def divided(amounts: FloatArray | IntArray, by: FloatArray | IntArray) -> FloatArray:
    """The quotients; NaN where the divisor is 0."""
    out = np.full(np.broadcast_shapes(amounts.shape, by.shape), np.nan)
    quotients: FloatArray = np.divide(amounts, by, out=out, where=by != 0)
    return quotients


def defined(value: float) -> float | None:
    """The number, or None if it is undefined."""
    return None if np.isnan(value) else value
