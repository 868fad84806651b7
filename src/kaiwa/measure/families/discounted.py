"""Gains discounted by rank: nG@1, DCG in both forms, RBP."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.model.ids import FloatArray


def first_gain(lists: Lists) -> FloatArray:
    """The gain at rank 1; per list."""
    return lists.gains[:, 0]


def discounted_gain(lists: Lists, *, b: float) -> FloatArray:
    """The gain discounted by rank; per list.

    ``b`` 0 is Microsoft's form, discount ln(r+1) (Burges et al., ICML 2005); otherwise the original with log
    base b and no discount down to rank b (Jarvelin and Kekalainen, TOIS 2002).
    """
    return lists.gains @ (1.0 / _discount(lists.ranks, b))


def rank_biased_precision(lists: Lists, *, p: float) -> FloatArray:
    """(1-p)/gmax sum g(r) p^(r-1), the gain rate of a reader of persistence p; per list.

    Moffat and Zobel, TOIS 2008.
    """
    return (1.0 - p) * (lists.gains @ (p ** (lists.ranks - 1.0))) / lists.top


def _discount(ranks: FloatArray, b: float) -> FloatArray:
    if b == 0:
        return np.log(ranks + 1.0)
    return np.maximum(np.log(ranks) / log(b), 1.0)
