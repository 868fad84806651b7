"""The k best pairs so far, worst at the root: lower score, or the same score and a later comment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.kernel import kernel

if TYPE_CHECKING:
    from kaiwa.model import FloatArray, IntArray


class Heap(NamedTuple):
    """Pairs as three arrays; how many of their places are filled is kept beside them."""

    scores: FloatArray
    comments: IntArray
    posts: IntArray


@kernel
def empty_heap(k: int) -> Heap:
    """Room for k pairs."""
    return Heap(np.zeros(k, dtype=np.float64), np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.int64))


@kernel
def floor_of(heap: Heap, size: int) -> float:
    """What a pair must at least score to enter: nothing while there is room."""
    return heap.scores[0] if size == len(heap.scores) else 0.0


@kernel
def is_worse(score: float, comment: int, other_score: float, other_comment: int) -> bool:
    """Whether the first ranks below the second; ties are broken by id, and comments are numbered by id."""
    return score < other_score or (score == other_score and comment > other_comment)


@kernel
def enters(heap: Heap, size: int, score: float, comment: int) -> bool:
    """Whether the pair belongs on the heap."""
    return size < len(heap.scores) or is_worse(heap.scores[0], heap.comments[0], score, comment)


@kernel
def push(heap: Heap, size: int, score: float, comment: int, post: int) -> int:
    """Put a pair on the heap, if it belongs there; the heap's new size."""
    if size == len(heap.scores):
        if enters(heap, size, score, comment):
            put_down(heap, size, score, comment, post)
        return size
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if not is_worse(score, comment, heap.scores[above], heap.comments[above]):
            break
        move(heap, above, place)
        place = above
    put(heap, place, score, comment, post)
    return size + 1


@kernel
def put_down(heap: Heap, size: int, score: float, comment: int, post: int) -> None:
    """Put the pair in place of the root and restore the order of the first ``size``."""
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and is_worse(
            heap.scores[below + 1], heap.comments[below + 1], heap.scores[below], heap.comments[below]
        ):
            below += 1
        if not is_worse(heap.scores[below], heap.comments[below], score, comment):
            break
        move(heap, below, place)
        place = below
    put(heap, place, score, comment, post)


@kernel
def put(heap: Heap, place: int, score: float, comment: int, post: int) -> None:
    """Write the pair at a place."""
    heap.scores[place] = score
    heap.comments[place] = comment
    heap.posts[place] = post


@kernel
def move(heap: Heap, old: int, new: int) -> None:
    """Copy the pair at one place to another."""
    put(heap, new, heap.scores[old], heap.comments[old], heap.posts[old])


@kernel
def put_best_first(heap: Heap, size: int) -> None:
    """Take the worst off the root again and again, to the end of the arrays."""
    for last in range(size - 1, 0, -1):
        score, comment, post = heap.scores[last], heap.comments[last], heap.posts[last]
        move(heap, 0, last)
        put_down(heap, last, score, comment, post)


@kernel
def holds(heap: Heap, size: int, comment: int) -> bool:
    """Whether the comment is on the heap."""
    for place in range(size):  # noqa: SIM110  compiled code has no generators
        if heap.comments[place] == comment:
            return True
    return False
