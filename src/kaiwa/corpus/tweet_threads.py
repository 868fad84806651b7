"""Replies joined to initial posts, in records of keys, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kaiwa.corpus.duplicates import first_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

Tweets = NDArray[Any]  # Any: records of the dtype below
NO_POST = np.uint64(2**64 - 1)
TWEET = np.dtype([
    ("row", np.uint64),
    ("id", np.uint64),  # the key of the tweet's own id
    ("thread", np.uint64),  # the key of the initial post's id: the tweet's own, or the one it answers
    ("post", np.uint64),  # the row of the initial post that a reply answers
    ("initial", np.bool_),
    ("passes", np.bool_),
    ("duplicate", np.bool_),
])  # fmt: skip


def records_of(ids: Sequence[int], answered: Sequence[int | None], passes: Sequence[bool], *, first_row: int) -> Tweets:
    """Records of tweets, from the keys of their ids and of the ids that they answer (None: an initial post)."""
    records = np.zeros(len(ids), dtype=TWEET)
    records["row"] = np.arange(first_row, first_row + len(ids))
    records["id"], records["passes"] = ids, passes
    records["initial"] = [other is None for other in answered]
    records["thread"] = [own if other is None else other for own, other in zip(ids, answered, strict=True)]
    records["post"] = NO_POST
    return records


def mark_duplicate_ids(part: Tweets) -> Tweets:
    """Mark all but the first of the tweets with the same id."""
    part["duplicate"] = first_rows(part["id"]) != np.arange(len(part))
    return part


def join_replies(part: Tweets) -> Tweets:
    """Give each reply the row of the first initial post of its thread that passes."""
    posts = part[part["initial"] & part["passes"]]
    threads, first = np.unique(posts["thread"], return_index=True)
    if len(threads):
        place = np.minimum(np.searchsorted(threads, part["thread"]), len(threads) - 1)
        answered = threads[place] == part["thread"]
        part["post"][answered] = posts["row"][first[place[answered]]]
    return part
