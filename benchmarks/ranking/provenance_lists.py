"""Candidates of held-out posts with their features, in the three forms of benchmarks.ranking.provenance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ranking.dense_source import comments_of_nearest_posts, nearest_comments
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import feature_values
from kaiwa.ranking.ranker import Standard
from kaiwa.ranking.system import Asked, united
from kaiwa.retrieval.matching import Candidates, Matcher, query_of, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.ranking.provenance_data import HeldOut
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Query

    Made = Iterator[tuple[Candidates, Query, IntArray]]  # candidates, the query, and the true replies

COMMENT_SIDE = (
    "q2c", "bm25-q2c", "towers-q2c", "query-given-comment", "comment-given-query", "comment-lift", "bigrams-q2c",
    "ngrams-q2c", "vectors-q2c", "neighbours-words", "neighbours-vectors", "shared-count", "shared-rarity",
    "shared-rarest", "shared-part", "shared-stretch", "forest-q2c", "patterns-q2c", "cnn-q2c", "lda-q2c", "wtmf-q2c",
    "topicword-q2c", "length", "length-difference", "question-match", "punctuation-match", "popularity", "unigram",
    "posts",
)  # fmt: skip
"""Not the features of ``language`` and ``decoder``: these models have learned the texts of all comments but those that
are put back, and a ranker would learn which comments they do not know."""
POST_SIDE = ("q2p", "bm25-q2p", "towers-q2p", "translm", "bigrams-q2p")
NEGATIVES = 100
RARE = 3
"""A reply under at most so many posts is rare."""
_DEPTH = 2000  # of each source, for one comment put back
_SHORT = 300  # of each source, for the replies that are still in the rest
_TFIDF, _TFIDF_Q2C, _BM25_Q2C = Matcher("tfidf", 1.0, 1.0), Matcher("tfidf", 0.0, 1.0), Matcher("bm25", 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Lists:
    """Candidates topic by topic, their features ("items x features"), and whether each is a true reply.

    ``wanted`` is the number of true replies of each topic, found or not; ``rare`` that of its rare ones.
    """

    features: tuple[str, ...]
    starts: IntArray
    comments: IntArray
    rows: FloatArray
    is_true: IntArray
    wanted: IntArray
    rare: IntArray

    @property
    def topic_of(self) -> IntArray:
        """The number of each item's topic."""
        return np.repeat(np.arange(len(self.wanted)), np.diff(self.starts))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where the candidates of each topic begin and end; not those of a topic without any."""
        return [(low, high) for low, high in pairwise(self.starts.tolist()) if low < high]

    def column(self, feature: str) -> FloatArray:
        """The values of one feature."""
        return self.rows[:, self.features.index(feature)]

    @cached_property
    def standardised(self) -> NDArray[np.float32]:
        """The features with mean 0 and standard deviation 1 over the candidates of each topic."""
        rows = np.empty(self.rows.shape, dtype=np.float32)
        for low, high in self.spans:
            own = self.rows[low:high].astype(np.float64)
            rows[low:high] = Standard.of(own).rows(own)
        return rows

    def total(self, features: Sequence[str]) -> FloatArray:
        """The sum of some features, each standardised by topic."""
        return np.sum([self.standardised[:, self.features.index(name)] for name in features], axis=0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Asking:
    """The pool with its models, and the held-out posts."""

    pool: InvertedIndex
    models: OpenModels
    held_out: HeldOut

    @cached_property
    def posts(self) -> IntArray:
        """How many posts each comment of the pool has."""
        return np.diff(self.pool.links.comment_starts).astype(np.int64)

    @cached_property
    def _number_of(self) -> dict[str, int]:
        texts = self.pool.comments.texts
        return {texts.id_of(place): place for place in range(len(texts))}

    def numbers(self, comments: Iterable[str]) -> IntArray:
        """The numbers of comments."""
        return np.array([self._number_of[name] for name in comments], dtype=np.int64)


def stored(path: Path, made: Callable[[Asking], Made], asking: Asking, names: tuple[str, ...]) -> Lists:
    """The lists in a file; made of candidates, queries and true replies if it is missing."""
    if not path.is_file():
        np.savez(path, **_arrays(made(asking), asking, names))
    with np.load(path) as arrays:
        return Lists(names, *(arrays[part] for part in ("starts", "comments", "rows", "is_true", "wanted", "rare")))


def _arrays(made: Made, asking: Asking, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:  # Any: several dtypes
    comments, rows, labels, wanted, rare = [], [], [], [], []
    for found, query, true in made:
        values = feature_values(Batch(query, found, asking.models), names)
        comments.append(found.comments)
        rows.append(np.stack([values[name] for name in names], axis=1).astype(np.float32))
        labels.append(np.isin(found.comments, true))
        wanted.append(len(true))
        rare.append(int((asking.posts[true] <= RARE).sum()))
    starts = np.cumsum([0, *map(len, comments)])
    joined = np.concatenate(rows), np.concatenate(labels)
    return {
        "starts": starts, "comments": np.concatenate(comments), "rows": joined[0], "is_true": joined[1],
        "wanted": np.array(wanted), "rare": np.array(rare),
    }  # fmt: skip


def put_back(asking: Asking) -> Made:
    """The best comments by the comment side alone, for the posts of which one comment was put back."""
    for topic, comment in asking.held_out.put_back.items():
        query = query_of(asking.pool, asking.held_out.topics[topic])
        asked = Asked(query, _DEPTH, None, asking.models)
        found = united([search(query, one, k=_DEPTH) for one in (_TFIDF_Q2C, _BM25_Q2C)] + [nearest_comments(asked)])
        yield found, query, asking.numbers([comment])


def still_there(asking: Asking) -> Made:
    """The best pairs of several sources, for the posts of which a comment is still under another post."""
    removed = asking.numbers(asking.held_out.put_back.values())
    popular = _first_posts(asking, np.argsort(-asking.posts, kind="stable")[:_SHORT])
    for topic, comments in asking.held_out.kept.items():
        query = query_of(asking.pool, asking.held_out.topics[topic])
        asked = Asked(query, _SHORT, None, asking.models)
        lexical = search(query, _TFIDF, k=_SHORT)
        found = united([lexical, nearest_comments(asked), comments_of_nearest_posts(asked), popular])
        yield found[np.flatnonzero(~np.isin(found.comments, removed))], query, asking.numbers(comments)


def _first_posts(asking: Asking, comments: IntArray) -> Candidates:
    links = asking.pool.links
    posts = links.comment_posts[links.comment_starts[comments].astype(np.int64)].astype(np.int64)
    return Candidates(comments, posts, asking.posts[comments].astype(np.float64))


def matched(asking: Asking, replies: dict[str, str]) -> Made:
    """One true reply of each post and 100 other comments with as many posts, or the nearest number of posts."""
    rng = np.random.default_rng(2)
    removed = asking.numbers(asking.held_out.put_back.values())
    others = np.setdiff1d(np.arange(len(asking.posts)), removed)
    for topic, reply in replies.items():
        true = asking.numbers([reply])
        own = asking.numbers(asking.held_out.kept.get(topic, []))
        free = others[~np.isin(others, own)]
        distance = np.abs(asking.posts[free] - asking.posts[true[0]]) + rng.random(len(free)) * 0.5
        chosen = np.concatenate((true, free[np.argpartition(distance, NEGATIVES)[:NEGATIVES]]))
        yield _first_posts(asking, rng.permutation(chosen)), query_of(asking.pool, asking.held_out.topics[topic]), true
