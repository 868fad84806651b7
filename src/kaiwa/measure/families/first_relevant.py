"""Measures of finding one good item soon: RR, O, P and P+."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.model.ids import FloatArray, IntArray


def reciprocal_rank(lists: Lists) -> FloatArray:
    """One over the rank of the first relevant item, 0 if there is none; per list."""
    return np.where(lists.relevant.any(axis=1), 1.0 / (lists.relevant.argmax(axis=1) + 1.0), 0.0)


def o_measure(lists: Lists, *, beta: float) -> FloatArray:
    """The blended ratio at the first relevant rank (Sakai 2007, IPSJ TOD 48); per list."""
    return _blended_at(lists, lists.relevant.argmax(axis=1), beta)


def p_measure(lists: Lists, *, beta: float) -> FloatArray:
    """The blended ratio at the preferred rank (Sakai 2007); per list."""
    return _blended_at(lists, _preferred(lists), beta)


def p_plus(lists: Lists, *, beta: float) -> FloatArray:
    """The mean blended ratio over the relevant ranks down to the preferred one (Sakai 2007); per list.

    STC overview 2016, Eq. 2. A list without a relevant item scores 0.
    """
    counted = lists.relevant & (lists.ranks <= _preferred(lists)[:, None] + 1)
    total: FloatArray = np.where(counted, lists.blended_ratio(beta), 0.0).sum(axis=1)
    number: IntArray = counted.sum(axis=1)
    return total / np.maximum(number, 1)


def _preferred(lists: Lists) -> IntArray:
    """The first position of the highest gain in each list, counted from 0."""
    place: IntArray = lists.gains.argmax(axis=1)
    return place


def _blended_at(lists: Lists, place: IntArray, beta: float) -> FloatArray:
    at_place = np.take_along_axis(lists.blended_ratio(beta), place[:, None], axis=1)[:, 0]
    return np.where(lists.relevant.any(axis=1), at_place, 0.0)
