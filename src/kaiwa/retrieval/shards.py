"""The best pairs of the shards merged into those of the index, exactly (docs/decisions/index.md).

A comment of several posts can be in several shards. Each shard finds it with the best of its posts there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieval.maxscore import Begun, Floor, begun_topk, finish_topk
from kaiwa.retrieval.query import QueryPostings, lower_bound, top_documents
from kaiwa.retrieval.topk import TopK, ranked
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.documents import Numbers
    from kaiwa.retrieval.inverted_index import Links


class Pairs(NamedTuple):
    """Pairs by their numbers in the whole index, with their scores and the part of it that is the post's."""

    scores: FloatArray
    comments: IntArray
    posts: IntArray
    post_scores: FloatArray


NO_PAIRS = Pairs(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


@kernel
def pairs_of(topk: TopK, post_scores: FloatArray, comment_numbers: Numbers, post_numbers: Numbers) -> Pairs:
    """The pairs that a shard found; ``post_scores`` are those of its posts, none if posts have no scores.

    The numbers of its comments and posts in the index are given; none if they are the same.
    """
    size = topk.size[0]
    comments, posts, by_post = topk.comments[:size].copy(), topk.posts[:size].copy(), np.zeros(size)
    for place in range(size):
        if len(post_scores):
            by_post[place] = post_scores[posts[place]]
        if len(comment_numbers):
            comments[place] = comment_numbers[comments[place]]
        if len(post_numbers):
            posts[place] = post_numbers[posts[place]]
    return Pairs(topk.scores[:size].copy(), comments, posts, by_post)


@kernel
def merged(found: Pairs, others: Pairs, k: int) -> Pairs:
    """The k best comments of both, best first; a comment of both with its best post, the first by id among equals.

    Its own score is the same in both, so the better pair is the one whose post has the higher score.

    >>> one = Pairs(np.array([5.0, 3.0]), np.array([7, 2]), np.array([9, 4]), np.array([1.0, 1.0]))
    >>> other = Pairs(np.array([5.0, 4.0]), np.array([7, 2]), np.array([3, 5]), np.array([1.0, 2.0]))
    >>> merged(one, other, 2).posts
    array([3, 5])
    """
    scores = np.concatenate((found.scores, others.scores))
    comments = np.concatenate((found.comments, others.comments))
    posts = np.concatenate((found.posts, others.posts))
    post_scores = np.concatenate((found.post_scores, others.post_scores))
    order = ranked(scores, comments)
    order = order[~worse_copies(comments, posts, post_scores)[order]][:k]
    return Pairs(scores[order], comments[order], posts[order], post_scores[order])


@kernel
def worse_copies(comments: IntArray, posts: IntArray, post_scores: FloatArray) -> NDArray[np.bool_]:
    """Per pair: whether the same comment has a better post in another pair; a comment is in two pairs at most."""
    worse = np.zeros(len(comments), dtype=np.bool_)
    order = np.argsort(comments)
    for place in range(1, len(order)):
        one, other = order[place - 1], order[place]
        if comments[one] == comments[other]:
            is_first = posts[one] < posts[other]
            if post_scores[one] != post_scores[other]:
                is_first = post_scores[one] > post_scores[other]
            worse[other if is_first else one] = True
    return worse


@kernel
def floor_of(found: Pairs, k: int, numbers: Numbers) -> Floor:
    """What a comment of the next shard must reach: the worst of the k best so far; 0 if they are fewer.

    The worst comment itself reaches it, because the shard may have a post of it with a smaller id. ``numbers`` are
    those of the shard's comments in the index.
    """
    if len(found.scores) < k:
        return Floor(0.0, 0)
    return Floor(found.scores[k - 1], lower_bound(numbers, 0, len(numbers), found.comments[k - 1] + 1))


# The search of one shard after others, in two calls of compiled code: its best posts, then all its other comments.


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
