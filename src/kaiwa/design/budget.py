"""What a topic set costs in assessors' time, the best split of a budget, and the cheapest design that is enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.design.find import n_or_too_many, power_at, smallest_difference
from kaiwa.design.solve import LARGEST_N
from kaiwa.errors import DesignError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.design.requirement import Requirement

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True)
class Labelling:
    """One way to judge a topic: pool depth, items in the pool, assessors an item, seconds a label, and the variance
    of the scores that come of it."""  # noqa: D205, D209  one sentence

    depth: int
    items: float
    assessors: int
    seconds: float
    variance: float

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
    """What a budget buys under each way of judging, most power first."""
    if not hours > 0:
        raise InputError.at("budget", f"{hours:g} is not a positive number of hours", "give assessors' hours")
    sized = [(way, int(hours / way.hours_per_topic)) for way in _checked(labellings)]
    splits = [_split(asked, way, min(n, LARGEST_N)) for way, n in sized if n > 1]
    if not splits:
        least = min(2 * way.hours_per_topic for way in labellings)
        raise DesignError(f"budget: {hours:g} hours do not judge 2 topics; the least that does is {least:.3g} hours")
    return tuple(sorted(splits, key=lambda split: -split.power))


def cheapest(asked: Requirement, labellings: Sequence[Labelling]) -> tuple[Split, ...]:
    """What each way of judging needs to meet the requirement, cheapest first."""
    splits = []
    for way in _checked(labellings):
        n = n_or_too_many(replace(asked, variance=way.variance, n=None))
        if n <= LARGEST_N:
            splits.append(_split(asked, way, n))
    if not splits:
        raise DesignError(f"no way of judging meets the requirement with up to {LARGEST_N:,} topics; ask for less")
    return tuple(sorted(splits, key=lambda split: split.hours))


def _split(asked: Requirement, way: Labelling, n: int) -> Split:
    known = replace(asked, variance=way.variance, n=n)
    difference = smallest_difference(replace(known, min_diff=None))
    return Split(way, n, n * way.hours_per_topic, power_at(known), difference)


def _checked(labellings: Sequence[Labelling]) -> Sequence[Labelling]:
    for way in labellings:
        if min(way.depth, way.assessors) < 1 or not way.seconds > 0 or not way.variance > 0 or way.items < 1:
            raise InputError("cost: depth, assessors, seconds and variance are positive; mend the one that is not")
    return labellings


def noise_split(variances: Sequence[float], assessors: Sequence[int]) -> tuple[float, float]:
    """Score variance with unlimited assessors, and what one assessor adds: a line in 1 / assessors, least squares.

    >>> [round(part, 3) for part in noise_split([0.09, 0.07, 0.06], [1, 2, 4])]
    [0.05, 0.04]
    """
    if len(set(assessors)) < 2:  # noqa: PLR2004  a line needs two points
        raise InputError("one number of assessors shows no effect; give at least two")
    inverse = 1 / np.array(assessors, dtype=float)
    noise, base = np.polyfit(inverse, np.array(variances), 1)
    return max(0.0, float(base)), max(0.0, float(noise))
