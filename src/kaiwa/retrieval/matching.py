"""Search of the best pairs for a query by Q2P, Q2C or their weighted sum (Wang et al. 2013; Sakai et al. 2015)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieval.query import (
    SIMILARITIES,
    UNIT,
    dense_scores,
    query_postings,
    scores_of,
    top_documents,
    weighted_terms,
)
from kaiwa.retrieval.shards import NO_PAIRS, Place, begun_pairs, best_pairs, finished_pairs
from kaiwa.retrieval.tokenisers import tokeniser
from kaiwa.retrieval.topk import best_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.documents import Placed
    from kaiwa.retrieval.inverted_index import InvertedIndex, Shard, ShardSide, Side
    from kaiwa.retrieval.query import QueryPostings, WeightedTerms
    from kaiwa.retrieval.shards import Pairs


@dataclass(frozen=True)
class Matcher:
    """A similarity, and the weights of the post's and of the comment's similarity in the sum."""

    similarity: str
    q2p: float
    q2c: float


@dataclass(frozen=True)
class Query:
    """A text as a query of one index: the terms that occur in the index, their counts in the text, and their words."""

    index: InvertedIndex
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


def query_of(index: InvertedIndex, text: str) -> Query:
    """The text as a query."""
    return query_from(index, tokeniser(index.tokeniser).terms(text.encode(errors="replace").decode()), text)


def query_from(index: InvertedIndex, terms: Iterable[str], text: str = "") -> Query:
    """Terms, as the index's tokeniser makes them, as a query."""
    counted = Counter(terms)
    words = sorted(counted)
    numbers = index.terms.numbers(words)
    known = numbers >= 0
    counts = np.array([counted[word] for word in words], dtype=np.float64)
    return Query(index, text, numbers[known], counts[known], tuple(compress(words, known.tolist())))


def search(query: Query, matcher: Matcher, *, k: int, takedown_posts: IntArray | None = None) -> Candidates:
    """The k best comments over all pairs, exactly; each once, with its best post; ties by comment id.

    A post of the takedown list scores below any other, so that no comment is found through it. The shards are searched
    one after the other, first their best posts, then all other comments; the worst of the k best so far is the floor.
    """
    index, similarity = query.index, matcher.similarity
    on_posts = weighted_terms(query.terms, query.counts, index.posts, similarity, matcher.q2p)
    on_comments = weighted_terms(query.terms, query.counts, index.comments, similarity, matcher.q2c)
    k = min(k, len(index.comments))
    if not k or not (len(on_posts) or len(on_comments)):
        found = NO_PAIRS
    else:
        shards = _best_shards_first(index, on_posts, similarity, takedown_posts)
        found = _best_pairs([_place(shard, on_comments, similarity, scores) for scores, shard in shards], k)
    return Candidates(found.comments, found.posts, found.scores / UNIT)


def _best_pairs(places: list[Place], k: int) -> Pairs:
    """The k best pairs of all shards."""
    if len(places) == 1:
        return best_pairs(k, places[0])
    found, searches = NO_PAIRS, []
    for place in places:
        found, begun = begun_pairs(found, k, place)
        searches.append((place, begun))
    for place, begun in searches:
        found = finished_pairs(found, k, place, begun)
    return found


def _place(shard: Shard, on_comments: WeightedTerms, similarity: str, post_scores: FloatArray) -> Place:
    """Where the search of a shard looks."""
    postings, _ = query_postings(on_comments, shard.comments, similarity)
    return Place(postings, shard.links, post_scores, shard.comments.number_table, shard.posts.number_table)


def _best_shards_first(
    index: InvertedIndex, on_posts: WeightedTerms, similarity: str, takedown_posts: IntArray | None
) -> list[tuple[FloatArray, Shard]]:
    """The scores of the posts of each shard; the shard of the best post first, because it gives the highest floor."""
    hidden = {} if takedown_posts is None else index.posts.by_shard(takedown_posts)
    found = [
        (_post_scores(shard.posts, on_posts, similarity, hidden.get(number)), shard)
        for number, shard in enumerate(index.shards)
    ]
    return sorted(found, key=lambda one: -one[0].max(initial=0.0)) if len(found) > 1 else found


def similar_posts(query: Query, similarity: str, *, k: int, takedown_posts: IntArray | None = None) -> IntArray:
    """The k posts that are most similar to the query, best first; none of the takedown list; ties by post id."""
    index = query.index
    weighted = weighted_terms(query.terms, query.counts, index.posts, similarity)
    if not len(weighted):
        return np.zeros(0, dtype=np.int64)
    hidden = {} if takedown_posts is None else index.posts.by_shard(takedown_posts)
    k, found = min(k, len(index.posts)), []
    for number, shard in enumerate(index.shards):
        scores = _post_scores(shard.posts, weighted, similarity, hidden.get(number))
        best, posts, _ = best_first(top_documents(scores, k))
        found.append((best, shard.posts.in_index(posts)))
    scores, posts = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return posts[np.lexsort((posts, -scores))[:k]]


def _post_scores(side: ShardSide, weighted: WeightedTerms, similarity: str, hidden: Placed | None) -> FloatArray:
    """The score of every post of a shard, -1 for one of the takedown list; none if no post of the index has a term."""
    if not len(weighted):
        return np.zeros(0)
    scores = dense_scores(query_postings(weighted, side, similarity)[0], len(side))
    if hidden is not None:
        scores[hidden.own] = -1.0
    return scores


def post_similarities(query: Query, similarity: str, posts: IntArray) -> FloatArray:
    """The similarity of the query to each of these posts."""
    return _similarities(query, query.index.posts, similarity, posts)


def comment_similarities(query: Query, similarity: str, comments: IntArray) -> FloatArray:
    """The similarity of the query to each of these comments."""
    return _similarities(query, query.index.comments, similarity, comments)


def _similarities(query: Query, side: Side, similarity: str, documents: IntArray) -> FloatArray:
    scores = np.zeros(len(documents))
    for placed, postings, _ in _shard_postings(query, side, similarity, documents):
        scores[placed.places] = scores_of(postings, placed.own) / UNIT
    return scores


def term_similarities(query: Query, side: Side, similarity: str, documents: IntArray) -> FloatArray:
    """What each term of the query adds to its similarity to each document ("terms x documents")."""
    added = np.zeros((len(query.terms), len(documents)))
    for placed, postings, rows in _shard_postings(query, side, similarity, documents):
        for at, row in enumerate(rows.tolist()):
            one = slice(at, at + 1)
            slices, weights, peaks = postings.slices[one], postings.weights[one], postings.peaks[one]
            alone = postings._replace(slices=slices, weights=weights, peaks=peaks)
            added[row, placed.places] = scores_of(alone, placed.own) / UNIT
    return added


def _shard_postings(
    query: Query, side: Side, similarity: str, documents: IntArray
) -> Iterator[tuple[Placed, QueryPostings, IntArray]]:
    """The documents shard by shard, with the postings of the query's terms there and the place of each in the query."""
    weighted = weighted_terms(query.terms, query.counts, side, similarity)
    for number, placed in side.by_shard(documents).items():
        yield placed, *query_postings(weighted, getattr(query.index.shards[number], side.name), similarity)


def compile_search(index: InvertedIndex) -> None:
    """Search once in every way, so that the kernels are compiled before the first query."""
    if not len(index.comments):
        return
    query = query_of(index, index.comments.texts.text_of(0))
    for similarity in SIMILARITIES:
        for q2p, q2c in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0)):
            found = search(query, Matcher(similarity, q2p, q2c), k=1)
            post_similarities(query, similarity, found.posts)
    index.comments.texts.find([])
