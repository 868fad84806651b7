"""A query and a batch of candidate pairs, as features read them: what several features need is made once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.ranking.features.characters import characters, text_characters
from kaiwa.ranking.words import local_words
from kaiwa.retrieval.matching import Matcher, post_similarities, search
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.texts import TokenLists, Tokens
    from kaiwa.ranking.words import LocalWords
    from kaiwa.retrieval.matching import Candidates, Query

    Made = TypeVar("Made")


MOST_POSTS = 20
"""Posts of a comment that a feature looks at, at most."""
FIRST_STAGE = Matcher("tfidf", 1.0, 1.0)
"""The search of ``run2``."""
FIRST_DEPTH = 200


def needed_models(given: OpenModels | None) -> OpenModels:
    """The models; an error if none were given."""
    if given is None:
        raise InputError(f"this system needs models; make them with kaiwa models, then give {option('models')}")
    return given


class Neighbours(NamedTuple):
    """The comments of the pairs that are most similar to the query, their tokens, and their weights, which sum to 1."""

    comments: IntArray
    replies: TokenLists
    weights: FloatArray

    def places_of(self, comments: IntArray) -> IntArray:
        """The place of each of some comments among the neighbours; -1 for one that is not there.

        >>> Neighbours(np.array([7, 2]), None, np.array([0.6, 0.4])).places_of(np.array([2, 3, 7])).tolist()
        [1, -1, 0]
        """
        if not len(self.comments):
            return np.full(len(comments), -1)
        order = np.argsort(self.comments)
        places = order[np.minimum(np.searchsorted(self.comments, comments, sorter=order), len(order) - 1)]
        return np.where(self.comments[places] == comments, places, -1)

    def weights_of(self, comments: IntArray) -> FloatArray:
        """The weight of each of some comments; 0 for one that is not a neighbour."""
        return np.append(self.weights, 0.0)[self.places_of(comments)]


def neighbours_among(found: Candidates, models: OpenModels) -> Neighbours:
    """The pairs that a search has found, by their scores; none with the score 0."""
    own = found[np.flatnonzero(found.scores > 0)]
    return Neighbours(own.comments, models.corpus.tokens_of_comments(own.comments), own.scores / own.scores.sum())


@dataclass(frozen=True, eq=False)
class Batch:
    """A query, the candidate pairs, and the models if there are any. No feature changes the arrays of a batch.

    ``takedown_posts`` are read by no feature. ``searched`` are searches of the query that are done already.
    """

    query: Query
    candidates: Candidates
    given: OpenModels | None = None
    takedown_posts: IntArray | None = None
    searched: Mapping[Matcher, Candidates] = field(default_factory=dict)

    @property
    def models(self) -> OpenModels:
        """The models; an error if none were given."""
        return needed_models(self.given)

    @cached_property
    def _made(self) -> dict[object, Any]:  # Any: what each function makes
        return {}

    def once(self, make: Callable[[Batch], Made]) -> Made:
        """What a function makes of this batch, made once for all features that need it."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])  # by the key

    def is_stored(self, side: str, vectors: NDArray[Any]) -> bool:  # Any: of any precision
        """Whether the vectors of a model are those of this batch's posts or comments, by their numbers."""
        return len(vectors) == len(getattr(self.models.corpus, side))

    def stored(self, side: str, values: NDArray[Any]) -> NDArray[Any] | None:  # Any: of any precision
        """The stored values of the candidates' comments or distinct posts; none if they are not those of this batch."""
        if not self.is_stored(side, values):
            return None
        kept: NDArray[Any] = values[self.candidates.comments if side == "comments" else self.numbered_posts[0]]
        return kept

    @cached_property
    def words(self) -> Tokens:
        """The query's tokens, as the models number them."""
        return self.models.corpus.numbers(self.query.text)

    @cached_property
    def posts(self) -> TokenLists:
        """The tokens of each candidate's post."""
        return self.tokens_of_posts(self.candidates.posts)

    @cached_property
    def comments(self) -> TokenLists:
        """The tokens of each candidate's comment."""
        return self.models.corpus.tokens_of_comments(self.candidates.comments)

    @cached_property
    def first_found(self) -> Candidates:
        """The best pairs of the first stage, to a depth."""
        done = self.searched.get(FIRST_STAGE)
        if done is None:
            done = search(self.query, FIRST_STAGE, k=FIRST_DEPTH, takedown_posts=self.takedown_posts)
        return done[:FIRST_DEPTH]

    @cached_property
    def neighbours(self) -> Neighbours:
        """The comments of the pairs that the first stage finds, each weighted by the score of its pair."""
        return neighbours_among(self.first_found, self.models)

    def tokens_of_posts(self, posts: IntArray) -> TokenLists:
        """The tokens of some posts."""
        return self.models.corpus.tokens_of_posts(posts)

    @cached_property
    def numbered_posts(self) -> tuple[IntArray, IntArray]:
        """The posts of all candidates' comments, each once, ascending; and the place of each of ``every_post``."""
        found, places = np.unique(self.every_post[0], return_inverse=True)
        return found, places

    @cached_property
    def distinct_posts(self) -> TokenLists:
        """The tokens of the posts of all candidates' comments, each once."""
        return self.tokens_of_posts(self.numbered_posts[0])

    @cached_property
    def local_posts(self) -> LocalWords:
        """The words of the distinct posts, numbered from 0."""
        return local_words(self.distinct_posts, len(self.models.corpus.counts))

    @cached_property
    def local_comments(self) -> LocalWords:
        """The words of the candidates' comments, numbered from 0."""
        return local_words(self.comments, len(self.models.corpus.counts))

    def mean_of_posts(self, values: FloatArray) -> FloatArray:
        """The mean value over the posts of each candidate's comment; ``values`` are those of the distinct posts."""
        places, starts = self.numbered_posts[1], self.every_post[1]
        if not len(places):
            return np.zeros(0)
        sums: FloatArray = np.add.reduceat(values[places].astype(np.float64), starts)
        return sums / np.diff(starts, append=len(places))

    @cached_property
    def every_post(self) -> tuple[IntArray, IntArray]:
        """The candidate's post and the other posts of its comment, and where those of each candidate start.

        Of a comment with many posts, those that are most similar to the query (q2p).
        """
        posts, owner = self._posts_of_comments()
        scores = np.zeros(len(posts))
        many = (np.bincount(owner, minlength=len(self.candidates)) > MOST_POSTS)[owner]
        scores[many] = post_similarities(self.query, "tfidf", posts[many])
        if self.takedown_posts is not None:
            scores[np.isin(posts, self.takedown_posts)] = -1.0
        starts = np.searchsorted(owner, np.arange(len(self.candidates) + 1))
        return chosen_posts(self.candidates.posts, starts, posts, scores, MOST_POSTS)

    def _posts_of_comments(self) -> tuple[IntArray, IntArray]:
        """All posts of the candidates' comments, and the place of each one's candidate."""
        links, comments = self.query.index.links, self.candidates.comments
        starts = links.comment_starts[comments].astype(np.int64)
        sizes = links.comment_starts[comments + 1].astype(np.int64) - starts
        places = np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        return links.comment_posts[places].astype(np.int64), np.repeat(np.arange(len(comments)), sizes)

    @cached_property
    def characters(self) -> TokenLists:
        """The query's characters, as code points."""
        return text_characters(self.query.text)

    @cached_property
    def post_characters(self) -> tuple[TokenLists, IntArray]:
        """The characters of the candidates' posts, each post once, and the place of each candidate's post."""
        posts, places = np.unique(self.candidates.posts, return_inverse=True)
        return characters(*self.query.index.posts.texts.joined(posts)), places

    @cached_property
    def comment_characters(self) -> TokenLists:
        """The characters of each candidate's comment."""
        return characters(*self.query.index.comments.texts.joined(self.candidates.comments))


@kernel
def chosen_posts(
    own: IntArray, starts: IntArray, posts: IntArray, scores: FloatArray, most: int
) -> tuple[IntArray, IntArray]:
    """Each candidate's own post and its posts of the highest scores, none below 0; and where those of each start."""
    found, found_starts = np.empty(len(posts) + len(own), dtype=np.int64), np.zeros(len(own), dtype=np.int64)
    kept = np.empty(most)
    used = 0
    for place in range(len(own)):
        found_starts[place], found[used], used = used, own[place], used + 1
        first, number = used, 0
        for at in range(starts[place], starts[place + 1]):
            if posts[at] == own[place] or scores[at] < 0.0 or (number == most - 1 and scores[at] <= kept[number - 1]):
                continue
            number = min(number + 1, most - 1)
            into = number - 1
            while into > 0 and kept[into - 1] < scores[at]:
                kept[into], found[first + into] = kept[into - 1], found[first + into - 1]
                into -= 1
            kept[into], found[first + into] = scores[at], posts[at]
        used = first + number
    return found[:used], found_starts
