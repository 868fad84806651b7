"""The k best pairs by the sum of two similarities, over all pairs, exactly.

score(query, pair) = S(query, post) + S(query, comment), each side already weighted. Q2C is the case without post
scores, Q2P the case without comment terms. No pair is missed (docs/decisions/041): the best posts are expanded, which
means that all their comments are scored in full; any other pair has at most ``bound`` from its post, and a MaxScore
search over the comments' postings finds every one whose comment adds the rest. Of several shards all expand their best
posts before any searches its other comments, because these pairs give the threshold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kaiwa.retrieve.search.maxscore import UNKNOWN_POST, best_post, maxscore_search
from kaiwa.retrieve.search.query_postings import QueryPostings, score_of
from kaiwa.retrieve.search.topk import TopK, contains, empty_topk, enters, push, raise_threshold
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.inverted_index import Links


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
