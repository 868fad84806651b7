"""The best pairs by the sum of two similarities, over all pairs, exactly.

score(query, pair) = S(query, post) + S(query, comment), each side already weighted. Q2C is the case
without post scores, Q2P the case without comment terms. Nothing is missed (docs/decisions/041): the best
posts are opened and all their comments scored in full; any other pair has at most ``bound`` from its
post, and the walk over the comments' postings finds every one whose comment brings the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.retrieve.search.maxscore import NO_POST_YET, best_post, walk
from kaiwa.retrieve.search.query_postings import Lists, score_of
from kaiwa.retrieve.search.topk import Best, enters, holds, none_yet, push, raise_floor
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.postings import Links


@kernel
def best_pairs(
    k: int, lists: Lists, links: Links, post_scores: FloatArray, opened: IntArray, rest: float, patience: int
) -> tuple[Best, bool]:
    """The k best pairs, one for each comment; and False when more posts must be opened to be sure.

    ``lists`` are the comments' postings; ``opened`` the best posts, best first, no other scoring above ``rest``.
    """
    best = none_yet(k)
    bound = rest
    tried = 0
    for place in range(len(opened)):
        if best.size[0] > k:
            raise_floor(best)
        if post_scores[opened[place]] < best.floor[0] and tried >= patience:
            bound = post_scores[opened[place]]
            break
        open_post(opened[place], lists, links, post_scores, best)
        tried += links.post_starts[opened[place] + 1] - links.post_starts[opened[place]]
    raise_floor(best)
    sure = bound == 0.0 or bound < best.floor[0]
    if sure:
        walk(lists, links, post_scores, bound, best)
        raise_floor(best)
    for place in range(best.size[0]):
        if best.posts[place] == NO_POST_YET:
            best.posts[place] = best_post(links, post_scores, best.comments[place])
    return best, sure


@kernel
def open_post(post: int, lists: Lists, links: Links, post_scores: FloatArray, best: Best) -> None:
    """Score all comments of a post in full, each with its best post."""
    for at in range(links.post_starts[post], links.post_starts[post + 1]):
        comment = int(links.post_comments[at])
        beside = best_post(links, post_scores, comment)
        score = score_of(lists, comment) + post_scores[beside]
        if enters(best, score, comment) and not holds(best, comment):
            push(best, score, comment, beside)
