"""Postings walked window by window, terms too weak to matter looked up only where they could decide.

MaxScore (Turtle and Flood 1995) in windows: the terms whose peaks, together and with the best unopened
post, cannot reach the worst of the k best are optional; the others are summed over a window of
documents, and only sums that can still win are completed with the optional terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.heap import Heap, enters, floor_of, holds, push
from kaiwa.retrieve.kernel import kernel
from kaiwa.retrieve.lists import Lists, added, find, gallop, norm_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model import FloatArray, IntArray

WINDOW = 1 << 14


class Links(NamedTuple):
    """Which comment stood under which post, from either side."""

    post_starts: NDArray[np.uint32]
    post_comments: NDArray[np.uint32]
    comment_starts: NDArray[np.uint32]
    comment_posts: NDArray[np.uint32]


class Window(NamedTuple):
    """The work space of one window: sums of its documents, those touched, and where each term's list stands."""

    sums: IntArray
    touched: IntArray
    cursors: IntArray
    placed: IntArray  # per term: the window its cursor was last moved to
    ceilings: FloatArray  # per number of weakest terms: the most they can add together


@kernel
def best_post(links: Links, post_scores: FloatArray, comment: int) -> int:
    """The comment's post with the highest score, the first by id among equals."""
    first = links.comment_starts[comment]
    best = int(links.comment_posts[first])
    if len(post_scores):
        for at in range(first + 1, links.comment_starts[comment + 1]):
            if post_scores[links.comment_posts[at]] > post_scores[best]:
                best = int(links.comment_posts[at])
    return best


@kernel
def walk(lists: Lists, links: Links, post_scores: FloatArray, bound: float, heap: Heap, size: int) -> int:
    """Put every pair that belongs there on the heap, no unopened post scoring above ``bound``; its new size."""
    terms = len(lists.slices)
    comments = len(links.comment_starts) - 1
    window = new_window(lists)
    base = 0
    while base < comments:
        optional = optional_terms(window.ceilings, bound, floor_of(heap, size))
        nearest = comments
        for term in range(optional, terms):
            if window.cursors[term] < lists.slices[term, 1]:
                nearest = min(nearest, int(lists.docs[window.cursors[term]]))
        if nearest == comments:
            break
        base = nearest // WINDOW * WINDOW
        touched = sum_window(lists, window, base, optional)
        size = take_window(lists, window, base, optional, touched, links, post_scores, bound, heap, size)
        base += WINDOW
    return size


@kernel
def new_window(lists: Lists) -> Window:
    """An empty window before the first document."""
    terms = len(lists.slices)
    ceilings = np.zeros(terms + 1, dtype=np.float64)
    for term in range(terms):
        ceilings[term + 1] = ceilings[term] + lists.peaks[term]
    sums, touched = np.zeros(WINDOW, dtype=np.int64), np.zeros(WINDOW + 1, dtype=np.int64)
    return Window(sums, touched, lists.slices[:, 0].copy(), np.full(terms, -1, dtype=np.int64), ceilings)


@kernel
def optional_terms(ceilings: FloatArray, bound: float, floor: float) -> int:
    """How many of the weakest terms cannot, together and with the best unopened post, reach the floor."""
    count = 0
    while count + 1 < len(ceilings) and ceilings[count + 1] + bound < floor:
        count += 1
    return count


@kernel
def sum_window(lists: Lists, window: Window, base: int, optional: int) -> int:
    """Add up the postings of the terms that are not optional; how many documents they touch."""
    count = 0
    for term in range(optional, len(lists.slices)):
        weight = lists.weights[term]
        stop = lists.slices[term, 1]
        at = window.cursors[term]
        while at < stop and lists.docs[at] < base + WINDOW:
            place = lists.docs[at] - base
            window.touched[count] = place
            count += window.sums[place] == 0
            window.sums[place] += np.int64(weight * lists.by_shape[lists.shapes[at]])
            at += 1
        window.cursors[term] = at
    return count


@kernel
def take_window(
    lists: Lists, window: Window, base: int, optional: int, touched: int,
    links: Links, post_scores: FloatArray, bound: float, heap: Heap, size: int,
) -> int:  # fmt: skip
    """Put the touched documents that belong there on the heap, and clear their sums; the heap's new size."""
    for step in range(touched):
        place = window.touched[step]
        total = window.sums[place]
        window.sums[place] = 0
        comment = base + place
        norm = norm_of(lists, comment)
        if total * norm + window.ceilings[optional] + bound < floor_of(heap, size):
            continue
        total = completed(lists, window, base, optional, comment, total, norm, floor_of(heap, size) - bound)
        if total < 0:
            continue
        post = best_post(links, post_scores, comment)
        beside = post_scores[post] if len(post_scores) else 0.0
        score = total * norm + beside
        if not enters(heap, size, score, comment) or (beside > 0.0 and beside >= bound and holds(heap, size, comment)):
            continue
        size = push(heap, size, score, comment, post)
    return size


@kernel
def completed(
    lists: Lists, window: Window, base: int, optional: int, comment: int, total: int, norm: float, needed: float
) -> int:
    """The document's sum with the optional terms, strongest first; -1 as soon as it cannot reach what is needed."""
    for term in range(optional - 1, -1, -1):
        if total * norm + window.ceilings[term + 1] < needed:
            return -1
        stop = lists.slices[term, 1]
        if window.placed[term] != base:
            window.cursors[term] = gallop(lists.docs, window.cursors[term], stop, base)
            window.placed[term] = base
        at = find(lists.docs, window.cursors[term], min(window.cursors[term] + WINDOW, stop), comment)
        if at < stop and lists.docs[at] == comment:
            total += added(lists, term, at)
    return total
