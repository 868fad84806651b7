"""The ids of a takedown as numbers of posts and comments of an index, which no answer may contain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.formats.takedown import full_takedown
from kaiwa.retrieval.documents import find_ids, joined_bytes

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import IntArray
    from kaiwa.retrieval.inverted_index import InvertedIndex

    BoolArray = NDArray[np.bool_]
    Numbers = NDArray[np.uint32]


def _none() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Takedown:
    """The numbers of posts and of comments, ascending."""

    posts: IntArray = field(default_factory=_none)
    comments: IntArray = field(default_factory=_none)


def numbers_of(index: InvertedIndex, ids: AbstractSet[str]) -> Takedown:
    """The posts and comments with these ids."""
    found = (side.texts.find(sorted(ids)) for side in (index.posts, index.comments))
    return Takedown(*(np.unique(numbers[numbers >= 0]) for numbers in found))


@dataclass(frozen=True)
class IndexRelations:
    """What an index knows about its ids: which comments were merged, and which belong to some posts alone."""

    index: InvertedIndex

    def near_duplicates(self, ids: AbstractSet[str]) -> frozenset[str]:
        """The comments that were merged with one of these."""
        merged, texts = self.index.merged, self.index.comments.texts
        for part, size in (("ids", len(merged.ids)), ("id_starts", len(merged.id_starts)), ("kept", len(merged.kept))):
            texts.check(f"merged.{part}", 0, size)
        order = np.arange(len(merged.kept), dtype=np.uint32)
        places = find_ids(merged.ids, merged.id_starts, order, *joined_bytes(sorted(ids)))
        kept = np.union1d(merged.kept[places[places >= 0]], numbers_of(self.index, ids).comments)
        places = np.flatnonzero(is_among(merged.kept.astype(np.int64), kept.astype(np.int64)))
        starts = merged.id_starts
        names = [merged.ids[starts[at] : starts[at + 1]].tobytes().decode(errors="replace") for at in places.tolist()]
        return frozenset(names).union(map(texts.id_of, np.unique(merged.kept[places]).tolist()))

    def comments_only_of(self, posts: AbstractSet[str]) -> frozenset[str]:
        """The comments all of whose posts are among these."""
        found = _comments_without_other_posts(self.index, numbers_of(self.index, posts).posts)
        return frozenset(map(self.index.comments.texts.id_of, found.tolist()))


def is_among(values: IntArray, ascending: IntArray) -> BoolArray:
    """Which of the values occur in an ascending array.

    >>> is_among(np.array([5, 1, 9]), np.array([1, 5, 7]))
    array([ True,  True, False])
    """
    which: BoolArray = np.append(ascending, -1)[np.searchsorted(ascending, values)] == values
    return which


def _comments_without_other_posts(index: InvertedIndex, posts: IntArray) -> IntArray:
    """The comments whose posts are all among these."""
    links = index.links
    comments = np.unique(_linked(links.post_starts, links.post_comments, posts)).astype(np.int64)
    chosen = np.zeros(len(index.posts), dtype=np.bool_)
    chosen[posts] = True
    their_posts = _linked(links.comment_starts, links.comment_posts, comments)
    owner = np.repeat(np.arange(len(comments)), _sizes(links.comment_starts, comments))
    other_posts = np.bincount(owner, weights=~chosen[their_posts], minlength=len(comments))
    without: IntArray = comments[other_posts == 0]
    return without


def _linked(starts: Numbers, others: Numbers, chosen: IntArray) -> Numbers:
    """The numbers that the chosen ones are linked with, list by list."""
    sizes = _sizes(starts, chosen)
    first = np.repeat(starts[chosen].astype(np.int64) - np.cumsum(sizes) + sizes, sizes)
    linked: Numbers = others[first + np.arange(sizes.sum())]
    return linked


def _sizes(starts: Numbers, chosen: IntArray) -> IntArray:
    return starts[chosen + 1].astype(np.int64) - starts[chosen].astype(np.int64)


def takedown_of(index: InvertedIndex, listed: frozenset[str]) -> Takedown:
    """The posts and comments of an index that follow from the listed ids, as numbers."""
    return numbers_of(index, full_takedown(listed, IndexRelations(index)))
