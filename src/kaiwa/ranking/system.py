"""A system: candidates, features, and a way to combine them.

Each search finds its exact top candidates, ranked; a feature is a number for each candidate; a combination makes one
ranking from the rankings of the searches and the features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import Names
from kaiwa.nouns.ids import FloatArray
from kaiwa.ranking.features.batch import FIRST_DEPTH, Batch
from kaiwa.ranking.features.table import FEATURES, feature_values
from kaiwa.ranking.fusion import FORMULAS
from kaiwa.ranking.sources import Asked, ordered
from kaiwa.retrieval.matching import Candidates, Matcher

if TYPE_CHECKING:
    from kaiwa.nouns.ids import IntArray
    from kaiwa.ranking.fusion import Formula
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.sources import Source
    from kaiwa.retrieval.matching import Query


_DEEPER = 4
_PARTS = tuple(one.name for one in fields(Candidates))


def first_ranking(rankings: Sequence[Candidates], _features: Features) -> Candidates:
    """The ranking of the first search: its scores are already the sum of its features."""
    return rankings[0]


@dataclass(frozen=True)
class System:
    """A named way to rank comments; ``depth`` is the number of candidates of each search, 0 for k.

    ``features`` are names of FEATURES: those that the combination may use, and that a reply shows. ``origin`` is the
    team or the paper that described the system; ``needs`` are the models of its sources. ``weights`` are those of the
    standardised features, if it orders by their sum.
    """

    description: str
    searches: tuple[Matcher | Source, ...]
    features: tuple[str, ...]
    combine: Combination = first_ranking
    depth: int = 0
    origin: str = ""
    needs: tuple[str, ...] = ()
    weights: Mapping[str, float] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models that its features and its sources need."""
        by_features = (need for name in self.features for need in FEATURES[name].needs)
        return tuple(dict.fromkeys((*by_features, *self.needs)))


def ranked(
    query: Query, system: System, *, k: int, takedown_posts: IntArray | None = None, models: OpenModels | None = None
) -> Candidates:
    """The k best comments as the system ranks them, before any filter.

    The searches find ``depth`` candidates each. If these are fewer than k, candidates of deeper searches follow them,
    in their own order: what is among the first k does not depend on k.
    """
    depth = system.depth or k
    found = _ranked_at(Asked(query, depth, takedown_posts, models), system)
    while system.depth > 0 and depth <= len(found) < k:  # fewer than the depth: the searches have no more
        depth *= _DEEPER
        deeper = _ranked_at(Asked(query, depth, takedown_posts, models), system)
        further = deeper[np.flatnonzero(~np.isin(deeper.comments, found.comments))]
        if not len(further):
            break
        found = _followed_by(found, further)
    return found[:k]


def ranking_of(asked: Asked, *, system: System) -> Candidates:
    """The ranking of a system, as a source of candidates of another one."""
    return ranked(asked.query, system, k=asked.k, takedown_posts=asked.takedown_posts, models=asked.given)


def _ranked_at(asked: Asked, system: System) -> Candidates:
    """All candidates of searches of one depth, as the system ranks them."""

    def features(candidates: Candidates) -> Mapping[str, FloatArray]:
        batch = Batch(asked.query, candidates, asked.given, asked.takedown_posts, searched)
        return feature_values(batch, system.features)

    rankings = [asked.search(one) if isinstance(one, Matcher) else one(asked) for one in system.searches]
    done = zip(system.searches, rankings, strict=True) if asked.k >= FIRST_DEPTH else ()
    searched = {one: found for one, found in done if isinstance(one, Matcher)}
    return system.combine(rankings, features)


def _followed_by(found: Candidates, further: Candidates) -> Candidates:
    """One ranking after another, whose scores are lowered by a constant to be below."""
    if not len(found):
        return further
    last = found.scores[-1]
    lowered = np.minimum(further.scores + min(0.0, last - further.scores[0]), last)
    parts = (found, replace(further, scores=lowered))
    return Candidates(*(np.concatenate([getattr(one, part) for one in parts]) for part in _PARTS))


# Several rankings combined into one.


Features = Callable[[Candidates], Mapping[str, FloatArray]]  # computes a system's features for any candidates
Combination = Callable[[Sequence[Candidates], Features], Candidates]


def fused(
    rankings: Sequence[Candidates],
    _features: Features,
    *,
    formula: Formula[int],
) -> Candidates:
    """The candidates of all rankings, each comment once, ordered by a formula; ties by comment id."""
    scores = formula([list(zip(one.comments.tolist(), one.scores.tolist(), strict=True)) for one in rankings])
    order = sorted(scores, key=lambda comment: (-scores[comment], comment))
    posts = dict(pair for one in rankings for pair in zip(one.comments.tolist(), one.posts.tolist(), strict=True))
    return Candidates(
        comments=np.array(order, dtype=np.int64),
        posts=np.array([posts[comment] for comment in order], dtype=np.int64),
        scores=np.array([scores[comment] for comment in order], dtype=np.float64),
    )


FUSIONS: Names[Combination] = Names(
    "fusion", {name: partial(fused, formula=formula) for name, formula in FORMULAS.items()}
)


# Candidates ordered by a weighted sum of standardised features.


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
