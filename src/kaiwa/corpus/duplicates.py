"""Duplicates among pairs, found in records of keys: a few bytes per pair, for texts of any length.

Each step gets the rows with the same key together, ordered by row, and replaces the key with the first of these rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import counted

if TYPE_CHECKING:
    from collections import Counter

    from kaiwa.model.ids import IntArray

KeyArray = NDArray[np.uint64]
BoolArray = NDArray[np.bool_]
Rows = NDArray[Any]  # Any: records of the dtype below
CONFLICT = "id with another text"
ROW = np.dtype([
    ("row", np.uint64),
    ("post", np.uint64),  # at first the key of the post's id
    ("own", np.uint64),  # at first the key of the comment's id
    ("comment", np.uint64),  # at first the key of the comment's text as compared
    ("post_text", np.uint64),  # the key of the post's text as compared
    ("takedown", np.bool_),  # the comment's id is listed, or that of a near-duplicate; later: it is not to be shown
    ("post_takedown", np.bool_),  # the post's id is listed
    ("conflict", np.bool_),  # the row's post or comment has another text than its id has in the first row
    ("keep", np.bool_),
    ("post_stays", np.bool_),
    ("comment_stays", np.bool_),
    ("alias", np.bool_),
])  # fmt: skip


def first_rows(keys: KeyArray) -> IntArray:
    """Per row, the first row with the same key.

    >>> first_rows(np.array([7, 9, 7, 9, 5], dtype=np.uint64))
    array([0, 1, 0, 1, 4])
    """
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    first_of_key = order[np.flatnonzero(new)]
    firsts = np.empty(len(keys), dtype=np.int64)
    firsts[order] = first_of_key[np.cumsum(new) - 1]
    return firsts


def within_first(groups: IntArray | KeyArray, limit: int) -> BoolArray:
    """Whether each row is among the first ``limit`` rows of its group.

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


class IdConflicts:
    """Ids with more than one text: their number, that of all ids, and the rows of an example (first text, another).

    >>> found = IdConflicts()
    >>> texts, rows = np.array([[7, 8, 7], [10, 11, 12]], dtype=np.uint64)
    >>> found.add(np.array([0, 0, 2]), texts, rows, np.zeros(3, dtype=np.bool_))
    array([False,  True, False])
    >>> found.conflicting, found.ids, found.example
    (1, 2, (10, 11))
    """

    def __init__(self) -> None:
        self.ids = 0
        self.conflicting = 0
        self.example: tuple[int, int] | None = None

    def add(self, first: IntArray, texts: KeyArray, rows: KeyArray, hidden: BoolArray) -> BoolArray:
        """Count the ids of a part, given the place of the first row of each row's id; which rows have another text.

        ``hidden`` rows are neither counted nor an example.
        """
        differs: BoolArray = texts != texts[first]
        shown = differs & ~hidden & ~hidden[first]
        self.ids += int((first == np.arange(len(first))).sum())
        self.conflicting += len(np.unique(first[shown]))
        if shown.any():
            place = int(np.flatnonzero(shown)[0])
            found = (int(rows[first[place]]), int(rows[place]))
            self.example = min(found, self.example or found, key=lambda pair: pair[1])
        return differs

    @property
    def share(self) -> float:
        """The share of the ids that have more than one text."""
        return self.conflicting / self.ids if self.ids else 0.0


def same_ids(part: Rows, *, merge: bool, conflicts: IdConflicts) -> Rows:
    """Rows with the same comment id get the first of them as ``own``, and its text's key (or row) as ``comment``."""
    first = first_rows(part["own"])
    part["conflict"] = conflicts.add(first, part["comment"], part["row"], _hidden(part))
    part["own"] = part["row"][first]
    part["comment"] = part["comment"][first] if merge else part["own"]
    return part


def same_texts(part: Rows) -> Rows:
    """Rows with the same comment text get the first of them as ``comment``, which is kept for them all.

    The takedown of one of them is that of all.
    """
    first = first_rows(part["comment"])
    part["comment"] = part["row"][first]
    part["takedown"] = _any_of_group(first, part["takedown"])
    return part


def same_pairs(part: Rows, first_comments: int, removed: Counter[str], conflicts: IdConflicts) -> Rows:
    """Rows with the same post get the first as ``post``; takedowns, conflicts, duplicates and later comments go."""
    first = first_rows(part["post"])
    part["conflict"] |= conflicts.add(first, part["post_text"], part["row"], _hidden(part))
    part["post"] = part["row"][first]
    part["takedown"] = hidden = _hidden(part)
    removed["takedown"] += int(hidden.sum())
    sound = np.flatnonzero(~part["conflict"] & ~hidden)
    removed[CONFLICT] += int((part["conflict"] & ~hidden).sum())
    pair = (part["post"] << np.uint64(32) | part["comment"])[sound]
    keep = np.zeros(len(part), dtype=np.bool_)
    keep[sound] = first_rows(pair) == np.arange(len(sound))
    removed["repeated pair"] += len(sound) - int(keep.sum())
    if first_comments:
        kept = np.flatnonzero(keep)
        keep[kept] = within_first(part["post"][kept], first_comments)
        removed[f"after the first {counted(first_comments, 'comment')}"] += len(kept) - int(keep.sum())
    part["keep"] = keep
    return part


def comments_without_posts(part: Rows) -> Rows:
    """A comment with a kept pair may be shown; the others with a row of the takedown may not."""
    part["takedown"] &= ~_any_kept(part, "comment")
    return part


class PairSample:
    """A random sample of ``wanted`` of the kept pairs, without replacement, drawn part by part."""

    def __init__(self, kept: int, wanted: int, seed: int) -> None:
        self._left, self._wanted = kept, wanted
        self._rng = np.random.default_rng(seed)

    def sampled(self, part: Rows) -> Rows:
        """The part with only the drawn pairs kept."""
        kept = np.flatnonzero(part["keep"])
        share = int(self._rng.hypergeometric(self._wanted, self._left - self._wanted, len(kept)))
        self._left, self._wanted = self._left - len(kept), self._wanted - share
        part["keep"] = False
        part["keep"][self._rng.choice(kept, size=share, replace=False)] = True
        return part


def comments_that_stay(part: Rows) -> Rows:
    """Mark the first row of each ``comment`` of a kept pair, and the other ids of such a comment."""
    is_first = part["comment"] == part["row"]
    stays = _any_kept(part, "comment")
    part["comment_stays"] = is_first & stays
    part["alias"] = (part["own"] == part["row"]) & ~is_first & stays
    return part


def posts_that_stay(part: Rows) -> Rows:
    """Mark the first row of each ``post`` of a kept pair."""
    part["post_stays"] = (part["post"] == part["row"]) & _any_kept(part, "post")
    return part


def _hidden(part: Rows) -> BoolArray:
    """Which rows have a post or a comment of the takedown."""
    hidden: BoolArray = part["takedown"] | part["post_takedown"]
    return hidden


def _any_kept(part: Rows, field: str) -> BoolArray:
    """Whether any row of each row's group is kept."""
    return _any_of_group(first_rows(part[field]), part["keep"])


def _any_of_group(first: IntArray, which: BoolArray) -> BoolArray:
    """Whether any row of each row's group is one of these; ``first`` is the first row of the group."""
    found = np.zeros(len(first), dtype=np.bool_)
    found[first[which]] = True
    return found[first]
