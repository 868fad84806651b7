"""The search of one shard after others, in two calls of compiled code: its best posts, then all its other comments.

A call from Python costs some microseconds for every array that it is given or returns, in each shard of a query. The
best posts of all shards come first, because the worst pair found so far is the floor of what follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.joint_topk import Begun, Floor, begun_topk, finish_topk
from kaiwa.retrieve.search.query_postings import QueryPostings, top_documents
from kaiwa.retrieve.search.shard_merging import NO_PAIRS, Pairs, floor_of, merged, pairs_of
from kaiwa.retrieve.search.topk import TopK, ranked
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.document_texts import Numbers
    from kaiwa.retrieve.index.inverted_index import Links

TOP_POSTS = 64
MIN_COMMENTS = 64


class Place(NamedTuple):
    """Where a search looks: a shard's postings of the query's terms, its links, post scores and numbers."""

    postings: QueryPostings  # of the comments
    links: Links
    post_scores: FloatArray
    comment_numbers: Numbers
    post_numbers: Numbers


@kernel
def best_pairs(k: int, place: Place) -> Pairs:
    """The k best pairs of the only shard."""
    floor = Floor(0.0, 0)
    return finished_pairs(NO_PAIRS, k, place, _begun(k, place, TOP_POSTS, floor))


@kernel
def begun_pairs(found: Pairs, k: int, place: Place) -> tuple[Pairs, Begun]:
    """The k best pairs of the shards before and of this one's best posts; and its search, to be finished.

    The worst pair of the shards before is the floor of the search.
    """
    begun = _begun(k, place, TOP_POSTS, floor_of(found, k, place.comment_numbers))
    return _with_shard(found, k, place, begun.topk), begun


@kernel
def finished_pairs(found: Pairs, k: int, place: Place, begun: Begun) -> Pairs:
    """The k best pairs, with all of this shard, with as many top posts as its search needs to be exact."""
    floor, count = floor_of(found, k, place.comment_numbers), TOP_POSTS
    while not finish_topk(begun, place.postings, place.links, place.post_scores, floor):
        count *= 8
        begun = _begun(k, place, count, floor)
    return _with_shard(found, k, place, begun.topk)


@kernel
def _begun(k: int, place: Place, count: int, floor: Floor) -> Begun:
    """The pairs of a shard's best posts: those that reach the floor, or if they are many or there is none, the best.

    Comments of posts below the threshold are scored only if there is no floor yet: they give the first threshold.
    """
    posts, others = _posts_above(place.post_scores, count, floor.score)
    if floor.score <= 0 or len(posts) > count:
        top = top_documents(place.post_scores, count)
        posts, others = top.comments[: top.size[0]], top.threshold[0]
    posts = posts[ranked(place.post_scores[posts], posts)[:count]]
    least = 0 if floor.score > 0 else MIN_COMMENTS
    return begun_topk(k, place.postings, place.links, place.post_scores, posts, others, least, floor)


@kernel
def _posts_above(scores: FloatArray, most: int, floor: float) -> tuple[IntArray, float]:
    """The posts that reach a floor above 0, or one more than ``most``; and the score that no other post exceeds."""
    posts, size, others = np.empty(most + 1, dtype=np.int64), 0, 0.0
    if floor > 0:
        for post in range(len(scores)):
            if scores[post] < floor:
                others = max(others, scores[post])
            elif size <= most:
                posts[size] = post
                size += 1
    return posts[:size], others


@kernel
def _with_shard(found: Pairs, k: int, place: Place, topk: TopK) -> Pairs:
    if not topk.size[0]:
        return found
    return merged(found, pairs_of(topk, place.post_scores, place.comment_numbers, place.post_numbers), k)
