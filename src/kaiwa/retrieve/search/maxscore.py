"""MaxScore search (Turtle and Flood 1995) over the postings of the comments, window by window.

Terms whose peaks, together and with the best unexpanded post, cannot reach the threshold are optional. The postings of
the other terms are summed over a window of documents, and only sums that can still reach the top k are completed with
the optional terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.search.query_postings import QueryPostings, contribution, norm_of
from kaiwa.retrieve.search.topk import TopK, contains, enters, push, raise_threshold
from kaiwa.retrieve.search.window import WINDOW, Window, complete_window, new_window, sum_window
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.retrieve.index.inverted_index import Links

UNKNOWN_POST = -1  # if posts have no scores, only those of the final pairs are looked up
_NEARLY = 1 - 1e-12  # so that rounding drops no document that ties with the threshold
_BINS = 1 << 10
_FULL = 5 / 8  # of the buffer of pairs: if more is used after a window, the threshold is raised


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
def maxscore_search(postings: QueryPostings, links: Links, post_scores: FloatArray, bound: float, topk: TopK) -> None:
    """Add every pair that may be among the k best; no unexpanded post scores above ``bound``."""
    terms = len(postings.slices)
    comments = len(links.comment_starts) - 1
    window = new_window(postings)
    start = initial_threshold(postings, len(topk.scores) // 2, topk.threshold[0])
    if start > topk.threshold[0]:
        topk.threshold[0], topk.threshold_comment[0] = start, comments
    base = 0
    while base < comments:
        if topk.size[0] > len(topk.scores) * _FULL:
            raise_threshold(topk)
        optional = optional_terms(window.peak_sums, bound, topk.threshold[0])
        nearest = comments
        for term in range(optional, terms):
            if window.cursors[term] < postings.slices[term, 1]:
                nearest = min(nearest, int(postings.docs[window.cursors[term]]))
        if nearest == comments:
            break
        base = nearest // WINDOW * WINDOW
        needed = topk.threshold[0] * _NEARLY - bound
        touched = sum_window(postings, window, base, optional, needed, comments)
        touched = complete_window(postings, window, base, optional, touched, needed)
        collect_window(postings, window, base, touched, links, post_scores, bound, topk)
        base += WINDOW


@kernel
def initial_threshold(postings: QueryPostings, k: int, start: float) -> float:
    """A score that k comments reach by one of their terms alone; below ``start`` if no term gives k comments more."""
    bins = np.zeros(_BINS + 1, dtype=np.int64)
    for term in range(len(postings.slices) - 1, -1, -1):
        low, high = postings.slices[term, 0], postings.slices[term, 1]
        if postings.peaks[term] <= start:
            break
        if high - low >= k:
            scale = _BINS / postings.peaks[term]
            bins[:] = 0
            for at in range(low, high):
                share = contribution(postings, term, at) * norm_of(postings, int(postings.docs[at]))
                bins[int(share * scale)] += 1
            place = _BINS
            above = bins[place]
            while above < k:
                place -= 1
                above += bins[place]
            start = max(start, place / scale)
    return start * _NEARLY - 1.0


@kernel
def optional_terms(peak_sums: FloatArray, bound: float, threshold: float) -> int:
    """The number of terms, lowest peaks first, that together with the best unexpanded post stay below the threshold."""
    count = 0
    while count + 1 < len(peak_sums) and peak_sums[count + 1] + bound < threshold:
        count += 1
    return count


@kernel
def collect_window(
    postings: QueryPostings, window: Window, base: int, touched: int,
    links: Links, post_scores: FloatArray, bound: float, topk: TopK,
) -> None:  # fmt: skip
    """Add the documents that may be among the k best, and clear their sums."""
    for step in range(touched):
        place = window.touched[step]
        comment = base + place
        own = window.sums[place] * norm_of(postings, comment)
        window.sums[place] = 0
        if own + bound < topk.threshold[0]:
            continue
        post = best_post(links, post_scores, comment) if len(post_scores) else UNKNOWN_POST
        post_score = post_scores[post] if len(post_scores) else 0.0
        if not enters(topk, own + post_score, comment):
            continue
        if post_score > 0.0 and post_score >= bound and contains(topk, comment):
            continue
        push(topk, own + post_score, comment, post)
