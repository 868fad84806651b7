"""Duplicates among pairs, found in columns of keys: a few bytes per pair, for texts of any length.

Each step gets the rows with the same key together, ordered by row, and replaces the key with the first of these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import counted
from kaiwa.nouns.ids import first_rows
from kaiwa.nouns.normalise import bigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kaiwa.nouns.ids import IntArray


KeyArray = NDArray[np.uint64]
BoolArray = NDArray[np.bool_]
Columns = dict[str, NDArray[Any]]  # Any: the types below
"""Rows of pairs, a column for each fact; the steps below say which they need.

row            the number of the row, in the order of the input
post           the key of the post's id; later the first row with that post
own            the key of the comment's id; later the first row with that id
comment        the key of the comment's text as compared; later the first row with that text
post_text      the key of the post's text as compared
takedown       the comment's id is listed, or that of a near-duplicate; later: it is not to be shown
post_takedown  the post's id is listed
conflict       the row's post or comment has another text than its id has in the first row
is_own         the row is the first with its comment's id
is_other       the comment that is kept has another id
keep, post_stays, comment_stays, alias    what is written of the row
draw           the draw of a sample
post_id, comment_id    the keys of the ids, where each id is used once
"""
CARRIED = ("draw", "post_id", "comment_id")
"""Columns that the steps before the last do not need, and carry on."""
CONFLICT, USED = "id with another text", "id of an earlier pair"


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


@dataclass(frozen=True)
class IdConflicts:
    """Ids with more than one text: their number, that of all ids, and the rows of an example (first text, another).

    >>> found, differs = id_conflicts(
    ...     np.array([0, 0, 2]), np.array([7, 8, 7]), np.array([10, 11, 12]), np.zeros(3, dtype=np.bool_)
    ... )
    >>> found, differs
    (IdConflicts(ids=2, conflicting=1, example=(10, 11)), array([False,  True, False]))
    """

    ids: int = 0
    conflicting: int = 0
    example: tuple[int, int] | None = None

    def __add__(self, other: IdConflicts) -> IdConflicts:
        examples = [one.example for one in (self, other) if one.example is not None]
        first = min(examples, key=lambda pair: pair[1], default=None)
        return IdConflicts(self.ids + other.ids, self.conflicting + other.conflicting, first)

    @property
    def share(self) -> float:
        """The share of the ids that have more than one text."""
        return self.conflicting / self.ids if self.ids else 0.0


def id_conflicts(first: IntArray, texts: KeyArray, rows: KeyArray, hidden: BoolArray) -> tuple[IdConflicts, BoolArray]:
    """The conflicts of a part, given the place of the first row of each row's id; and which rows have another text.

    ``hidden`` rows are neither counted nor an example.
    """
    differs: BoolArray = texts != texts[first]
    shown = differs & ~hidden & ~hidden[first]
    example = None
    if shown.any():
        place = int(np.flatnonzero(shown)[0])
        example = (int(rows[first[place]]), int(rows[place]))
    ids = int((first == np.arange(len(first))).sum())
    return IdConflicts(ids, len(np.unique(first[shown])), example), differs


def same_ids(part: Columns, *, merge: bool) -> tuple[Columns, IdConflicts]:
    """Rows with the same comment id get the first of them as ``own``, and its text's key (or row) as ``comment``."""
    first = first_rows(part["own"])
    conflicts, differs = id_conflicts(first, part["comment"], part["row"], _hidden(part))
    own = part["row"][first]
    comment = part["comment"][first] if merge else own
    return part | {"own": own, "comment": comment, "conflict": differs}, conflicts


def same_texts(part: Columns) -> Columns:
    """Rows with the same comment text get the first of them as ``comment``, which is kept for them all.

    The takedown of one of them is that of all.
    """
    first = first_rows(part["comment"])
    return part | {"comment": part["row"][first], "takedown": _any_of_group(first, part["takedown"])}


def same_pairs(part: Columns, first_comments: int) -> tuple[Columns, IdConflicts, dict[str, int]]:
    """Rows with the same post get the first as ``post``; takedowns, conflicts, duplicates and later comments go.

    The last result is how many rows go for each reason.
    """
    first, hidden = first_rows(part["post"]), _hidden(part)
    conflicts, differs = id_conflicts(first, part["post_text"], part["row"], hidden)
    conflict = part["conflict"] | differs
    post, comment = part["row"][first], part["comment"]
    sound = np.flatnonzero(~conflict & ~hidden)
    keep = np.zeros(len(post), dtype=np.bool_)
    keep[sound] = _first_of_pair(post[sound], comment[sound])
    kept = int(keep.sum())
    removed = {
        "takedown": int(hidden.sum()),
        CONFLICT: int((conflict & ~hidden).sum()),
        "repeated pair": len(sound) - kept,
    }
    if first_comments:
        places = np.flatnonzero(keep)
        keep[places] = within_first(post[places], first_comments)
        removed[f"after the first {counted(first_comments, 'comment')}"] = kept - int(keep.sum())
    made = {"row": part["row"], "post": post, "comment": comment, "takedown": hidden, "keep": keep}
    owns = {"is_own": part["own"] == part["row"], "is_other": comment != part["own"]}
    return made | owns | {name: part[name] for name in CARRIED if name in part}, conflicts, removed


