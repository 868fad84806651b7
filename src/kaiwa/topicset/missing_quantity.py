"""The one quantity that is missing in a requirement."""

from __future__ import annotations

from dataclasses import replace
from math import exp, isnan
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import DesignError
from kaiwa.stats.solvers import LARGEST_N, crossing, largest_enough, merit_of
from kaiwa.topicset.designed_tests import power_of
from kaiwa.topicset.power.interval_width import expected_width
from kaiwa.topicset.requirement import INTERVAL, MOST_SYSTEMS, Requirement
from kaiwa.topicset.sizes import difference_found, topics_for_width, topics_needed

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.topicset.designed_tests import PowerOf

LEAST_LOGIT = 34.0
"""The smallest alpha tried is exp(-34), about 2e-15."""
FEW_SYSTEMS = 30
"""With few topics, power first grows with the number of systems, which add degrees of freedom for the error."""


def found(asked: Requirement) -> Requirement:
    """The requirement with its missing quantity filled in."""
    value = _FINDERS[asked.unknown](asked)
    return replace(asked, **{asked.unknown: value})  # type: ignore[arg-type]  # each finder returns its quantity's type


def power_at(known: Requirement) -> float:
    """The power (for an interval: 0.5 times required over expected width) of a complete requirement."""
    if known.test == INTERVAL:
        return 0.5 * (known.min_diff or 0.0) / width_of(known)
    return _power_by(power_of(known.test, known.method, range_ratio=known.range_ratio), known)


def midway_power_at(known: Requirement) -> float | None:
    """The power if the other systems' means lie midway; None if it does not depend on them, or that is assumed."""
    midway = known.kind.midway
    return None if midway is None else _power_by(midway, known)


def _power_by(power: PowerOf, known: Requirement) -> float:
    value = power(
        n=np.array(known.n),
        systems=np.array(known.systems),
        min_diff=np.array(known.min_diff),
        variance=np.array(known.error_variance),
        alpha=np.array(known.alpha),
    )
    return float(value)


def smallest_n(asked: Requirement) -> int:
    """The smallest number of topics that meets the requirement; an error if it exceeds ``LARGEST_N``."""
    n = n_or_too_many(asked)
    if n > LARGEST_N:
        nearest = smallest_difference(replace(asked, n=LARGEST_N, min_diff=None))
        what = "the narrowest interval they give" if asked.test == INTERVAL else "the smallest difference they find"
        raise DesignError(f"no topic set of up to {LARGEST_N:,} topics is enough; {what} is {nearest:.3g}")
    return n


def n_or_too_many(asked: Requirement) -> int:
    """The smallest number of topics, or one more than the largest allowed."""
    alpha, minD = asked.alpha or 0.05, asked.min_diff or 0.0
    if asked.test == INTERVAL:
        return topics_for_width(minD, variance=asked.error_variance, alpha=alpha)
    cell = topics_needed(
        systems=np.array([asked.systems]),
        min_diff=np.array([minD]),
        variance=np.array([asked.error_variance]),
        alpha=alpha,
        power=asked.power or 0.8,
        test=asked.test,
        method=asked.method,
        range_ratio=asked.range_ratio,
    )
    return int(cell[0])


def smallest_difference(asked: Requirement) -> float:
    """The smallest difference that n topics find with the required power (for an interval: its expected width)."""
    if asked.test == INTERVAL:
        return width_of(replace(asked, min_diff=asked.scale))
    return float(differences_at(asked, [int(asked.n or 2)])[0])


def differences_at(asked: Requirement, sizes: list[int]) -> FloatArray:
    """The smallest difference found at each number of topics; nan if none is."""
    return difference_found(
        n=np.array(sizes),
        systems=np.array(asked.systems),
        variance=np.array(asked.error_variance),
        alpha=asked.alpha or 0.05,
        power=asked.power or 0.8,
        test=asked.test,
        method=asked.method,
        range_ratio=asked.range_ratio,
    )


def _min_diff(asked: Requirement) -> float:
    found = smallest_difference(asked)
    if isnan(found) or found > asked.scale:
        enough = n_or_too_many(replace(asked, n=None, min_diff=asked.scale))
        raise DesignError(
            f"{asked.n} topics cannot find any difference on a scale of {asked.scale:g} with that power; "
            f"the fewest that find the largest one are {enough:,}"
        )
    return found


def _power(asked: Requirement) -> float:
    return power_at(asked)


def _systems(asked: Requirement) -> int:
    def enough(m: int) -> bool:
        return power_at(replace(asked, systems=m)) >= (asked.power or 0.8)

    most = next((m for m in range(2, FEW_SYSTEMS) if enough(m)), None)
    if most is None:
        least = n_or_too_many(replace(asked, n=None, systems=2))
        raise DesignError(f"{asked.n} topics are too few even for 2 systems; the fewest for 2 are {least:,}")
    while most < MOST_SYSTEMS and enough(min(most * 4, MOST_SYSTEMS)):
        most = min(most * 4, MOST_SYSTEMS)
    return most if most == MOST_SYSTEMS else largest_enough(enough, most, min(most * 4, MOST_SYSTEMS))


def _alpha(asked: Requirement) -> float:
    def level(place: float) -> float:
        return 1 / (1 + exp(LEAST_LOGIT - min(place, 2 * LEAST_LOGIT)))

    def merit(place: FloatArray) -> FloatArray:
        power = power_at(replace(asked, alpha=level(float(place[0]))))
        return merit_of(np.array([power]), np.array(asked.power or 0.8))

    if merit(np.zeros(1))[0] >= 0:
        return level(0.0)
    return level(float(crossing(merit, np.full(1, LEAST_LOGIT - 3.0))[0]))


_FINDERS = {"n": smallest_n, "min_diff": _min_diff, "power": _power, "systems": _systems, "alpha": _alpha}


def width_of(known: Requirement) -> float:
    """The expected width of the interval on a difference."""
    width = expected_width(
        n=np.array(float(known.n or 2)), variance=np.array(known.error_variance), alpha=np.array(known.alpha)
    )
    return float(width)
