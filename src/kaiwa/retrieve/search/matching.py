"""A post in, its best pairs out, by Q2P, Q2C or their weighted sum (Wang et al. 2013; Sakai et al. 2015)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.search.joint_topk import best_pairs
from kaiwa.retrieve.search.query_postings import UNIT, Lists, best_of, dense_scores, scores_of
from kaiwa.retrieve.search.topk import best_first
from kaiwa.retrieve.similarity import bm25, tfidf
from kaiwa.retrieve.text.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.inverted_index import Index, Side
    from kaiwa.retrieve.search.topk import Best

OPENED_POSTS = 64
PATIENCE = 64
_ROUNDING = 1 + 1e-6  # peaks are single floats, so bounds are raised by more than they can be wrong


@dataclass(frozen=True)
class Matcher:
    """A similarity and what a post's and a comment's share in it weigh."""

    similarity: str
    q2p: float
    q2c: float


@dataclass(frozen=True)
class Query:
    """The query's terms that the index knows, and how often each stands in it."""

    terms: IntArray
    often: FloatArray
    words: tuple[str, ...]


@dataclass(frozen=True)
class Hits:
    """Comments best first, each with its best post and the pair's score."""

    comments: IntArray
    posts: IntArray
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.comments)


def query_of(index: Index, text: str) -> Query:
    """The text as the index sees it."""
    return query_from(index, tokeniser(index.tokeniser).terms(text.encode(errors="replace").decode()))


def query_from(index: Index, terms: Iterable[str]) -> Query:
    """Terms, as the index's tokeniser makes them, as a query."""
    counts = Counter(terms)
    words = sorted(counts)
    numbers = index.terms.numbers(words)
    known = numbers >= 0
    often = np.array([counts[word] for word in words], dtype=np.float64)
    return Query(numbers[known], often[known], tuple(compress(words, known.tolist())))


def lists_of(side: Side, query: Query, similarity: str, share: float) -> Lists:
    """The query on one side, weighted by its share in the sum; no terms when it has none."""
    chosen, postings = side.weights[similarity], side.postings
    if not share:
        arrays = (postings.docs, postings.shapes, np.zeros(0), np.zeros(0), chosen.by_shape, chosen.inverse_norms)
        return Lists(np.zeros((0, 2), dtype=np.int64), *arrays)
    known = side.documents_with(query.terms) > 0
    terms, often = query.terms[known], query.often[known]
    weights = _query_weights(side, terms, often, similarity) * share * UNIT
    peaks = weights * chosen.peaks[terms] * _ROUNDING
    order = np.argsort(peaks, kind="stable")
    arrays = (postings.docs, postings.shapes, weights[order], peaks[order], chosen.by_shape, chosen.inverse_norms)
    return Lists(side.slices(terms[order]), *arrays)


def _query_weights(side: Side, terms: IntArray, often: FloatArray, similarity: str) -> FloatArray:
    documents_with = side.documents_with(terms).astype(np.float64)
    if similarity == "bm25":
        return often * bm25.inverse_document_frequency(documents_with, len(side))
    idf = tfidf.inverse_document_frequency(documents_with, len(side))
    length = float(np.sqrt(((often * idf) ** 2).sum()))
    weights: FloatArray = often * idf * idf / (length or 1.0)
    return weights


def search(index: Index, query: Query, matcher: Matcher, *, k: int, banned_posts: IntArray | None = None) -> Hits:
    """The k best comments over all pairs, exactly; each once, with its best post; ties by comment id.

    A banned post is worth less than any other, so no comment is found by it.
    """
    on_posts = lists_of(index.posts, query, matcher.similarity, matcher.q2p)
    on_comments = lists_of(index.comments, query, matcher.similarity, matcher.q2c)
    k = min(k, len(index.comments))
    if k <= 0 or not (len(on_posts.slices) or len(on_comments.slices)):
        nothing = np.zeros(0, dtype=np.int64)
        return Hits(nothing, nothing, np.zeros(0))
    scores, comments, posts = best_first(_best_pairs(index, on_posts, on_comments, k, banned_posts))
    return Hits(comments, posts, scores / UNIT)


def _best_pairs(index: Index, on_posts: Lists, on_comments: Lists, k: int, banned_posts: IntArray | None) -> Best:
    """Open more posts until no unopened one could matter."""
    post_scores = dense_scores(on_posts, len(index.posts)) if len(on_posts.slices) else np.zeros(0)
    if len(post_scores) and banned_posts is not None:
        post_scores[banned_posts] = -1.0
    opened = OPENED_POSTS
    while True:
        best = best_of(post_scores, opened)
        _, posts, _ = best_first(best)
        found, sure = best_pairs(k, on_comments, index.links, post_scores, posts, best.floor[0], PATIENCE)
        if sure:
            return found
        opened *= 8


def similarities(
    index: Index, query: Query, similarity: str, posts: IntArray, comments: IntArray
) -> tuple[FloatArray, FloatArray]:
    """The unweighted similarities of the query to these posts, and to these comments."""
    on_posts, on_comments = (lists_of(side, query, similarity, 1.0) for side in (index.posts, index.comments))
    return scores_of(on_posts, posts) / UNIT, scores_of(on_comments, comments) / UNIT
