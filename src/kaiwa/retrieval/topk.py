"""The k best pairs so far: by score, and among equal scores by the comment's id.

Up to 2k pairs are kept, unsorted. When the buffer is full, the k best are moved to the front and the others dropped;
the worst of these k is the threshold that a further pair must beat. This takes a few steps per pair for any k; a
heap takes log k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray


class TopK(NamedTuple):
    """Pairs as three arrays; their number; the score and the comment of the threshold (arrays of one number each)."""

    scores: FloatArray
    comments: IntArray
    posts: IntArray
    size: IntArray
    threshold: FloatArray
    threshold_comment: IntArray


@kernel
def empty_topk(k: int) -> TopK:
    """A buffer for the k best pairs with scores above zero."""
    comments, posts = np.empty(2 * k, dtype=np.int64), np.empty(2 * k, dtype=np.int64)
    size, threshold_comment = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    scores, threshold = np.empty(2 * k, dtype=np.float64), np.zeros(1, dtype=np.float64)
    return TopK(scores, comments, posts, size, threshold, threshold_comment)


@kernel
def is_worse(score: float, comment: int, other_score: float, other_comment: int) -> bool:
    """Whether the first ranks below the second; ties are broken by id, and comments are numbered by id."""
    return score < other_score or (score == other_score and comment > other_comment)


@kernel
def enters(topk: TopK, score: float, comment: int) -> bool:
    """Whether the pair may be among the k best."""
    return is_worse(topk.threshold[0], topk.threshold_comment[0], score, comment)


@kernel
def push(topk: TopK, score: float, comment: int, post: int) -> None:
    """Add a pair that enters."""
    put(topk, topk.size[0], score, comment, post)
    topk.size[0] += 1
    if topk.size[0] == len(topk.scores):
        raise_threshold(topk)


@kernel
def contains(topk: TopK, comment: int) -> bool:
    """Whether the comment is among the pairs kept."""
    for place in range(topk.size[0]):  # noqa: SIM110  compiled code has no generators
        if topk.comments[place] == comment:
            return True
    return False


@kernel
def raise_threshold(topk: TopK) -> None:
    """Drop all but the k best, if there are more than k; the worst of them is the threshold, unless that was higher."""
    k = len(topk.scores) // 2
    if topk.size[0] < k:
        return
    low, high = 0, topk.size[0] - 1
    while low < high:  # Hoare's selection: the (k - 1)th from the best is brought to its place
        middle = (low + high) >> 1
        score, comment = topk.scores[middle], topk.comments[middle]
        left, right = low, high
        while left <= right:
            while is_worse(score, comment, topk.scores[left], topk.comments[left]):
                left += 1
            while is_worse(topk.scores[right], topk.comments[right], score, comment):
                right -= 1
            if left <= right:
                swap(topk, left, right)
                left, right = left + 1, right - 1
        if k - 1 <= right:
            high = right
        elif k - 1 >= left:
            low = left
        else:
            break
    topk.size[0] = k
    if enters(topk, topk.scores[k - 1], topk.comments[k - 1]):
        topk.threshold[0], topk.threshold_comment[0] = topk.scores[k - 1], topk.comments[k - 1]


@kernel
def put(topk: TopK, place: int, score: float, comment: int, post: int) -> None:
    """Write the pair at a place."""
    topk.scores[place] = score
    topk.comments[place] = comment
    topk.posts[place] = post


@kernel
def swap(topk: TopK, one: int, other: int) -> None:
    """Exchange two pairs."""
    score, comment, post = topk.scores[one], topk.comments[one], topk.posts[one]
    put(topk, one, topk.scores[other], topk.comments[other], topk.posts[other])
    put(topk, other, score, comment, post)


@kernel
def ranked(scores: FloatArray, comments: IntArray) -> IntArray:
    """The places of pairs in rank order: by score, and among equal scores by the comment's id."""
    by_id = np.argsort(comments, kind="mergesort")
    return by_id[np.argsort(-scores[by_id], kind="mergesort")]


def best_first(topk: TopK) -> tuple[FloatArray, IntArray, IntArray]:
    """The scores, comments and posts of the k best, or of all if fewer, in rank order."""
    size, k = topk.size[0], len(topk.scores) // 2
    order = np.lexsort((topk.comments[:size], -topk.scores[:size]))[:k]
    return topk.scores[order], topk.comments[order], topk.posts[order]
