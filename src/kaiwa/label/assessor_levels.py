"""Each assessor's use of the levels, and agreement with the other assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.label.coefficients import merged
from kaiwa.model.votes import NA

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.votes import Votes


@dataclass(frozen=True)
class AssessorLevels:
    """One assessor: votes, NA votes, mean level, shares of the lowest and the highest level, agreement and kappa.

    ``agreement`` is the mean, over the assessor's items that others voted on too, of the share of the others' votes
    at the same level; ``kappa`` is the same beyond chance: with two assessors, Cohen's kappa. What is undefined is NaN.
    """

    name: str
    votes: int
    missing: int
    mean_level: float
    share_lowest: float
    share_highest: float
    agreement: float
    kappa: float


def levels_by_assessor(votes: Votes, *, classes: IntArray | None = None) -> tuple[AssessorLevels, ...]:
    """A line per assessor, in the order of the votes; levels merged by ``classes`` agree with each other.

    >>> from kaiwa.model.votes import Votes
    >>> rows = [("q", "a", "ann", 2), ("q", "a", "bob", 2), ("q", "b", "ann", 0), ("q", "b", "bob", 1)]
    >>> [(one.name, one.mean_level, one.agreement) for one in levels_by_assessor(Votes.from_rows(rows))]
    [('ann', 1.0, 0.5), ('bob', 1.5, 0.5)]
    """
    given = votes.level != NA
    who, level = votes.assessor[given], votes.level[given]
    people = len(votes.assessors)
    count = np.bincount(who, minlength=people)
    columns = (
        count,
        np.bincount(votes.assessor[~given], minlength=people),
        divided(np.bincount(who, weights=level, minlength=people), count),
        divided(np.bincount(who[level == 0], minlength=people), count),
        divided(np.bincount(who[level == votes.top], minlength=people), count),
        *_with_others(votes, np.arange(votes.top + 1) if classes is None else classes),
    )
    rows = zip(votes.assessors, *(column.tolist() for column in columns), strict=True)
    return tuple(AssessorLevels(*row) for row in rows)


def _with_others(votes: Votes, classes: IntArray) -> tuple[FloatArray, FloatArray]:
    """The agreement of each assessor with the others' votes on the same items, and the same beyond chance."""
    counts = merged(votes.counts(), classes)
    rows = (votes.level != NA) & (counts.sum(axis=1)[votes.item] > 1)
    who, item, own = votes.assessor[rows], votes.item[rows], classes[votes.level[rows]]
    others = counts.sum(axis=1)[item] - 1
    compared = np.bincount(who, minlength=len(votes.assessors))

    def mean(values: FloatArray) -> FloatArray:
        return divided(np.bincount(who, weights=values, minlength=len(compared)), compared)

    observed = mean((counts[item, own] - 1) / others)
    expected = np.zeros(len(compared))
    for level in range(counts.shape[1]):
        same = (own == level).astype(np.float64)
        expected += mean(same) * mean((counts[item, level] - same) / others)
    return observed, divided(observed - expected, np.where(expected < 1.0, 1.0 - expected, 0.0))


def divided(amounts: FloatArray | IntArray, by: FloatArray | IntArray) -> FloatArray:
    """The quotients; NaN where the divisor is 0."""
    out = np.full(np.broadcast_shapes(amounts.shape, by.shape), np.nan)
    quotients: FloatArray = np.divide(amounts, by, out=out, where=by != 0)
    return quotients
