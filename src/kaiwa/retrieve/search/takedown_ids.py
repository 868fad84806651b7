"""Posts and comments that must not be answered with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.inverted_index import Index

    BoolArray = NDArray[np.bool_]
    Numbers = NDArray[np.uint32]


def _none() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Banned:
    """The numbers of posts and of comments, ascending."""

    posts: IntArray = field(default_factory=_none)
    comments: IntArray = field(default_factory=_none)


def banned_by(index: Index, ids: AbstractSet[str]) -> Banned:
    """The posts and comments with these ids, and the comments that stood under such posts only."""
    found = (side.texts.find(sorted(ids)) for side in (index.posts, index.comments))
    posts, comments = (np.unique(numbers[numbers >= 0]) for numbers in found)
    return Banned(posts, np.union1d(comments, _without_post(index, posts)))


def among(values: IntArray, banned: IntArray) -> BoolArray:
    """Which of the values are banned.

    >>> among(np.array([5, 1, 9]), np.array([1, 5, 7]))
    array([ True,  True, False])
    """
    which: BoolArray = np.append(banned, -1)[np.searchsorted(banned, values)] == values
    return which


def _without_post(index: Index, posts: IntArray) -> IntArray:
    """The comments that stood under these posts only."""
    links = index.links
    under = np.unique(_linked(links.post_starts, links.post_comments, posts)).astype(np.int64)
    banned = np.zeros(len(index.posts), dtype=np.bool_)
    banned[posts] = True
    all_posts = _linked(links.comment_starts, links.comment_posts, under)
    owner = np.repeat(np.arange(len(under)), _sizes(links.comment_starts, under))
    left = np.bincount(owner, weights=~banned[all_posts], minlength=len(under))
    alone: IntArray = under[left == 0]
    return alone


def _linked(starts: Numbers, others: Numbers, chosen: IntArray) -> Numbers:
    """What the chosen ones are linked with, one after the other."""
    sizes = _sizes(starts, chosen)
    first = np.repeat(starts[chosen].astype(np.int64) - np.cumsum(sizes) + sizes, sizes)
    linked: Numbers = others[first + np.arange(sizes.sum())]
    return linked


def _sizes(starts: Numbers, chosen: IntArray) -> IntArray:
    return starts[chosen + 1].astype(np.int64) - starts[chosen].astype(np.int64)
