"""A window of documents: the postings of a query's terms in it, summed in the processor's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.query_postings import Lists, added, find, gallop, norm_of
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

WINDOW = 1 << 14
_SCAN_COST = 5  # looking at every place of a window costs as much as noting every fifth as touched
_SEARCH_COST = 8  # looking a document up costs about as much as walking over this many postings


class Window(NamedTuple):
    """The work space of one window: sums of its documents, those touched, where each term's list stands and ends."""

    sums: IntArray
    touched: NDArray[np.int32]
    cursors: IntArray
    ends: IntArray
    ceilings: FloatArray  # per number of weakest terms: the most they can add together


@kernel
def new_window(lists: Lists) -> Window:
    """An empty window before the first document."""
    terms = len(lists.slices)
    ceilings = np.zeros(terms + 1, dtype=np.float64)
    for term in range(terms):
        ceilings[term + 1] = ceilings[term] + lists.peaks[term]
    sums, touched = np.zeros(WINDOW, dtype=np.int64), np.zeros(WINDOW + 1, dtype=np.int32)
    return Window(sums, touched, lists.slices[:, 0].copy(), lists.slices[:, 0].copy(), ceilings)


@kernel
def sum_window(lists: Lists, window: Window, base: int, optional: int, needed: float, comments: int) -> int:
    """Add up the postings of the terms that are not optional; how many documents are touched and not yet hopeless."""
    postings = 0
    for term in range(optional, len(lists.slices)):
        window.ends[term] = gallop(lists.docs, window.cursors[term], lists.slices[term, 1], base + WINDOW)
        postings += window.ends[term] - window.cursors[term]
    if postings * _SCAN_COST > WINDOW:
        sum_all(lists, window, base, optional)
        return scan(lists, window, base, min(comments - base, WINDOW), needed - window.ceilings[optional])
    return sum_touched(lists, window, base, optional)


@kernel
def sum_all(lists: Lists, window: Window, base: int, optional: int) -> None:
    """Add up many postings, without a note of the documents they touch."""
    for term in range(optional, len(lists.slices)):
        weight = lists.weights[term]
        for at in range(window.cursors[term], window.ends[term]):
            window.sums[lists.docs[at] - base] += np.int64(weight * lists.by_shape[lists.shapes[at]])
        window.cursors[term] = window.ends[term]


@kernel
def scan(lists: Lists, window: Window, base: int, size: int, needed: float) -> int:
    """Find the documents whose sums reach what is needed, clear the others' sums; how many there are."""
    count = 0
    for place in range(size):
        total = window.sums[place]
        reaches = (total > 0) & (total * norm_of(lists, base + place) >= needed)
        window.sums[place] = total if reaches else 0
        window.touched[count] = place
        count += reaches
    return count


@kernel
def sum_touched(lists: Lists, window: Window, base: int, optional: int) -> int:
    """Add up a few postings; how many documents they touch."""
    count = 0
    for term in range(optional, len(lists.slices)):
        weight = lists.weights[term]
        for at in range(window.cursors[term], window.ends[term]):
            place = lists.docs[at] - base
            window.touched[count] = place
            count += window.sums[place] == 0
            window.sums[place] += np.int64(weight * lists.by_shape[lists.shapes[at]])
        window.cursors[term] = window.ends[term]
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
        total = window.sums[place]
        reaches = total * norm_of(lists, base + place) >= needed
        window.sums[place] = total if reaches else 0
        window.touched[kept] = place
        kept += reaches
    return kept


@kernel
def add_all(lists: Lists, window: Window, base: int, term: int, low: int, high: int) -> None:
    """Walk a term's postings in the window and add those whose documents are still in play."""
    for at in range(low, high):
        place = lists.docs[at] - base
        total = window.sums[place]
        window.sums[place] = total + added(lists, term, at) if total else 0


@kernel
def add_found(lists: Lists, window: Window, base: int, term: int, low: int, high: int, touched: int) -> None:
    """Look each document still in play up in a term's postings."""
    for step in range(touched):
        place = window.touched[step]
        at = find(lists.docs, low, high, base + place)
        if at < high and lists.docs[at] == base + place:
            window.sums[place] += added(lists, term, at)
