"""Search of the best pairs for a query by Q2P, Q2C or their weighted sum (Wang et al. 2013; Sakai et al. 2015)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.search.joint_topk import joint_topk
from kaiwa.retrieve.search.query_postings import UNIT, QueryPostings, dense_scores, scores_of, top_documents
from kaiwa.retrieve.search.topk import best_first
from kaiwa.retrieve.similarity import SIMILARITIES
from kaiwa.retrieve.text.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.inverted_index import Index, Side
    from kaiwa.retrieve.search.topk import TopK

TOP_POSTS = 64
MIN_COMMENTS = 64
_ROUNDING = 1 + 1e-6  # peaks are single floats, so bounds are raised by more than their error
_NO_TERMS = (np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0))


@dataclass(frozen=True)
class Matcher:
    """A similarity, and the weights of the post's and of the comment's similarity in the sum."""

    similarity: str
    q2p: float
    q2c: float


@dataclass(frozen=True)
class Query:
    """A text as a query of one index: the terms that occur in the index, their counts in the text, and their words."""

    index: Index
    text: str
    terms: IntArray
    counts: FloatArray
    words: tuple[str, ...]


@dataclass(frozen=True)
class Candidates:
    """Pairs of a comment and a post, each comment once, best first by their scores."""

    comments: IntArray
    posts: IntArray
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.comments)

    def __getitem__(self, places: slice | IntArray) -> Candidates:
        """The candidates at these places."""
        return Candidates(self.comments[places], self.posts[places], self.scores[places])


def query_of(index: Index, text: str) -> Query:
    """The text as a query."""
    return query_from(index, tokeniser(index.tokeniser).terms(text.encode(errors="replace").decode()), text)


def query_from(index: Index, terms: Iterable[str], text: str = "") -> Query:
    """Terms, as the index's tokeniser makes them, as a query."""
    counted = Counter(terms)
    words = sorted(counted)
    numbers = index.terms.numbers(words)
    known = numbers >= 0
    counts = np.array([counted[word] for word in words], dtype=np.float64)
    return Query(index, text, numbers[known], counts[known], tuple(compress(words, known.tolist())))


def query_postings(query: Query, side: Side, similarity: str, weight: float = 1.0) -> QueryPostings:
    """The postings of the query's terms on one side, scores multiplied by a weight; no terms if the weight is 0."""
    stored, postings = side.weights[similarity], side.postings
    slices, weights, peaks = _weighted_terms(query, side, similarity, weight) if weight else _NO_TERMS
    arrays = (postings.docs, postings.shapes, weights, peaks, stored.by_shape, stored.inverse_norms)
    return QueryPostings(slices, *arrays)


def _weighted_terms(
    query: Query, side: Side, similarity: str, weight: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Slices, weights and peaks of the query's terms that occur on a side, lowest peaks first."""
    occurring = side.documents_with(query.terms) > 0
    terms, counts = query.terms[occurring], query.counts[occurring]
    documents_with = side.documents_with(terms).astype(np.float64)
    weights = SIMILARITIES[similarity].query_weights(counts, documents_with, len(side)) * weight * UNIT
    peaks = weights * side.weights[similarity].peaks[terms] * _ROUNDING
    order = np.argsort(peaks, kind="stable")
    return side.slices(terms[order]), weights[order], peaks[order]


def search(query: Query, matcher: Matcher, *, k: int, takedown_posts: IntArray | None = None) -> Candidates:
    """The k best comments over all pairs, exactly; each once, with its best post; ties by comment id.

    A post of the takedown list scores below any other, so that no comment is found through it.
    """
    index = query.index
    on_posts = query_postings(query, index.posts, matcher.similarity, matcher.q2p)
    on_comments = query_postings(query, index.comments, matcher.similarity, matcher.q2c)
    k = min(k, len(index.comments))
    if k <= 0 or not (len(on_posts.slices) or len(on_comments.slices)):
        none = np.zeros(0, dtype=np.int64)
        return Candidates(none, none, np.zeros(0))
    scores, comments, posts = best_first(_joint_topk(index, on_posts, on_comments, k, takedown_posts))
    return Candidates(comments, posts, scores / UNIT)


def _joint_topk(
    index: Index, on_posts: QueryPostings, on_comments: QueryPostings, k: int, takedown_posts: IntArray | None
) -> TopK:
    """The k best pairs, with as many top posts as the search needs to be exact."""
    post_scores = dense_scores(on_posts, len(index.posts)) if len(on_posts.slices) else np.zeros(0)
    if len(post_scores) and takedown_posts is not None:
        post_scores[takedown_posts] = -1.0
    count = TOP_POSTS
    while True:
        best = top_documents(post_scores, count)
        _, top_posts, _ = best_first(best)
        found, exact = joint_topk(k, on_comments, index.links, post_scores, top_posts, best.threshold[0], MIN_COMMENTS)
        if exact:
            return found
        count *= 8


def post_similarities(query: Query, similarity: str, posts: IntArray) -> FloatArray:
    """The similarity of the query to each of these posts."""
    return scores_of(query_postings(query, query.index.posts, similarity), posts) / UNIT


def comment_similarities(query: Query, similarity: str, comments: IntArray) -> FloatArray:
    """The similarity of the query to each of these comments."""
    return scores_of(query_postings(query, query.index.comments, similarity), comments) / UNIT


def term_similarities(query: Query, side: Side, similarity: str, documents: IntArray) -> FloatArray:
    """What each term of the query adds to its similarity to each document ("terms x documents")."""
    postings = query_postings(query, side, similarity)
    added = np.zeros((len(query.terms), len(documents)))
    rows = np.flatnonzero(side.documents_with(query.terms))
    row_of = dict(zip(side.postings.starts[query.terms[rows]].tolist(), rows.tolist(), strict=True))
    for at, low in enumerate(postings.slices[:, 0].tolist()):
        one = slice(at, at + 1)
        alone = postings._replace(slices=postings.slices[one], weights=postings.weights[one], peaks=postings.peaks[one])
        added[row_of[low]] = scores_of(alone, documents) / UNIT
    return added


def compile_search(index: Index) -> None:
    """Search once in every way, so that the kernels are compiled before the first query."""
    if not len(index.comments):
        return
    query = query_of(index, index.comments.texts.text_of(0))
    for similarity in SIMILARITIES:
        for q2p, q2c in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0)):
            found = search(query, Matcher(similarity, q2p, q2c), k=1)
            post_similarities(query, similarity, found.posts)
    index.comments.texts.find([])
