"""A system: candidates, features, and a way to combine them.

Each search finds its exact top candidates, ranked; a feature is a number for each candidate; a combination makes one
ranking from the rankings of the searches and the features.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.batch import FIRST_DEPTH, Batch
from kaiwa.rank.features.feature_table import FEATURES, feature_values
from kaiwa.rank.sources.source import Asked
from kaiwa.retrieve.search.matching import Candidates, Matcher

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.fusion import Combination, Features
    from kaiwa.rank.models.model_table import Models
    from kaiwa.rank.sources.source import Source
    from kaiwa.retrieve.search.matching import Query

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
    query: Query, system: System, *, k: int, takedown_posts: IntArray | None = None, models: Models | None = None
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
