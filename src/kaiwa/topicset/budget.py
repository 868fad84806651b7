"""The cost of a topic set in assessors' time, the best split of a budget, and the cheapest sufficient design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from kaiwa.errors import DesignError, InputError
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.sizes import n_or_too_many, power_at, smallest_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.topicset.requirement import Requirement


SECONDS_PER_HOUR = 3600.0
TRUSTED_TAU = 0.9
"""Rankings with this tau are commonly taken as equivalent (Voorhees 2000)."""


@dataclass(frozen=True)
class Labelling:
    """One way to judge a topic, its cost and the variance of the scores that result.

    ``items`` is the size of a topic's pool; ``agreement`` is tau with the runs' order under the deepest pools,
    if the effect of depth was measured; ``panels`` says whether that of fewer assessors was.
    """

    depth: int
    items: float
    assessors: int
    seconds: float
    variance: float
    agreement: float | None = None
    panels: bool = False

    @property
    def care(self) -> tuple[bool, int, int]:
        """The order in which ways are advised: trusted ones first, and without data deep pools and many assessors."""
        depth = 0 if self.agreement is not None else -self.depth
        return not self.trusted, depth, 0 if self.panels else -self.assessors

    @property
    def trusted(self) -> bool:
        """Whether the order of the runs is about the same as under the deepest pools."""
        return self.agreement is None or self.agreement >= TRUSTED_TAU

    @property
    def hours_per_topic(self) -> float:
        """Assessors' hours that one topic takes."""
        return self.items * self.assessors * self.seconds / SECONDS_PER_HOUR


@dataclass(frozen=True)
class Split:
    """A way to judge with its number of topics, cost, power and smallest difference found."""

    labelling: Labelling
    n: int
    hours: float
    power: float
    min_diff: float

    @property
    def labels(self) -> int:
        """How many labels the assessors give in all."""
        return round(self.n * self.labelling.items * self.labelling.assessors)


def pool_items(depth: int, runs: int, overlap: float) -> float:
    """At most so many items are in a topic's pool: of each further run those that it does not share with the first.

    >>> pool_items(10, 5, 0.5)
    30.0
    """
    if not 0 <= overlap <= 1:
        raise InputError.at("overlap", f"{overlap:g} is not in [0, 1]", "give the share that two runs have in common")
    return depth * (1 + (runs - 1) * (1 - overlap))


def best_split(asked: Requirement, labellings: Sequence[Labelling], *, hours: float) -> tuple[Split, ...]:
    """The topics that a budget pays for under each way of judging; by care, then by difference found."""
    if not 0 < hours < inf:
        raise InputError.at("hours", f"{hours:g} is not a positive number of hours", "give assessors' hours")
    sized = [(way, int(hours / way.hours_per_topic)) for way in _checked(labellings)]
    splits = [_split(asked, way, min(n, LARGEST_N)) for way, n in sized if n > 1]
    if not splits:
        least = min(2 * way.hours_per_topic for way in labellings)
        raise DesignError(f"hours: {hours:g} hours are too few to judge 2 topics; give at least {least:.3g} hours")
    return tuple(sorted(splits, key=lambda split: (*split.labelling.care, split.min_diff)))


def cheapest(asked: Requirement, labellings: Sequence[Labelling]) -> tuple[Split, ...]:
    """The topics that each way of judging needs to meet the requirement; by care, then by cost."""
    splits = []
    for way in _checked(labellings):
        n = n_or_too_many(replace(asked, variance=way.variance, n=None))
        if n <= LARGEST_N:
            splits.append(_split(asked, way, n))
    if not splits:
        raise DesignError(f"no way of judging meets the requirement with up to {LARGEST_N:,} topics; ask for less")
    return tuple(sorted(splits, key=lambda split: (*split.labelling.care, split.hours)))


def given_topics(asked: Requirement, labellings: Sequence[Labelling], *, n: int) -> tuple[Split, ...]:
    """What so many topics cost under each way of judging; by care, then by cost."""
    splits = [_split(asked, way, n) for way in _checked(labellings)]
    return tuple(sorted(splits, key=lambda split: (*split.labelling.care, split.hours)))


def _split(asked: Requirement, way: Labelling, n: int) -> Split:
    known = replace(asked, variance=way.variance, n=n)
    difference = smallest_difference(replace(known, min_diff=None))
    return Split(way, n, n * way.hours_per_topic, power_at(known), difference)


def _checked(labellings: Sequence[Labelling]) -> Sequence[Labelling]:
    for way in labellings:
        is_positive = 0 < way.seconds < inf and 0 < way.variance < inf
        if min(way.depth, way.assessors, way.items) < 1 or not is_positive:
            what = "not all of depth, items, assessors, seconds and variance are positive numbers"
            raise InputError(f"cost: {what}; fix the one that is not")
    return labellings
