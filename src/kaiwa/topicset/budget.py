"""What a topic set costs in assessors' time, the best split of a budget, and the cheapest design that is enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.errors import DesignError, InputError
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.missing_quantity import n_or_too_many, power_at, smallest_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.topicset.requirement import Requirement

SECONDS_PER_HOUR = 3600.0
TRUSTED_TAU = 0.9
"""Orders that agree this well are commonly called the same (Voorhees 2000)."""


@dataclass(frozen=True)
class Labelling:
    """One way to judge a topic, what it takes and the variance of the scores that come of it.

    ``items`` is the size of a topic's pool; ``agreement`` is tau with the runs' order under the deepest pools,
    where that is known.
    """

    depth: int
    items: float
    assessors: int
    seconds: float
    variance: float
    agreement: float | None = None

    @property
    def trusted(self) -> bool:
        """Whether so shallow a pool leaves the runs in about the order that deep pools give."""
        return self.agreement is None or self.agreement >= TRUSTED_TAU

    @property
    def hours_per_topic(self) -> float:
        """Assessors' hours that one topic takes."""
        return self.items * self.assessors * self.seconds / SECONDS_PER_HOUR


@dataclass(frozen=True)
class Split:
    """A way to judge with the number of topics it buys or needs, what that costs and what it finds."""

    labelling: Labelling
    n: int
    hours: float
    power: float
    min_diff: float


def pool_items(depth: int, runs: int, overlap: float) -> float:
    """Items a topic's pool holds: depth for the first run, and of each further run what is not shared.

    >>> pool_items(10, 5, 0.5)
    30.0
    """
    if not 0 <= overlap <= 1:
        raise InputError.at("overlap", f"{overlap:g} is not in [0, 1]", "give the shared share of two runs' tops")
    return depth * (1 + (runs - 1) * (1 - overlap))


def best_split(asked: Requirement, labellings: Sequence[Labelling], *, hours: float) -> tuple[Split, ...]:
    """What a budget buys under each way of judging, the trusted first, the smallest difference found first."""
    if not hours > 0:
        raise InputError.at("budget", f"{hours:g} is not a positive number of hours", "give assessors' hours")
    sized = [(way, int(hours / way.hours_per_topic)) for way in _checked(labellings)]
    splits = [_split(asked, way, min(n, LARGEST_N)) for way, n in sized if n > 1]
    if not splits:
        least = min(2 * way.hours_per_topic for way in labellings)
        raise DesignError(f"budget: {hours:g} hours do not judge 2 topics; the least that does is {least:.3g} hours")
    return tuple(sorted(splits, key=lambda split: (not split.labelling.trusted, split.min_diff)))


def cheapest(asked: Requirement, labellings: Sequence[Labelling]) -> tuple[Split, ...]:
    """What each way of judging needs to meet the requirement, the trusted first, cheapest first."""
    splits = []
    for way in _checked(labellings):
        n = n_or_too_many(replace(asked, variance=way.variance, n=None))
        if n <= LARGEST_N:
            splits.append(_split(asked, way, n))
    if not splits:
        raise DesignError(f"no way of judging meets the requirement with up to {LARGEST_N:,} topics; ask for less")
    return tuple(sorted(splits, key=lambda split: (not split.labelling.trusted, split.hours)))


def _split(asked: Requirement, way: Labelling, n: int) -> Split:
    known = replace(asked, variance=way.variance, n=n)
    difference = smallest_difference(replace(known, min_diff=None))
    return Split(way, n, n * way.hours_per_topic, power_at(known), difference)


def _checked(labellings: Sequence[Labelling]) -> Sequence[Labelling]:
    for way in labellings:
        if min(way.depth, way.assessors) < 1 or not way.seconds > 0 or not way.variance > 0 or way.items < 1:
            raise InputError("cost: depth, assessors, seconds and variance are positive; mend the one that is not")
    return labellings
