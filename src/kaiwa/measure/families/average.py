"""Averages over relevant items: AP, Q, normalised cumulative utility (NCU) and graded AP (GAP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measure.judged_lists import share

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.model.ids import FloatArray


def average_precision(lists: Lists) -> FloatArray:
    """The precision at each relevant rank, summed and divided by min(k, R); per list."""
    return share(_over_relevant(lists, lists.precision), lists.possible)


def q_measure(lists: Lists, *, beta: float) -> FloatArray:
    """The blended ratio at each relevant rank, summed and divided by min(k, R) (Sakai 2004); per list."""
    return share(_over_relevant(lists, lists.blended_ratio(beta)), lists.possible)


def rank_biased_ncu(lists: Lists, *, utility: str, gamma: float, beta: float, rho: float) -> FloatArray:
    """The expected utility at the rank where the reader stops, with weights that fall by gamma; per list.

    Sakai and Robertson, EVIA 2008: relevant item i is the last one read with a probability proportional to
    gamma^(i-1). ``utility`` is P (precision), BR (blended ratio) or IE (rho^r).
    """
    weights = gamma ** (lists.found - 1.0)
    possible = lists.possible
    denominator = possible.astype(np.float64) if gamma == 1.0 else (1.0 - gamma**possible) / (1.0 - gamma)
    return share(_over_relevant(lists, weights * _utility(lists, utility, beta, rho)), denominator)


def graded_uniform_ncu(lists: Lists, *, utility: str, s: tuple[float, ...], beta: float) -> FloatArray:
    """The expected utility at the rank where the reader stops, with weights proportional to s(level); per list.

    Sakai and Robertson, EVIA 2008. ``s`` gives each level's weight, lowest level first; if it is empty, the weights
    are the gains.
    """
    weights, whole = lists.gains, lists.ideal_score(_total_gain)
    if s:
        weights, whole = _stops(lists, s=s), lists.ideal_score(_total_stop, s=s)
    return share(_over_relevant(lists, weights * _utility(lists, utility, beta, 1.0)), whole)


def graded_average_precision(lists: Lists) -> FloatArray:
    """Graded average precision in NTCIREVAL's form, with m(x) = x(x+1); per list.

    Robertson, Kanoulas and Yilmaz, SIGIR 2010: sum over relevant i of (1/i) sum_{j<=i} m(min(x_i, x_j)), x the
    level if gains came from levels, else the gain. Levels with the same gain are one level.
    """
    found = lists.relevant_only
    x = _levels(lists, found.gains)
    total = np.zeros(len(x))
    for place in range(x.shape[1]):
        shared = np.minimum(x[:, : place + 1], x[:, place, None])
        total += (shared * (shared + 1.0)).sum(axis=1) / found.ranks[:, place]
    return share(total, lists.ideal_score(_total_merit))


def _total_gain(lists: Lists) -> FloatArray:
    total: FloatArray = lists.gains.sum(axis=1)
    return total


def _total_stop(lists: Lists, *, s: tuple[float, ...]) -> FloatArray:
    total: FloatArray = _stops(lists, s=s).sum(axis=1)
    return total


def _total_merit(lists: Lists) -> FloatArray:
    x = _levels(lists, lists.gains)
    total: FloatArray = (x * (x + 1.0)).sum(axis=1)
    return total


def _stops(lists: Lists, *, s: tuple[float, ...]) -> FloatArray:
    if len(s) != len(lists.levels):
        what = f"s gives {len(s)} stop weights for {len(lists.levels)} levels"
        raise InputError(f"{what}; give one per level ({option('levels')})")
    return np.concatenate(([0.0], s))[_levels(lists, lists.gains).astype(np.int64)]


def _levels(lists: Lists, gains: FloatArray) -> FloatArray:
    if not lists.levels:
        return gains
    return np.searchsorted(np.concatenate(([0.0], lists.levels)), gains).astype(np.float64)


def _utility(lists: Lists, utility: str, beta: float, rho: float) -> FloatArray:
    if utility == "P":
        return lists.precision
    return lists.blended_ratio(beta) if utility == "BR" else np.power(rho, lists.ranks)


def _over_relevant(lists: Lists, value: FloatArray) -> FloatArray:
    """The value summed over relevant ranks; per list."""
    total: FloatArray = np.where(lists.relevant, value, 0.0).sum(axis=1)
    return total
