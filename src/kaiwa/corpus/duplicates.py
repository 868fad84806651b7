"""Repeats among pairs, found in compact records of keys: a few bytes a pair, whatever its text.

Each step sees the rows that share a key together, ordered by row, and replaces the key by the first of these rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections import Counter

    from kaiwa.model.ids import IntArray

KeyArray = NDArray[np.uint64]
BoolArray = NDArray[np.bool_]
Rows = NDArray[Any]  # Any: records of the kind below
ROW = np.dtype([
    ("row", np.uint64),
    ("post", np.uint64),  # at first the key of the post's id
    ("own", np.uint64),  # at first the key of the comment's id
    ("comment", np.uint64),  # at first the key of the comment's text as compared
    ("keep", np.bool_),
    ("post_stays", np.bool_),
    ("comment_stays", np.bool_),
    ("alias", np.bool_),
])  # fmt: skip


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


def within_first(groups: IntArray | KeyArray, limit: int) -> BoolArray:
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


def same_ids(part: Rows, *, merge: bool) -> Rows:
    """Rows with one comment id get the first one's row as ``own``, and its text's key (or row) as ``comment``."""
    first = first_rows(part["own"])
    part["own"] = part["row"][first]
    part["comment"] = part["comment"][first] if merge else part["own"]
    return part


def same_texts(part: Rows) -> Rows:
    """Rows with one comment text get the first one's row as ``comment``: it speaks for them all."""
    part["comment"] = part["row"][first_rows(part["comment"])]
    return part


def same_pairs(part: Rows, first_comments: int, removed: Counter[str]) -> Rows:
    """Rows with one post get the first one's row as ``post``; repeats and all after the first comments go."""
    part["post"] = part["row"][first_rows(part["post"])]
    pair = part["post"] << np.uint64(32) | part["comment"]
    keep = first_rows(pair) == np.arange(len(part))
    removed["repeated pair"] += int((~keep).sum())
    if first_comments:
        alive = np.flatnonzero(keep)
        keep[alive] = within_first(part["post"][alive], first_comments)
        removed[f"after the first {first_comments} comments"] += len(alive) - int(keep.sum())
    part["keep"] = keep
    return part


class Draw:
    """A sample of kept pairs, drawn part by part: any ``wanted`` of all are equally likely."""

    def __init__(self, kept: int, wanted: int, seed: int) -> None:
        self._left, self._wanted = kept, wanted
        self._rng = np.random.default_rng(seed)

    def thinned(self, part: Rows) -> Rows:
        """The part with the pairs that were not drawn no longer kept."""
        alive = np.flatnonzero(part["keep"])
        share = int(self._rng.hypergeometric(self._wanted, self._left - self._wanted, len(alive)))
        self._left, self._wanted = self._left - len(alive), self._wanted - share
        part["keep"] = False
        part["keep"][self._rng.choice(alive, size=share, replace=False)] = True
        return part


def comments_that_stay(part: Rows) -> Rows:
    """Of rows with one ``comment``: is it in a pair that is kept, and which other ids it speaks for."""
    speaks = part["comment"] == part["row"]
    stays = _any_kept(part, "comment")
    part["comment_stays"] = speaks & stays
    part["alias"] = (part["own"] == part["row"]) & ~speaks & stays
    return part


def posts_that_stay(part: Rows) -> Rows:
    """Of rows with one ``post``: is it in a pair that is kept."""
    part["post_stays"] = (part["post"] == part["row"]) & _any_kept(part, "post")
    return part


def _any_kept(part: Rows, field: str) -> BoolArray:
    """Per row whether any row of its group is kept."""
    first = first_rows(part[field])
    kept = np.zeros(len(part), dtype=np.bool_)
    kept[first[part["keep"]]] = True
    return kept[first]
