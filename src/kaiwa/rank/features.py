"""Features of candidate pairs: each is one row of FEATURES, a pure function of a query and a batch to numbers.

A feature never changes the arrays it gets: all features of a batch read the same arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.registry import Names
from kaiwa.retrieve.search.matching import comment_similarities, post_similarities, term_similarities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kaiwa.model.ids import FloatArray
    from kaiwa.retrieve.search.matching import Candidates, Query


@dataclass(frozen=True)
class Feature:
    """One number for each pair of a batch: the function, its description, and what must be built for it.

    ``by_term`` is for a feature that is a sum over the terms of the query: what each term adds ("terms x pairs").
    """

    values: Callable[[Query, Candidates], FloatArray]
    description: str
    needs: str = "index"
    by_term: Callable[[Query, Candidates], FloatArray] | None = None


def q2p(query: Query, candidates: Candidates, *, similarity: str) -> FloatArray:
    """The similarity of the query and the post of each pair."""
    return post_similarities(query, similarity, candidates.posts)


def q2c(query: Query, candidates: Candidates, *, similarity: str) -> FloatArray:
    """The similarity of the query and the comment of each pair."""
    return comment_similarities(query, similarity, candidates.comments)


def q2p_by_term(query: Query, candidates: Candidates, *, similarity: str) -> FloatArray:
    """What each term of the query adds to the similarity of the query and the post."""
    return term_similarities(query, query.index.posts, similarity, candidates.posts)


def q2c_by_term(query: Query, candidates: Candidates, *, similarity: str) -> FloatArray:
    """What each term of the query adds to the similarity of the query and the comment."""
    return term_similarities(query, query.index.comments, similarity, candidates.comments)


def _q2p(similarity: str, name: str) -> Feature:
    terms = partial(q2p_by_term, similarity=similarity)
    return Feature(partial(q2p, similarity=similarity), f"{name} of the query and the post", by_term=terms)


def _q2c(similarity: str, name: str) -> Feature:
    terms = partial(q2c_by_term, similarity=similarity)
    return Feature(partial(q2c, similarity=similarity), f"{name} of the query and the comment", by_term=terms)


FEATURES = Names(
    "feature",
    {
        "q2p": _q2p("tfidf", "tf-idf cosine"),
        "q2c": _q2c("tfidf", "tf-idf cosine"),
        "bm25-q2p": _q2p("bm25", "BM25"),
        "bm25-q2c": _q2c("bm25", "BM25"),
    },
)


def feature_values(query: Query, names: Iterable[str], candidates: Candidates) -> dict[str, FloatArray]:
    """The values of some features, each an array over the candidates."""
    return {name: FEATURES[name].values(query, candidates) for name in names}


def term_strengths(query: Query, names: Iterable[str], candidates: Candidates) -> FloatArray:
    """What each term of the query adds to some features together ("terms x pairs"); 0 if a pair does not have it."""
    summed = np.zeros((len(query.terms), len(candidates)))
    for by_term in (FEATURES[name].by_term for name in names):
        if by_term is not None:
            summed += by_term(query, candidates)
    return summed
