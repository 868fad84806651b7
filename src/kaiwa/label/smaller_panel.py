"""The votes of a smaller panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray


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
