"""The best pairs by the sum of two similarities, over all pairs, exactly.

score(query, pair) = S(query, post) + S(query, comment), each side already weighted. Q2C is the case
without post scores, Q2P the case without comment terms. Nothing is missed (docs/decisions/041): the best
posts are opened and all their comments scored in full; any other pair has at most ``bound`` from its
post, and the walk over the comments' postings finds every one whose comment brings the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.retrieve.heap import Heap, empty_heap, enters, floor_of, holds, push, put_best_first
from kaiwa.retrieve.kernel import kernel
from kaiwa.retrieve.lists import Lists, score_of
from kaiwa.retrieve.walk import NO_POST_YET, Links, best_post, walk

if TYPE_CHECKING:
    from kaiwa.model import FloatArray, IntArray


@kernel
def best_pairs(
    k: int, lists: Lists, links: Links, post_scores: FloatArray, opened: IntArray, rest: float, patience: int
) -> tuple[Heap, bool]:
    """The k best pairs, one for each comment, best first; and False when more posts must be opened to be sure.

    ``lists`` are the comments' postings; ``opened`` the best posts, best first, no other scoring above ``rest``.
    """
    heap = empty_heap(k)
    size = 0
    bound = rest
    tried = 0
    for place in range(len(opened)):
        if post_scores[opened[place]] < floor_of(heap, size) and tried >= patience:
            bound = post_scores[opened[place]]
            break
        size = open_post(opened[place], lists, links, post_scores, heap, size)
        tried += links.post_starts[opened[place] + 1] - links.post_starts[opened[place]]
    sure = bound == 0.0 or bound < floor_of(heap, size)
    if sure:
        size = walk(lists, links, post_scores, bound, heap, size)
    put_best_first(heap, size)
    for place in range(size):
        if heap.posts[place] == NO_POST_YET:
            heap.posts[place] = best_post(links, post_scores, heap.comments[place])
    return Heap(heap.scores[:size], heap.comments[:size], heap.posts[:size]), sure


@kernel
def open_post(post: int, lists: Lists, links: Links, post_scores: FloatArray, heap: Heap, size: int) -> int:
    """Score all comments of a post in full, each with its best post; the heap's new size."""
    for at in range(links.post_starts[post], links.post_starts[post + 1]):
        comment = int(links.post_comments[at])
        best = best_post(links, post_scores, comment)
        score = score_of(lists, comment) + post_scores[best]
        if enters(heap, size, score, comment) and not holds(heap, size, comment):
            size = push(heap, size, score, comment, best)
    return size
