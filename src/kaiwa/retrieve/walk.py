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
NO_POST_YET = -1  # where posts do not count, only the winners' are looked up
_NEARLY = 1 - 1e-12  # so that rounding drops no document that ties with the floor
_SEARCH_COST = 8  # looking a document up costs about as much as walking over this many postings


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
        needed = floor_of(heap, size) * _NEARLY - bound
        touched = complete_window(lists, window, base, optional, touched, needed)
        size = take_window(lists, window, base, touched, links, post_scores, bound, heap, size)
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
    return Window(sums, touched, lists.slices[:, 0].copy(), ceilings)


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
def complete_window(lists: Lists, window: Window, base: int, optional: int, touched: int, needed: float) -> int:
    """Add the optional terms, strongest first, to the sums that can still reach what is needed; how many can."""
    for term in range(optional - 1, -1, -1):
        touched = drop_hopeless(lists, window, base, touched, needed - window.ceilings[term + 1])
        if not touched:
            break
        stop = lists.slices[term, 1]
        low = gallop(lists.docs, window.cursors[term], stop, base)
        high = gallop(lists.docs, low, stop, base + WINDOW)
        window.cursors[term] = low
        if high - low < _SEARCH_COST * touched:
            add_all(lists, window, base, term, low, high)
        else:
            add_found(lists, window, base, term, low, high, touched)
    return drop_hopeless(lists, window, base, touched, needed)


@kernel
def drop_hopeless(lists: Lists, window: Window, base: int, touched: int, needed: float) -> int:
    """Keep the documents whose sums reach what is needed, clear the others' sums; how many are kept."""
    kept = 0
    for step in range(touched):
        place = window.touched[step]
        if window.sums[place] * norm_of(lists, base + place) >= needed:
            window.touched[kept] = place
            kept += 1
        else:
            window.sums[place] = 0
    return kept


@kernel
def add_all(lists: Lists, window: Window, base: int, term: int, low: int, high: int) -> None:
    """Walk a term's postings in the window and add those whose documents are still in play."""
    for at in range(low, high):
        place = lists.docs[at] - base
        if window.sums[place]:
            window.sums[place] += added(lists, term, at)


@kernel
def add_found(lists: Lists, window: Window, base: int, term: int, low: int, high: int, touched: int) -> None:
    """Look each document still in play up in a term's postings."""
    for step in range(touched):
        place = window.touched[step]
        at = find(lists.docs, low, high, base + place)
        if at < high and lists.docs[at] == base + place:
            window.sums[place] += added(lists, term, at)


@kernel
def take_window(
    lists: Lists, window: Window, base: int, touched: int,
    links: Links, post_scores: FloatArray, bound: float, heap: Heap, size: int,
) -> int:  # fmt: skip
    """Put the documents that belong there on the heap, and clear their sums; the heap's new size."""
    for step in range(touched):
        place = window.touched[step]
        comment = base + place
        own = window.sums[place] * norm_of(lists, comment)
        window.sums[place] = 0
        if own + bound < floor_of(heap, size):
            continue
        post = best_post(links, post_scores, comment) if len(post_scores) else NO_POST_YET
        beside = post_scores[post] if len(post_scores) else 0.0
        if not enters(heap, size, own + beside, comment):
            continue
        if beside > 0.0 and beside >= bound and holds(heap, size, comment):
            continue
        size = push(heap, size, own + beside, comment, post)
    return size
