"""The votes of a smaller panel: of fewer people if they are known, else of fewer votes per item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.votes import NA

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray
    from kaiwa.model.votes import Votes


def votes_of_fewer(counts: IntArray, assessors: int, *, rng: np.random.Generator) -> IntArray:
    """At most ``assessors`` of each item's votes, drawn without replacement; items x levels in and out.

    >>> votes_of_fewer(np.array([[1, 4], [0, 3]]), 4, rng=np.random.default_rng(1)).sum(axis=1)
    array([4, 3])
    """
    drawn = np.zeros_like(counts)
    rest = counts.sum(axis=1)
    left = np.minimum(assessors, rest)
    for level in range(counts.shape[1]):
        rest = rest - counts[:, level]
        drawn[:, level] = rng.hypergeometric(counts[:, level], rest, left)
        left = left - drawn[:, level]
    return drawn


def votes_of_fewer_people(votes: Votes, assessors: int, *, rng: np.random.Generator) -> IntArray:
    """At most ``assessors`` of each item's votes, items x levels: the first by one random order of all assessors.

    If everybody voted on every item, these are the votes of the same few people on all items.

    >>> from kaiwa.model.votes import Votes
    >>> rows = [("q", comment, name, level) for comment in "xy" for level, name in enumerate(("ann", "bob", "eve"))]
    >>> votes_of_fewer_people(Votes.from_rows(rows), 1, rng=np.random.default_rng(1)).tolist()
    [[1, 0, 0], [1, 0, 0]]
    """
    given = votes.level != NA
    item, level = votes.item[given], votes.level[given]
    order = np.lexsort((rng.permutation(len(votes.assessors))[votes.assessor[given]], item))
    first = np.searchsorted(item[order], np.arange(votes.items))
    kept = order[np.arange(len(order)) - first[item[order]] < assessors]
    cells = item[kept] * (votes.top + 1) + level[kept]
    return np.bincount(cells, minlength=votes.items * (votes.top + 1)).reshape(votes.items, votes.top + 1)
