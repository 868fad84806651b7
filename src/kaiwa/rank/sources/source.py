"""A source of candidates: a function of what is asked to a ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.rank.features.batch import needed_models
from kaiwa.retrieve.search.matching import Candidates, Matcher, post_similarities, search

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.models.model_table import Models
    from kaiwa.retrieve.search.matching import Query


@dataclass(frozen=True, eq=False)
class Asked:
    """A query, the number of candidates wanted, the posts through which none may be found, and the models."""

    query: Query
    k: int
    takedown_posts: IntArray | None = None
    given: Models | None = None

    @property
    def models(self) -> Models:
        """The models; an error if none were given."""
        return needed_models(self.given)

    def search(self, matcher: Matcher) -> Candidates:
        """The best pairs by a matcher."""
        return search(self.query, matcher, k=self.k, takedown_posts=self.takedown_posts)


Source = Callable[[Asked], Candidates]


def ordered(candidates: Candidates, scores: FloatArray) -> Candidates:
    """The candidates with new scores, best first; ties by comment id.

    >>> found = ordered(Candidates(np.array([4, 2]), np.array([0, 1]), np.zeros(2)), np.array([0.5, 0.5]))
    >>> found.comments.tolist(), found.posts.tolist()
    ([2, 4], [1, 0])
    """
    order = np.lexsort((candidates.comments, -scores))
    return Candidates(candidates.comments[order], candidates.posts[order], scores[order])


def best_posts(query: Query, comments: IntArray, *, takedown_posts: IntArray | None = None) -> IntArray:
    """The post of each comment that is most similar to the query (q2p); the lowest number if several are.

    A post of the takedown list comes after all others.
    """
    links = query.index.links
    starts = links.comment_starts[comments].astype(np.int64)
    sizes = links.comment_starts[comments + 1].astype(np.int64) - starts
    if not sizes.all():
        lonely = query.index.comments.texts.id_of(int(comments[sizes == 0][0]))
        raise InputError(f"comment {lonely!r} has no post in the index; build the index again")
    ends = np.cumsum(sizes)
    places = np.arange(sizes.sum()) - np.repeat(ends - sizes - starts, sizes)
    posts = links.comment_posts[places].astype(np.int64)
    scores = post_similarities(query, "tfidf", posts)
    if takedown_posts is not None:
        scores[np.isin(posts, takedown_posts)] = -1.0
    owner = np.repeat(np.arange(len(comments)), sizes)
    order = np.lexsort((posts, -scores, owner))
    best: IntArray = posts[order][ends - sizes]
    return best
