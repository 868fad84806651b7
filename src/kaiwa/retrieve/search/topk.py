"""The k best pairs so far: by score, and among equals by the comment's id.

Twice as many are kept as wanted, in no order. When there is no room left, the k best are moved to the front and the
rest forgotten; the worst of those k is then the floor that a pair must beat. That costs a few steps a pair, where a
heap would cost the logarithm of k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray


class Best(NamedTuple):
    """Pairs as three arrays; how many there are; and the score and comment of the floor, one number each."""

    scores: FloatArray
    comments: IntArray
    posts: IntArray
    size: IntArray
    floor: FloatArray
    floor_comment: IntArray


@kernel
def none_yet(k: int) -> Best:
    """Room for the k best pairs with scores above zero."""
    comments, posts = np.empty(2 * k, dtype=np.int64), np.empty(2 * k, dtype=np.int64)
    size, floor_comment = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Best(np.empty(2 * k, dtype=np.float64), comments, posts, size, np.zeros(1, dtype=np.float64), floor_comment)


@kernel
def is_worse(score: float, comment: int, other_score: float, other_comment: int) -> bool:
    """Whether the first ranks below the second; ties are broken by id, and comments are numbered by id."""
    return score < other_score or (score == other_score and comment > other_comment)


@kernel
def enters(best: Best, score: float, comment: int) -> bool:
    """Whether the pair may be among the k best."""
    return is_worse(best.floor[0], best.floor_comment[0], score, comment)


@kernel
def push(best: Best, score: float, comment: int, post: int) -> None:
    """Add a pair that enters."""
    put(best, best.size[0], score, comment, post)
    best.size[0] += 1
    if best.size[0] == len(best.scores):
        raise_floor(best)


@kernel
def holds(best: Best, comment: int) -> bool:
    """Whether the comment is among the pairs kept."""
    for place in range(best.size[0]):  # noqa: SIM110  compiled code has no generators
        if best.comments[place] == comment:
            return True
    return False


@kernel
def raise_floor(best: Best) -> None:
    """Forget all but the k best, when there are so many; the worst of them is the floor, unless it was higher."""
    k = len(best.scores) // 2
    if best.size[0] < k:
        return
    low, high = 0, best.size[0] - 1
    while low < high:  # Hoare's selection: the (k - 1)th from the best is brought to its place
        middle = (low + high) >> 1
        score, comment = best.scores[middle], best.comments[middle]
        left, right = low, high
        while left <= right:
            while is_worse(score, comment, best.scores[left], best.comments[left]):
                left += 1
            while is_worse(best.scores[right], best.comments[right], score, comment):
                right -= 1
            if left <= right:
                swap(best, left, right)
                left, right = left + 1, right - 1
        if k - 1 <= right:
            high = right
        elif k - 1 >= left:
            low = left
        else:
            break
    best.size[0] = k
    if enters(best, best.scores[k - 1], best.comments[k - 1]):
        best.floor[0], best.floor_comment[0] = best.scores[k - 1], best.comments[k - 1]


@kernel
def put(best: Best, place: int, score: float, comment: int, post: int) -> None:
    """Write the pair at a place."""
    best.scores[place] = score
    best.comments[place] = comment
    best.posts[place] = post


@kernel
def swap(best: Best, one: int, other: int) -> None:
    """Let two pairs change places."""
    score, comment, post = best.scores[one], best.comments[one], best.posts[one]
    put(best, one, best.scores[other], best.comments[other], best.posts[other])
    put(best, other, score, comment, post)


def best_first(best: Best) -> tuple[FloatArray, IntArray, IntArray]:
    """The scores, comments and posts of the k best, or of as many as there are."""
    size, k = best.size[0], len(best.scores) // 2
    order = np.lexsort((best.comments[:size], -best.scores[:size]))[:k]
    return best.scores[order], best.comments[order], best.posts[order]
