"""The best pairs of the shards merged into those of the index, exactly (decision 093).

A comment of several posts can be in several shards. Each shard finds it with the best of its posts there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.joint_topk import Floor
from kaiwa.retrieve.search.query_postings import lower_bound
from kaiwa.retrieve.search.topk import TopK, ranked
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.document_texts import Numbers


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
