"""Posts first, then their comments: the posts by their similarity to the query, the comments of each by a second order.

uwnlp and picl at NTCIR-12 STC: the best, or the longest, comment of the best post.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.search.matching import Candidates, comment_similarities, similar_posts

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.sources.source import Asked
    from kaiwa.retrieve.search.matching import Query

    Order = Callable[[Query, IntArray], FloatArray]

_POSTS = 64


def by_similarity(query: Query, comments: IntArray) -> FloatArray:
    """The tf-idf cosine of the query and each comment."""
    return comment_similarities(query, "tfidf", comments)


def by_length(query: Query, comments: IntArray) -> FloatArray:
    """The number of characters of each comment."""
    return np.array([len(query.index.comments.texts.text_of(one)) for one in comments.tolist()], dtype=np.float64)


def posts_first(asked: Asked, *, order: Order, each: int | None = None) -> Candidates:
    """The comments of the most similar post in an order, then those of the next; of each post at most ``each``.

    The score is 1 / rank, because the two orders have no common scale.
    """
    count = _POSTS
    while True:
        posts = similar_posts(asked.query, "tfidf", k=count, takedown_posts=asked.takedown_posts)
        found = _comments_of(asked, posts, order, each)
        if len(found) >= asked.k or len(posts) < count:
            places = np.array(list(found.items()), dtype=np.int64).reshape(-1, 2)[: asked.k]
            return Candidates(places[:, 0], places[:, 1], 1.0 / np.arange(1, len(places) + 1))
        count *= 4


def _comments_of(asked: Asked, posts: IntArray, order: Order, each: int | None) -> dict[int, int]:
    """The post of each comment, in rank order; a comment of several posts has the first."""
    links = asked.query.index.links
    found: dict[int, int] = {}
    for post in posts.tolist():
        comments = links.post_comments[links.post_starts[post] : links.post_starts[post + 1]].astype(np.int64)
        own = np.array([one for one in comments.tolist() if one not in found], dtype=np.int64)
        best = own[np.lexsort((own, -order(asked.query, own)))]
        found |= dict.fromkeys(best[:each].tolist(), post)
        if len(found) >= asked.k:
            break
    return found
