"""The systems that make runs, by name: those of the pilot study, and others.

A system is candidates + features + a way to combine them. Each search finds its exact top
candidates, ranked; a feature is a number for each candidate; a combination makes one ranking from the rankings of
the searches and the features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.rank.features import feature_values
from kaiwa.rank.fusion import FUSIONS
from kaiwa.registry import Names
from kaiwa.retrieve.search.matching import Candidates, Matcher, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.ids import IntArray
    from kaiwa.rank.fusion import Combination, Features
    from kaiwa.retrieve.search.matching import Query


def first_ranking(rankings: Sequence[Candidates], _features: Features) -> Candidates:
    """The ranking of the first search: its scores are already the sum of its features."""
    return rankings[0]


@dataclass(frozen=True)
class System:
    """A named way to rank comments; ``depth`` is the minimum number of candidates of each search.

    ``features`` are names of FEATURES: those that the combination may use, and that a reply shows.
    """

    description: str
    searches: tuple[Matcher, ...]
    features: tuple[str, ...]
    combine: Combination = first_ranking
    depth: int = 0


_LATER = {"run3": "TransLM", "run4": "TopicWord", "run5": "TransLM and TopicWord"}
_TFIDF_Q2P, _TFIDF_Q2C, _TFIDF = (Matcher("tfidf", *weights) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
_BM25_Q2P, _BM25_Q2C, _BM25 = (Matcher("bm25", *weights) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
_TFIDF_FEATURES = ("q2p", "q2c")
_BM25_FEATURES = ("bm25-q2p", "bm25-q2c")

SYSTEMS = Names(
    "system",
    {
        "run0": System("Q2P: similar posts' comments, tf-idf cosine", (_TFIDF_Q2P,), _TFIDF_FEATURES),
        "run1": System("Q2C: similar comments, tf-idf cosine", (_TFIDF_Q2C,), _TFIDF_FEATURES),
        "run2": System("Q2P + Q2C over all pairs, tf-idf cosine", (_TFIDF,), _TFIDF_FEATURES),
        "bm25": System("Q2P + Q2C over all pairs, BM25", (_BM25,), _BM25_FEATURES),
        "bm25-q2p": System("Q2P: similar posts' comments, BM25", (_BM25_Q2P,), _BM25_FEATURES),
        "bm25-q2c": System("Q2C: similar comments, BM25", (_BM25_Q2C,), _BM25_FEATURES),
        "fusion": System(
            "run0, run1 and bm25, fused",
            (_TFIDF_Q2P, _TFIDF_Q2C, _BM25),
            _TFIDF_FEATURES + _BM25_FEATURES,
            combine=FUSIONS["rrf"],
            depth=100,
        ),
    },
)
"""Feature sets of run0 to run2: Sakai et al. 2015, Table 2."""


def system_named(name: str, *, fusion: str = "rrf") -> System:
    """The system of that name, with ``fusion`` if it combines rankings; a system without its model is an error.

    >>> system_named("run2").description
    'Q2P + Q2C over all pairs, tf-idf cosine'
    >>> system_named("fusion", fusion="combsum").description
    'run0, run1 and bm25, fused (combsum)'
    """
    if name in _LATER:
        raise InputError(f"system {name!r} needs {_LATER[name]}, which this version does not have; use run2")
    system = SYSTEMS[name]
    if system.combine not in FUSIONS.values():
        return system
    return replace(system, combine=FUSIONS[fusion], description=f"{system.description} ({fusion})")


def ranked(query: Query, system: System, *, k: int, takedown_posts: IntArray | None = None) -> Candidates:
    """The k best comments as the system ranks them, before any filter."""
    depth = max(k, system.depth)
    rankings = [search(query, matcher, k=depth, takedown_posts=takedown_posts) for matcher in system.searches]
    return system.combine(rankings, partial(feature_values, query, system.features))[:k]
