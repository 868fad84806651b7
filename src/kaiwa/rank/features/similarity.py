"""Similarities of the query and the two texts of a pair: Q2P and Q2C, by tf-idf cosine and by BM25."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kaiwa.rank.features.feature import Feature
from kaiwa.retrieve.search.matching import comment_similarities, post_similarities, term_similarities
from kaiwa.retrieve.similarity import SIMILARITIES

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def q2p(batch: Batch, *, similarity: str) -> FloatArray:
    """The similarity of the query and the post of each pair."""
    return batch.once(_POSTS[similarity])


def q2c(batch: Batch, *, similarity: str) -> FloatArray:
    """The similarity of the query and the comment of each pair."""
    return batch.once(_COMMENTS[similarity])


def _post_values(batch: Batch, *, similarity: str) -> FloatArray:
    return post_similarities(batch.query, similarity, batch.candidates.posts)


def _comment_values(batch: Batch, *, similarity: str) -> FloatArray:
    return comment_similarities(batch.query, similarity, batch.candidates.comments)


_POSTS = {similarity: partial(_post_values, similarity=similarity) for similarity in SIMILARITIES}
_COMMENTS = {similarity: partial(_comment_values, similarity=similarity) for similarity in SIMILARITIES}


def q2p_by_term(batch: Batch, *, similarity: str) -> FloatArray:
    """What each term of the query adds to the similarity of the query and the post."""
    return term_similarities(batch.query, batch.query.index.posts, similarity, batch.candidates.posts)


def q2c_by_term(batch: Batch, *, similarity: str) -> FloatArray:
    """What each term of the query adds to the similarity of the query and the comment."""
    return term_similarities(batch.query, batch.query.index.comments, similarity, batch.candidates.comments)


def _q2p(similarity: str, name: str) -> Feature:
    terms = partial(q2p_by_term, similarity=similarity)
    return Feature(partial(q2p, similarity=similarity), f"{name} of the query and the post", by_term=terms)


def _q2c(similarity: str, name: str) -> Feature:
    terms = partial(q2c_by_term, similarity=similarity)
    return Feature(partial(q2c, similarity=similarity), f"{name} of the query and the comment", by_term=terms)


SIMILARITY_FEATURES = {
    "q2p": _q2p("tfidf", "tf-idf cosine"),
    "q2c": _q2c("tfidf", "tf-idf cosine"),
    "bm25-q2p": _q2p("bm25", "BM25"),
    "bm25-q2c": _q2c("bm25", "BM25"),
}
