"""Replies joined to initial posts, in columns of keys, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.corpus.duplicates import first_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.corpus.duplicates import Columns, KeyArray

NO_POST = np.uint64(2**64 - 1)


def tweet_columns(
    rows: KeyArray, ids: Sequence[int], answered: Sequence[int | None], passes: Sequence[bool]
) -> Columns:
    """Columns of tweets, from the keys of their ids and of the ids that they answer (None: an initial post).

    ``thread`` is the key of the initial post's id: the tweet's own, or the one it answers.
    """
    threads = [own if other is None else other for own, other in zip(ids, answered, strict=True)]
    return {
        "row": rows,
        "id": np.array(ids, dtype=np.uint64),
        "thread": np.array(threads, dtype=np.uint64),
        "initial": np.array([other is None for other in answered], dtype=np.bool_),
        "passes": np.array(passes, dtype=np.bool_),
    }


def mark_duplicate_ids(part: Columns) -> Columns:
    """Mark all but the first of the tweets with the same id."""
    return part | {"duplicate": first_rows(part["id"]) != np.arange(len(part["id"]))}


def join_replies(part: Columns) -> Columns:
    """Give each reply the row of the first initial post of its thread that passes, as ``post``."""
    initial = part["initial"] & part["passes"]
    threads, first = np.unique(part["thread"][initial], return_index=True)
    post = np.full(len(initial), NO_POST)
    if len(threads):
        place = np.minimum(np.searchsorted(threads, part["thread"]), len(threads) - 1)
        answered = threads[place] == part["thread"]
        post[answered] = part["row"][initial][first[place[answered]]]
    return {"row": part["row"], "duplicate": part["duplicate"], "post": post}
