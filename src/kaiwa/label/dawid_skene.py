"""The level that each item probably has, and each assessor's confusion of levels, by the model of Dawid and Skene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.label.assessor_levels import divided
from kaiwa.label.coefficients import item_shares
from kaiwa.model.votes import NA

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.votes import Votes

MAX_ROUNDS = 1000
TOLERANCE = 1e-6
"""The smallest rise of the mean log likelihood of a vote for which another round is made."""
_NO_VOTE = 0.01
"""Expected votes on items of a level, below which nothing is known of the assessor's confusion there."""
_TINY = 1e-10  # instead of a probability of 0, whose logarithm is infinite


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """The model of the votes: shares of the levels, confusion of each assessor, probabilities of each item's level.

    ``confusion`` is assessors x probable level x level given; each row sums to 1, or is NaN if the assessor voted on no
    item of that level. ``probabilities`` is items x levels, NaN for an item without a vote. ``log_likelihood`` is that
    of all votes.
    """

    shares: FloatArray
    confusion: FloatArray
    probabilities: FloatArray
    log_likelihood: float
    rounds: int


def dawid_skene(votes: Votes, *, rounds: int = MAX_ROUNDS, tolerance: float = TOLERANCE) -> DawidSkene:
    """The maximum-likelihood model of the votes (Dawid and Skene 1979, section 3), by EM from the shares of the votes.

    NA votes are ignored. The levels are not ordered in this model.

    >>> from kaiwa.model.votes import Votes
    >>> levels = {"ann": (0, 0, 1, 1), "bob": (0, 0, 1, 1), "eve": (0, 1, 0, 1)}
    >>> rows = [("q", str(item), name, one) for name, given in levels.items() for item, one in enumerate(given)]
    >>> dawid_skene(Votes.from_rows(rows)).confusion.round(2).tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]]
    """
    given = votes.level != NA
    item, who, level = votes.item[given], votes.assessor[given], votes.level[given]
    levels, people = votes.top + 1, len(votes.assessors)
    voted = np.bincount(item, minlength=votes.items) > 0
    probable = item_shares(votes.counts())
    before, made = -np.inf, 0
    while True:
        shares = probable[voted].mean(axis=0) if voted.any() else np.full(levels, np.nan)
        mass = _mass(probable[item], who * levels + level, people * levels)
        by_assessor = mass.reshape(people, levels, levels).swapaxes(1, 2)  # assessors x probable x given
        votes_on = by_assessor.sum(axis=2, keepdims=True)
        confusion = divided(by_assessor, votes_on)
        logs = np.log(np.maximum(np.nan_to_num(confusion), _TINY))[who, :, level]
        joint = np.log(np.maximum(shares, _TINY)) + _mass(logs, item, votes.items)
        likelihood = np.logaddexp.reduce(joint, axis=1)
        probable = np.where(voted[:, None], np.exp(joint - likelihood[:, None]), np.nan)
        now = float(likelihood[voted].sum())
        made += 1
        if made >= rounds or now - before <= tolerance * max(len(item), 1):
            return DawidSkene(shares, np.where(votes_on < _NO_VOTE, np.nan, confusion), probable, now, made)
        before = now


def _mass(values: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """The sum of the rows of each group, groups x columns."""
    columns = [np.bincount(group, weights=column, minlength=groups) for column in values.T]
    return np.column_stack(columns)
