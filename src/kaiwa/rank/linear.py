"""Candidates ordered by a weighted sum of standardised features."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.sources.source import ordered
from kaiwa.retrieve.search.matching import Candidates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.fusion import Combination, Features


def weighted_sum(weights: Mapping[str, float]) -> Combination:
    """The combination that orders the candidates of all searches by a weighted sum of their features."""
    return partial(summed, weights=weights)


def summed(rankings: Sequence[Candidates], features: Features, *, weights: Mapping[str, float]) -> Candidates:
    """The candidates by the weighted sum of their features, each standardised over the candidates; ties by id."""
    candidates = united(rankings)
    values = features(candidates)
    scores = np.zeros(len(candidates))
    for name, weight in weights.items():
        scores += weight * standardised(values[name])
    return ordered(candidates, scores)


def united(rankings: Sequence[Candidates]) -> Candidates:
    """The candidates of all rankings, each comment once, as the first ranking that has it.

    >>> one, two = (Candidates(np.array(numbers), np.zeros(2), np.ones(2)) for numbers in ([5, 3], [4, 5]))
    >>> united([one, two]).comments.tolist()
    [5, 3, 4]
    """
    comments = np.concatenate([one.comments for one in rankings])
    first = np.sort(np.unique(comments, return_index=True)[1])
    posts, scores = (np.concatenate([getattr(one, part) for one in rankings]) for part in ("posts", "scores"))
    return Candidates(comments[first], posts[first], scores[first])


def standardised(values: FloatArray) -> FloatArray:
    """Values with mean 0 and standard deviation 1; all 0 if they are equal.

    >>> standardised(np.array([1.0, 3.0])).tolist(), standardised(np.array([2.0, 2.0])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    if not len(values):
        return values
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros(len(values))