def _first_of_pair(posts: KeyArray, comments: KeyArray) -> BoolArray:
    """Which rows are the first with their post and comment."""
    order = np.lexsort((comments, posts))
    found = np.ones(len(posts), dtype=np.bool_)
    found[order[1:]] = (np.diff(posts[order]) != 0) | (np.diff(comments[order]) != 0)
    return found


# Each id in one pair only: rows are written once for each of their two ids, grouped by id, and joined again.


def by_both_ids(part: Columns) -> Columns:
    """Each row twice: with the key of its post's id as ``id``, and with that of its comment's id."""
    rows = {name: np.repeat(values, 2) for name, values in part.items() if name not in {"post_id", "comment_id"}}
    ids = np.column_stack((part["post_id"], part["comment_id"])).ravel()
    side = np.tile(np.array([False, True]), len(part["row"]))
    return rows | {"id": ids, "of_comment": side}


def mark_first_uses(part: Columns) -> Columns:
    """Mark the kept rows that are the first with their id; a row with one id twice is one use."""
    kept = np.flatnonzero(part["keep"])
    first = np.zeros(len(part["row"]), dtype=np.bool_)
    rows = part["row"][kept]
    first[kept] = rows == rows[first_rows(part["id"][kept])]
    return {name: values for name, values in part.items() if name != "id"} | {"first_use": first}


def first_uses(part: Columns) -> tuple[Columns, dict[str, int]]:
    """The rows once again, kept if both their ids are used for the first time; and how many go."""
    order = np.lexsort((part["of_comment"], part["row"]))
    each = {name: values[order] for name, values in part.items()}
    both = each["first_use"][::2] & each["first_use"][1::2]
    rows = {name: values[::2] for name, values in each.items() if name not in {"of_comment", "first_use"}}
    keep = rows["keep"] & both
    return rows | {"keep": keep}, {USED: int(rows["keep"].sum() - keep.sum())}


def comments_without_posts(part: Columns) -> Columns:
    """A comment with a kept pair may be shown; the others with a row of the takedown may not."""
    return part | {"takedown": part["takedown"] & ~_any_kept(part, "comment")}


def comments_that_stay(part: Columns) -> Columns:
    """Mark the first row of each ``comment`` of a kept pair, and the other ids of such a comment."""
    is_first = part["comment"] == part["row"]
    stays = _any_kept(part, "comment")
    return part | {"comment_stays": is_first & stays, "alias": part["is_own"] & ~is_first & stays}


def posts_that_stay(part: Columns) -> Columns:
    """Mark the first row of each ``post`` of a kept pair."""
    return part | {"post_stays": (part["post"] == part["row"]) & _any_kept(part, "post")}


def _hidden(part: Columns) -> BoolArray:
    """Which rows have a post or a comment of the takedown."""
    hidden: BoolArray = part["takedown"] | part["post_takedown"]
    return hidden


def _any_kept(part: Columns, field: str) -> BoolArray:
    """Whether any row of each row's group is kept."""
    return _any_of_group(first_rows(part[field]), part["keep"])


def _any_of_group(first: IntArray, which: BoolArray) -> BoolArray:
    """Whether any row of each row's group is one of these; ``first`` is the first row of the group."""
    found = np.zeros(len(first), dtype=np.bool_)
    found[first[which]] = True
    return found[first]


# Near-duplicate texts: a high overlap of character bigrams, found with an inverted index of bigrams.


NEAR = 0.7
"""The least Jaccard coefficient of character bigrams of near-duplicate posts."""


def near_pairs(texts: Iterable[str], known: Sequence[str], *, threshold: float = NEAR) -> Iterator[tuple[int, int]]:
    """The positions in ``texts`` and in ``known`` of all near-duplicates.

    >>> list(near_pairs(["今天天气真好啊", "明天考试"], ["今天天气真好！", "去看海"]))
    [(0, 0)]
    """
    sets = [bigrams(text) for text in known]
    sizes = np.array([len(grams) for grams in sets], dtype=np.int64)
    texts_with = _texts_with(sets)
    for place, text in enumerate(texts):
        grams = bigrams(text)
        found = [texts_with[gram] for gram in grams if gram in texts_with]
        if not found:
            continue
        shared = np.bincount(np.concatenate(found), minlength=len(sets))
        near = (shared > 0) & (shared >= threshold * (len(grams) + sizes - shared))
        yield from ((place, other) for other in np.flatnonzero(near).tolist())


def _texts_with(sets: Sequence[frozenset[str]]) -> dict[str, IntArray]:
    """The positions of the texts with each bigram."""
    places: dict[str, list[int]] = {}
    for place, grams in enumerate(sets):
        for gram in grams:
            places.setdefault(gram, []).append(place)
    return {gram: np.array(found, dtype=np.int64) for gram, found in places.items()}
