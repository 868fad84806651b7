"""Preferences between judged items, on condensed lists: the bpref and rpref variants.

Buckley and Voorhees, SIGIR 2004; Sakai, SIGIR 2007 (bpref_R, bpref_N, bpref_relative); De Beer and Moens,
SIGIR 2006 (rpref), as NTCIREVAL computes them. A penalty of 0/0 (no nonrelevant item) is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.measure.judged_lists import share

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.model.ids import FloatArray, IntArray


def bpref(lists: Lists) -> FloatArray:
    """1 - min(R, nonrelevant items above)/min(R, N), averaged over relevant items; per list."""
    return _penalised(lists, np.minimum(lists.total_relevant, lists.total_nonrelevant), capped=True)


def bpref_r(lists: Lists) -> FloatArray:
    """1 - min(R, nonrelevant items above)/R, averaged over relevant items; per list."""
    return _penalised(lists, lists.total_relevant, capped=True)


def bpref_n(lists: Lists) -> FloatArray:
    """1 - (nonrelevant items above)/N, averaged over relevant items; per list."""
    return _penalised(lists, lists.total_nonrelevant, capped=False)


def bpref_relative(lists: Lists) -> FloatArray:
    """1 - (nonrelevant items above)/(r-1), averaged over relevant items; an item at rank 1 counts 0; per list."""
    kept = 1.0 - (lists.ranks - lists.found)[:, 1:] / (lists.ranks[1:] - 1.0)
    return share(np.where(lists.relevant[:, 1:], kept, 0.0).sum(axis=1), lists.total_relevant)


def rpref_n(lists: Lists) -> FloatArray:
    """The gain after graded penalties, each over the worst possible penalty; per list."""
    gain = lists.ideal_score(total_gain)
    worst = lists.total_relevant + lists.total_nonrelevant - gain / lists.top
    return share(_kept_gain(lists, np.where(worst > 0, worst, np.inf)[:, None]), gain)


def rpref_relative(lists: Lists) -> FloatArray:
    """The gain after graded penalties, each over r-1; an item at rank 1 counts 0; per list."""
    ranks = lists.relevant_only.ranks
    worst = np.where(ranks > 1, ranks - 1.0, 1.0)
    return share(_kept_gain(lists, worst, skip_first=True), lists.ideal_score(total_gain))


def rpref_relative2(lists: Lists) -> FloatArray:
    """The gain after graded penalties, each over r; per list."""
    return share(_kept_gain(lists, lists.relevant_only.ranks), lists.ideal_score(total_gain))


def total_gain(lists: Lists) -> FloatArray:
    """The sum of the gains; per list."""
    total: FloatArray = lists.gains.sum(axis=1)
    return total


def _penalised(lists: Lists, worst: IntArray, *, capped: bool) -> FloatArray:
    above = lists.ranks - lists.found
    if capped:
        above = np.minimum(above, lists.total_relevant[:, None])
    kept = 1.0 - above / np.maximum(worst, 1)[:, None]
    return share(np.where(lists.relevant, kept, 0.0).sum(axis=1), lists.total_relevant)


def _kept_gain(lists: Lists, worst: FloatArray, *, skip_first: bool = False) -> FloatArray:
    """The gain of each relevant item times (1 - penalty/worst), summed; per list.

    The penalty of an item is 1 for each nonrelevant item above it, and (g(r) - g(j))/g(r) for each relevant item j
    above it with a smaller gain.
    """
    found = lists.relevant_only
    penalty = found.ranks - np.arange(1.0, found.ranks.shape[1] + 1.0)
    for place in range(1, found.gains.shape[1]):
        own = found.gains[:, place]
        lost = np.maximum(own[:, None] - found.gains[:, :place], 0.0).sum(axis=1)
        penalty[:, place] += np.divide(lost, own, out=np.zeros_like(lost), where=own > 0)
    kept = found.gains * (1.0 - penalty / worst)
    if skip_first:
        kept[found.ranks == 1] = 0.0
    total: FloatArray = kept.sum(axis=1)
    return total
