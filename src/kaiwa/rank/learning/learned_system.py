"""The system of a learned ranker: the candidates of another system, ordered by the ranker."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.rank.features.batch import FIRST_DEPTH
from kaiwa.rank.learning.ranker import LEARNERS
from kaiwa.rank.linear import united
from kaiwa.rank.sources.source import ordered
from kaiwa.rank.system import System
from kaiwa.rank.system_table import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.rank.fusion import Features
    from kaiwa.rank.learning.ranker import Ranker
    from kaiwa.retrieve.search.matching import Candidates


def learned_system(ranker: Ranker) -> System:
    """The system that orders the best candidates of another one by a ranker."""
    name, first = LEARNERS[ranker.learner].description, SYSTEMS[ranker.candidates]
    of_others = "" if ranker.candidates == "run2" else f", candidates of {ranker.candidates}"
    return System(
        f"{name} over {counted(len(ranker.features), 'feature')}{of_others}",
        first.searches,
        ranker.features,
        combine=partial(by_ranker, ranker=ranker),
        depth=max(FIRST_DEPTH, first.depth),
        needs=first.models,
        weights=ranker.weights,
    )


def by_ranker(rankings: Sequence[Candidates], features: Features, *, ranker: Ranker) -> Candidates:
    """The candidates of all searches, ordered by the ranker; ties by id."""
    candidates = united(rankings)
    return ordered(candidates, ranker.scores(features(candidates)))
