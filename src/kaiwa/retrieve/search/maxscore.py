"""Postings walked window by window, terms too weak to matter looked up only where they could decide.

MaxScore (Turtle and Flood 1995) in windows: the terms whose peaks, together and with the best unopened
post, cannot reach the worst of the k best are optional; the others are summed over a window of
documents, and only sums that can still win are completed with the optional terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.search.query_postings import Lists, added, norm_of
from kaiwa.retrieve.search.topk import Best, enters, holds, push, raise_floor
from kaiwa.retrieve.search.window import WINDOW, Window, complete_window, new_window, sum_window
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.retrieve.index.postings import Links

NO_POST_YET = -1  # where posts do not count, only the winners' are looked up
_NEARLY = 1 - 1e-12  # so that rounding drops no document that ties with the floor
_BINS = 1 << 10
_FULL = 5 / 8  # of the room for pairs: when more is taken between two windows, the floor is raised


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
def walk(lists: Lists, links: Links, post_scores: FloatArray, bound: float, best: Best) -> None:
    """Add every pair that may be among the best, no unopened post scoring above ``bound``."""
    terms = len(lists.slices)
    comments = len(links.comment_starts) - 1
    window = new_window(lists)
    start = head_start(lists, len(best.scores) // 2)
    if start > best.floor[0]:
        best.floor[0], best.floor_comment[0] = start, comments
    base = 0
    while base < comments:
        if best.size[0] > len(best.scores) * _FULL:
            raise_floor(best)
        optional = optional_terms(window.ceilings, bound, best.floor[0])
        nearest = comments
        for term in range(optional, terms):
            if window.cursors[term] < lists.slices[term, 1]:
                nearest = min(nearest, int(lists.docs[window.cursors[term]]))
        if nearest == comments:
            break
        base = nearest // WINDOW * WINDOW
        needed = best.floor[0] * _NEARLY - bound
        touched = sum_window(lists, window, base, optional, needed, comments)
        touched = complete_window(lists, window, base, optional, touched, needed)
        take_window(lists, window, base, touched, links, post_scores, bound, best)
        base += WINDOW


@kernel
def head_start(lists: Lists, k: int) -> float:
    """A score that k comments reach by one of their terms alone; 0 when no term is in so many."""
    start = 0.0
    bins = np.zeros(_BINS + 1, dtype=np.int64)
    for term in range(len(lists.slices) - 1, -1, -1):
        low, high = lists.slices[term, 0], lists.slices[term, 1]
        if lists.peaks[term] <= start:
            break
        if high - low >= k:
            scale = _BINS / lists.peaks[term]
            bins[:] = 0
            for at in range(low, high):
                bins[int(added(lists, term, at) * norm_of(lists, int(lists.docs[at])) * scale)] += 1
            place = _BINS
            above = bins[place]
            while above < k:
                place -= 1
                above += bins[place]
            start = max(start, place / scale)
    return start * _NEARLY - 1.0


@kernel
def optional_terms(ceilings: FloatArray, bound: float, floor: float) -> int:
    """How many of the weakest terms cannot, together and with the best unopened post, reach the floor."""
    count = 0
    while count + 1 < len(ceilings) and ceilings[count + 1] + bound < floor:
        count += 1
    return count


@kernel
def take_window(
    lists: Lists, window: Window, base: int, touched: int,
    links: Links, post_scores: FloatArray, bound: float, best: Best,
) -> None:  # fmt: skip
    """Add the documents that may be among the best, and clear their sums."""
    for step in range(touched):
        place = window.touched[step]
        comment = base + place
        own = window.sums[place] * norm_of(lists, comment)
        window.sums[place] = 0
        if own + bound < best.floor[0]:
            continue
        post = best_post(links, post_scores, comment) if len(post_scores) else NO_POST_YET
        beside = post_scores[post] if len(post_scores) else 0.0
        if not enters(best, own + beside, comment):
            continue
        if beside > 0.0 and beside >= bound and holds(best, comment):
            continue
        push(best, own + beside, comment, post)
