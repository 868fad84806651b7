"""Counts of relevant items and of votes: Prec, Hit, Recall, Acc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measure.judged_lists import share

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.measure.judgements import Batch
    from kaiwa.model.ids import FloatArray


def precision(lists: Lists) -> FloatArray:
    """C(k)/k, also if the list is shorter than k; per list."""
    share_of_k: FloatArray = lists.relevant.sum(axis=1) / float(lists.cutoff or 1)
    return share_of_k


def hit(lists: Lists) -> FloatArray:
    """1 if a relevant item was returned, else 0; per list."""
    return np.where(lists.relevant.any(axis=1), 1.0, 0.0)


def recall(lists: Lists) -> FloatArray:
    """C(k)/R; per list."""
    return share(lists.relevant.sum(axis=1, dtype=np.float64), lists.total_relevant)


def accuracy(batch: Batch, *, cutoff: int, levels: tuple[int, ...]) -> FloatArray:
    """Acc(G)@k: the share of the votes in the levels G, averaged over the first k ranks; per list.

    STC overview 2016, Japanese subtask. An unjudged or missing item counts 0.
    """
    votes = batch.judgements.votes
    if votes is None:
        raise InputError(f"Acc needs the votes themselves; give them with {option('votes')}")
    if not levels or max(levels) >= votes.shape[1]:
        raise InputError(f"Acc needs levels of the scale 0..{votes.shape[1] - 1}; write it like Acc(L1,L2)@5")
    wanted = share(votes[:, list(levels)].sum(axis=1, dtype=np.float64), votes.sum(axis=1))
    per_row = np.append(np.where(np.isnan(wanted), 0.0, wanted), 0.0)
    total: FloatArray = per_row[batch.rows[:, :cutoff]].sum(axis=1)
    return total / cutoff
