"""MaxScore search (Turtle and Flood 1995) over the postings of the comments, window by window.

Terms whose peaks, together and with the best unexpanded post, cannot reach the threshold are optional. The postings of
the other terms are summed over a window of documents, and only sums that can still reach the top k are completed with
the optional terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieval.query import QueryPostings, contribution, galloping_search, lower_bound, norm_of, score_of
from kaiwa.retrieval.topk import TopK, contains, empty_topk, enters, push, raise_threshold
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.inverted_index import Links


# A window of documents, in which the postings of a query's terms are summed in the processor's cache.


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


# The k best pairs by the sum of two similarities, over all pairs, exactly.


class Floor(NamedTuple):
    """What a pair must reach: a higher score, or the same score with a comment below this number."""

    score: float
    comment: int


class Begun(NamedTuple):
    """A search after its best posts: the pairs of their comments, and the score that no other post exceeds."""

    topk: TopK
    bound: float


@kernel
def begun_topk(
    k: int, postings: QueryPostings, links: Links, post_scores: FloatArray,
    top_posts: IntArray, other_posts: float, min_comments: int, floor: Floor,
) -> Begun:  # fmt: skip
    """The pairs of the best posts that reach the floor, one for each comment.

    ``postings`` are those of the comments; ``top_posts`` are the best posts, best first, no other post scores above
    ``other_posts``; at least ``min_comments`` of their comments are scored, because this lowers the bound.
    """
    topk = empty_topk(k)
    topk.threshold[0], topk.threshold_comment[0] = floor.score, floor.comment
    bound = other_posts
    scored = 0
    for place in range(len(top_posts)):
        if topk.size[0] > k:
            raise_threshold(topk)
        if post_scores[top_posts[place]] < topk.threshold[0] and scored >= min_comments:
            bound = post_scores[top_posts[place]]
            break
        expand_post(top_posts[place], postings, links, post_scores, topk)
        scored += links.post_starts[top_posts[place] + 1] - links.post_starts[top_posts[place]]
    raise_threshold(topk)
    return Begun(topk, bound)


@kernel
def finish_topk(begun: Begun, postings: QueryPostings, links: Links, post_scores: FloatArray, floor: Floor) -> bool:
    """Add the pairs of all other posts that reach the floor; False if more posts must be given to be exact."""
    topk = begun.topk
    if enters(topk, floor.score, floor.comment):
        topk.threshold[0], topk.threshold_comment[0] = floor.score, floor.comment
    exact = begun.bound == 0.0 or begun.bound < topk.threshold[0]
    if exact:
        maxscore_search(postings, links, post_scores, begun.bound, topk)
        raise_threshold(topk)
    for place in range(topk.size[0]):
        if topk.posts[place] == UNKNOWN_POST:
            topk.posts[place] = best_post(links, post_scores, topk.comments[place])
    return exact


@kernel
def expand_post(post: int, postings: QueryPostings, links: Links, post_scores: FloatArray, topk: TopK) -> None:
    """Score all comments of a post in full, each with the best of its posts."""
    for at in range(links.post_starts[post], links.post_starts[post + 1]):
        comment = int(links.post_comments[at])
        best = best_post(links, post_scores, comment)
        score = score_of(postings, comment) + post_scores[best]
        if enters(topk, score, comment) and not contains(topk, comment):
            push(topk, score, comment, best)
