"""The systems a run can be made with, by name: the pilot study's and our own."""

from __future__ import annotations

from dataclasses import dataclass

from kaiwa.errors import InputError
from kaiwa.registry import Names
from kaiwa.retrieve.search.matching import Matcher


@dataclass(frozen=True)
class System:
    """A named way to rank comments: one matcher, or several fused."""

    name: str
    says: str
    matchers: tuple[Matcher, ...]


_LATER = {"run3": "TransLM", "run4": "TopicWord", "run5": "TransLM and TopicWord"}
_TFIDF_JOINT = Matcher("tfidf", 1.0, 1.0)
_BM25_JOINT = Matcher("bm25", 1.0, 1.0)

SYSTEMS = Names(
    "system",
    {
        system.name: system
        for system in (
            System("run0", "Q2P: similar posts' comments, tf-idf cosine", (Matcher("tfidf", 1.0, 0.0),)),
            System("run1", "Q2C: similar comments, tf-idf cosine", (Matcher("tfidf", 0.0, 1.0),)),
            System("run2", "Q2P + Q2C over all pairs, tf-idf cosine", (_TFIDF_JOINT,)),
            System("bm25", "Q2P + Q2C over all pairs, BM25", (_BM25_JOINT,)),
            System("bm25-q2p", "Q2P: similar posts' comments, BM25", (Matcher("bm25", 1.0, 0.0),)),
            System("bm25-q2c", "Q2C: similar comments, BM25", (Matcher("bm25", 0.0, 1.0),)),
            System(
                "fusion",
                "run0, run1 and bm25, fused",
                (Matcher("tfidf", 1.0, 0.0), Matcher("tfidf", 0.0, 1.0), _BM25_JOINT),
            ),
        )
    },
)
"""Feature sets of run0 to run2: Sakai et al. 2015, Table 2."""


def system_named(name: str) -> System:
    """The system of that name; those that need a model that is not there yet say so.

    >>> system_named("run2").says
    'Q2P + Q2C over all pairs, tf-idf cosine'
    """
    if name in _LATER:
        raise InputError(f"system {name!r} needs {_LATER[name]}, which this version does not have; use run2")
    return SYSTEMS[name]
