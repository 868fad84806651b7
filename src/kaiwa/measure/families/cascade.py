"""Measures of a reader who stops when satisfied: ERR, EBR and iRBU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.model.ids import FloatArray


def expected_reciprocal_rank(lists: Lists) -> FloatArray:
    """The expected reciprocal rank at which the reader stops; per list.

    Chapelle et al., CIKM 2009; STC overview 2016, Eq. 3, with stop probability g/(gmax+1).
    """
    return lists.stopping @ (1.0 / lists.ranks)


def expected_blended_ratio(lists: Lists, *, beta: float) -> FloatArray:
    """The expected blended ratio at the rank where the reader stops (Sakai and Zeng, SIGIR 2019); per list."""
    expected: FloatArray = (lists.stopping * lists.blended_ratio(beta)).sum(axis=1)
    return expected


def intentwise_rank_biased_utility(lists: Lists, *, rho: float) -> FloatArray:
    """The expected rho^r at the rank r where the reader stops (Sakai and Zeng, SIGIR 2019); per list."""
    return lists.stopping @ (rho**lists.ranks)
