"""The best pairs of the shards merged into those of the index, exactly (decision 093).

A comment of several posts can be in several shards. Each shard finds it with the best of its posts there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.joint_topk import Floor

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.inverted_index import Shard, ShardSide
    from kaiwa.retrieve.search.topk import TopK


class Pairs(NamedTuple):
    """Pairs by their numbers in the whole index, with their scores and the part of it that is the post's."""

    scores: FloatArray
    comments: IntArray
    posts: IntArray
    post_scores: FloatArray

    def at(self, places: IntArray) -> Pairs:
        """The pairs at these places."""
        return Pairs(self.scores[places], self.comments[places], self.posts[places], self.post_scores[places])


NO_PAIRS = Pairs(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


def pairs_of(topk: TopK, shard: Shard, post_scores: FloatArray) -> Pairs:
    """The pairs that a shard found; ``post_scores`` are those of its posts, none if posts have no scores."""
    size = topk.size[0]
    scores, comments, posts = topk.scores[:size], topk.comments[:size], topk.posts[:size]
    by_post = post_scores[posts] if len(post_scores) else np.zeros(size)
    return Pairs(scores, shard.comments.in_index(comments), shard.posts.in_index(posts), by_post)


def merged(found: Pairs, others: Pairs, k: int) -> Pairs:
    """The k best comments of both, best first; a comment of both with its best post, the first by id among equals.

    Its own score is the same in both, so the better pair is the one whose post has the higher score.

    >>> one = Pairs(np.array([5.0, 3.0]), np.array([7, 2]), np.array([9, 4]), np.array([1.0, 1.0]))
    >>> other = Pairs(np.array([5.0, 4.0]), np.array([7, 2]), np.array([3, 5]), np.array([1.0, 2.0]))
    >>> merged(one, other, 2).posts
    array([3, 5])
    """
    if not len(others.scores):
        return found
    both = others
    if len(found.scores):
        both = Pairs(*(np.concatenate(parts) for parts in zip(found, others, strict=True)))
        order = np.lexsort((both.posts, -both.post_scores, both.comments))
        comments = both.comments[order]
        both = both.at(order[np.concatenate(([True], comments[1:] != comments[:-1]))])
    return both.at(np.lexsort((both.comments, -both.scores))[:k])


def floor_of(found: Pairs, k: int, side: ShardSide) -> Floor:
    """What a comment of the next shard must reach: the worst of the k best so far; 0 if they are fewer.

    The worst comment itself reaches it, because the shard may have a post of it with a smaller id.
    """
    if len(found.scores) < k or side.numbers is None:
        return Floor(0.0, 0)
    last = int(np.searchsorted(side.numbers, np.uint32(found.comments[k - 1]), side="right"))
    return Floor(float(found.scores[k - 1]), last)
