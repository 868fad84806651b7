"""Features of candidate pairs: each is one row of FEATURES, a pure function of a query and a batch to numbers.

A feature never changes the arrays it gets: all features of a batch read the same arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kaiwa.registry import Names
from kaiwa.retrieve.search.matching import comment_similarities, post_similarities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kaiwa.model.ids import FloatArray
    from kaiwa.retrieve.search.matching import Candidates, Query


@dataclass(frozen=True)
class Feature:
    """One number for each pair of a batch: the function, its description, and what must be built for it."""

    values: Callable[[Query, Candidates], FloatArray]
    description: str
    needs: str = "index"


def q2p(query: Query, candidates: Candidates, *, similarity: str) -> FloatArray:
    """The similarity of the query and the post of each pair."""
    return post_similarities(query, similarity, candidates.posts)


def q2c(query: Query, candidates: Candidates, *, similarity: str) -> FloatArray:
    """The similarity of the query and the comment of each pair."""
    return comment_similarities(query, similarity, candidates.comments)


FEATURES = Names(
    "feature",
    {
        "q2p": Feature(partial(q2p, similarity="tfidf"), "tf-idf cosine of the query and the post"),
        "q2c": Feature(partial(q2c, similarity="tfidf"), "tf-idf cosine of the query and the comment"),
        "bm25-q2p": Feature(partial(q2p, similarity="bm25"), "BM25 of the query and the post"),
        "bm25-q2c": Feature(partial(q2c, similarity="bm25"), "BM25 of the query and the comment"),
    },
)


def feature_values(query: Query, names: Iterable[str], candidates: Candidates) -> dict[str, FloatArray]:
    """The values of some features, each an array over the candidates."""
    return {name: FEATURES[name].values(query, candidates) for name in names}
