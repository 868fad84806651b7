"""Repeats among pairs, found in compact arrays of keys: a few bytes a pair, whatever its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from kaiwa.model import IntArray

KeyArray = NDArray[np.uint64]
BoolArray = NDArray[np.bool_]


def first_rows(keys: KeyArray) -> IntArray:
    """For each row the first row that has the same key.

    >>> first_rows(np.array([7, 9, 7, 9, 5], dtype=np.uint64))
    array([0, 1, 0, 1, 4])
    """
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    leaders = order[np.flatnonzero(new)]
    firsts = np.empty(len(keys), dtype=np.int64)
    firsts[order] = leaders[np.cumsum(new) - 1]
    return firsts


def within_first(groups: IntArray, limit: int) -> BoolArray:
    """Which rows are among the first ``limit`` of their group, in the order they stand.

    >>> within_first(np.array([0, 0, 1, 0]), 2)
    array([ True,  True,  True, False])
    """
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(groups) else order
    sizes = np.diff(np.concatenate((starts, [len(groups)])))
    place = np.arange(len(groups)) - np.repeat(starts, sizes)
    kept = np.empty(len(groups), dtype=np.bool_)
    kept[order] = place < limit
    return kept


@dataclass(frozen=True)
class Joined:
    """What becomes of each row: its post, the comment that speaks for it, and whether the pair stays.

    Rows name rows: ``post[i]`` is the first row with the same post, ``own[i]`` the first with the same
    comment id, ``comment[i]`` the first whose comment speaks for that of row ``i``.
    """

    post: IntArray
    own: IntArray
    comment: IntArray
    keep: BoolArray
    removed: dict[str, int]


def join_pairs(
    post_ids: KeyArray, comment_ids: KeyArray, comment_texts: KeyArray, *, merge: bool, first_comments: int
) -> Joined:
    """Pairs with repeated ids joined, near-duplicate comments merged, and each post cut to its first comments.

    Three keys per row in: of the post's id, the comment's id and the comment's text as compared.
    An id that stands with two texts keeps its first text.
    """
    post = first_rows(post_ids)
    by_id = first_rows(comment_ids)
    comment = first_rows(comment_texts[by_id]) if merge else by_id
    pair = post.astype(np.uint64) << np.uint64(32) | comment.astype(np.uint64)
    rows = np.arange(len(pair))
    keep = first_rows(pair) == rows
    repeated = int((~keep).sum())
    if first_comments:
        alive = np.flatnonzero(keep)
        keep[alive] = within_first(post[alive], first_comments)
    removed = {
        "repeated pair": repeated,
        f"after the first {first_comments} comments": len(pair) - repeated - int(keep.sum()),
    }
    return Joined(post, by_id, comment, keep, {why: count for why, count in removed.items() if count})
