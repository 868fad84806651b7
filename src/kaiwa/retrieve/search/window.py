"""A window of documents, in which the postings of a query's terms are summed in the processor's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.query_postings import QueryPostings, contribution, galloping_search, lower_bound, norm_of
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

WINDOW = 1 << 14
_SCAN_COST = 5  # scanning a window takes as long as recording a fifth of its documents as touched
_SEARCH_COST = 8  # looking up one document takes about as long as reading this many postings


class Window(NamedTuple):
    """The state of one window: the sums of its documents, those touched, and the position in each term's postings."""

    sums: IntArray
    touched: NDArray[np.int32]
    cursors: IntArray
    ends: IntArray
    peak_sums: FloatArray  # per number of terms, lowest peaks first: the maximum of their sum


@kernel
def new_window(postings: QueryPostings) -> Window:
    """An empty window before the first document."""
    terms = len(postings.slices)
    peak_sums = np.zeros(terms + 1, dtype=np.float64)
    for term in range(terms):
        peak_sums[term + 1] = peak_sums[term] + postings.peaks[term]
    sums, touched = np.zeros(WINDOW, dtype=np.int64), np.zeros(WINDOW + 1, dtype=np.int32)
    return Window(sums, touched, postings.slices[:, 0].copy(), postings.slices[:, 0].copy(), peak_sums)


@kernel
def sum_window(postings: QueryPostings, window: Window, base: int, optional: int, needed: float, comments: int) -> int:
    """Sum the postings of the terms that are not optional; the number of touched documents that may reach the top k."""
    size = 0
    for term in range(optional, len(postings.slices)):
        end = postings.slices[term, 1]
        window.ends[term] = galloping_search(postings.docs, window.cursors[term], end, base + WINDOW)
        size += window.ends[term] - window.cursors[term]
    if size * _SCAN_COST > WINDOW:
        sum_all(postings, window, base, optional)
        return scan(postings, window, base, min(comments - base, WINDOW), needed - window.peak_sums[optional])
    return sum_touched(postings, window, base, optional)


@kernel
def sum_all(postings: QueryPostings, window: Window, base: int, optional: int) -> None:
    """Sum many postings, without a record of the documents that they touch."""
    for term in range(optional, len(postings.slices)):
        weight = postings.weights[term]
        for at in range(window.cursors[term], window.ends[term]):
            window.sums[postings.docs[at] - base] += np.int64(weight * postings.by_shape[postings.shapes[at]])
        window.cursors[term] = window.ends[term]


@kernel
def scan(postings: QueryPostings, window: Window, base: int, size: int, needed: float) -> int:
    """Find the documents whose sums reach ``needed`` and clear the other sums; their number."""
    count = 0
    for place in range(size):
        total = window.sums[place]
        reaches = (total > 0) & (total * norm_of(postings, base + place) >= needed)
        window.sums[place] = total if reaches else 0
        window.touched[count] = place
        count += reaches
    return count


@kernel
def sum_touched(postings: QueryPostings, window: Window, base: int, optional: int) -> int:
    """Sum a few postings and record the documents that they touch; the number of these documents."""
    count = 0
    for term in range(optional, len(postings.slices)):
        weight = postings.weights[term]
        for at in range(window.cursors[term], window.ends[term]):
            place = postings.docs[at] - base
            window.touched[count] = place
            count += window.sums[place] == 0
            window.sums[place] += np.int64(weight * postings.by_shape[postings.shapes[at]])
        window.cursors[term] = window.ends[term]
    return count


@kernel
def complete_window(
    postings: QueryPostings, window: Window, base: int, optional: int, touched: int, needed: float
) -> int:
    """Add the optional terms, highest peaks first, to the sums that can still reach ``needed``; their number."""
    for term in range(optional - 1, -1, -1):
        touched = keep_reaching(postings, window, base, touched, needed - window.peak_sums[term + 1])
        if not touched:
            break
        stop = postings.slices[term, 1]
        low = galloping_search(postings.docs, window.cursors[term], stop, base)
        high = galloping_search(postings.docs, low, stop, base + WINDOW)
        window.cursors[term] = low
        if high - low < _SEARCH_COST * touched:
            add_all(postings, window, base, term, low, high)
        else:
            add_found(postings, window, base, term, low, high, touched)
    return keep_reaching(postings, window, base, touched, needed)


@kernel
def keep_reaching(postings: QueryPostings, window: Window, base: int, touched: int, needed: float) -> int:
    """Keep the touched documents whose sums reach ``needed`` and clear the other sums; the number kept."""
    kept = 0
    for step in range(touched):
        place = window.touched[step]
        total = window.sums[place]
        reaches = total * norm_of(postings, base + place) >= needed
        window.sums[place] = total if reaches else 0
        window.touched[kept] = place
        kept += reaches
    return kept


@kernel
def add_all(postings: QueryPostings, window: Window, base: int, term: int, low: int, high: int) -> None:
    """Read all postings of a term in the window and add those of the documents that are kept."""
    for at in range(low, high):
        place = postings.docs[at] - base
        total = window.sums[place]
        window.sums[place] = total + contribution(postings, term, at) if total else 0


@kernel
def add_found(postings: QueryPostings, window: Window, base: int, term: int, low: int, high: int, touched: int) -> None:
    """Look up each kept document in the postings of a term, and add what is found."""
    for step in range(touched):
        place = window.touched[step]
        at = lower_bound(postings.docs, low, high, base + place)
        if at < high and postings.docs[at] == base + place:
            window.sums[place] += contribution(postings, term, at)
