"""Agreement of assessors, corrected for chance: Fleiss' kappa, Krippendorff's alpha, Cohen's kappa.

All statistics use the number of votes of each item at each level, "items x levels"; items with fewer than
two votes are ignored. Undefined statistics (all votes at one level) are NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, Names, option

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray, IntArray


_PAIR = 2


def agreeing_pairs(counts: IntArray) -> IntArray:
    """How many ordered pairs of each item's votes agree, and how many there are: items x 2.

    >>> agreeing_pairs(np.array([[0, 3], [2, 1]])).tolist()
    [[6, 6], [2, 6]]
    """
    total = counts.sum(axis=1)
    return np.stack(((counts * (counts - 1)).sum(axis=1), total * (total - 1)), axis=1)


def item_shares(counts: IntArray) -> FloatArray:
    """The share of each item's votes at each level, items x levels; 0 for an item without a vote."""
    shares: FloatArray = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def item_agreement(counts: IntArray) -> FloatArray:
    """The share of agreeing pairs among each item's pairs of votes; NaN for an item without a pair.

    >>> item_agreement(np.array([[0, 3], [2, 1]]))
    array([1.        , 0.33333333])
    """
    agreeing, pairs = agreeing_pairs(counts).T
    shares: FloatArray = np.divide(agreeing, pairs, out=np.full(len(counts), np.nan), where=pairs > 0)
    return shares


def raw_agreement(counts: IntArray) -> float:
    """The share of pairs of votes on an item that agree, over all items; NaN without a pair.

    >>> raw_agreement(np.array([[0, 2], [2, 2]]))
    0.42857142857142855
    """
    agreeing, pairs = agreeing_pairs(counts).sum(axis=0)
    return float(agreeing / pairs) if pairs else float("nan")


def fleiss_kappa(counts: IntArray) -> float:
    """Fleiss' kappa (1971); items have the same weight whatever their number of votes.

    Both the agreement and the shares of the levels, from which chance agreement follows, are means over items.

    >>> round(fleiss_kappa(np.array([[3, 0], [0, 3], [2, 1]])), 4)
    0.55
    """
    voted = counts[counts.sum(axis=1) >= _PAIR]
    if not len(voted):
        return float("nan")
    return kappa_of(float(item_agreement(voted).mean()), item_shares(voted).sum(axis=0))


def kappa_of(observed: float, totals: FloatArray) -> float:
    """(P - Pe) / (1 - Pe), Pe from the share of each level in the totals."""
    shares = totals / totals.sum()
    expected = float((shares**2).sum())
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else float("nan")


def coincidences(counts: IntArray) -> FloatArray:
    """The coincidence matrix of the votes, levels x levels (Krippendorff 2004, chapter 11)."""
    voted = counts[counts.sum(axis=1) >= _PAIR].astype(np.float64)
    weights = 1.0 / np.maximum(voted.sum(axis=1) - 1.0, 1.0)
    matrix: FloatArray = (voted * weights[:, None]).T @ voted
    return matrix - np.diag((voted * weights[:, None]).sum(axis=0))


def krippendorff_alpha(counts: IntArray, metric: str = "ordinal") -> float:
    """Krippendorff's alpha; missing votes are ignored.

    >>> round(krippendorff_alpha(np.array([[2, 0], [0, 2], [1, 1]]), "nominal"), 4)
    0.4444
    """
    return alpha_of(coincidences(counts), metric)


def alpha_of(matrix: FloatArray, metric: str) -> float:
    """1 - Do/De from a coincidence matrix (Krippendorff 2004, chapter 11)."""
    totals = matrix.sum(axis=1)
    distance = METRICS[metric](totals)
    everything = float(totals.sum())
    expected = float(totals @ distance @ totals) / (everything - 1.0) if everything > 1 else 0.0
    return 1.0 - float((matrix * distance).sum()) / expected if expected > 0 else float("nan")


def cohen_kappa(first: IntArray, second: IntArray, levels: int, *, weights: str = "none") -> float:
    """Cohen's kappa of two assessors' levels of the same items; weights none, linear or quadratic.

    Cohen 1960, 1968: 1 - sum(w observed) / sum(w expected), w the distance between levels.

    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]), 2)
    0.5
    """
    observed = np.bincount(first * levels + second, minlength=levels * levels).reshape(levels, levels)
    steps = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(np.float64)
    distance = WEIGHTS[weights](steps)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / max(len(first), 1)
    chance = float((distance * expected).sum())
    return 1.0 - float((distance * observed).sum()) / chance if chance > 0 else float("nan")


def merged(counts: IntArray, classes: IntArray) -> IntArray:
    """The counts with levels merged: ``classes[level]`` is the class of each level.

    >>> merged(np.array([[5, 3, 2]]), np.array([0, 1, 1]))
    array([[5, 5]])
    """
    out = np.zeros((len(counts), int(classes.max()) + 1), dtype=np.int64)
    for level, place in enumerate(classes.tolist()):
        out[:, place] += counts[:, level]
    return out


def parse_merge(text: str, top: int) -> IntArray:
    """The class of each level 0..top, from a text such as ``L1+L2``; a level that is not named is a class of its own.

    >>> parse_merge("L1+L2", 2)
    array([0, 1, 1])
    """
    together: dict[int, int] = {}
    for group in text.split(","):
        names = [name.strip().removeprefix("L") for name in group.split("+")]
        if not all(name.isdecimal() and int(name) <= top for name in names):
            raise InputError(f"{option('merge')}: {group!r} does not name levels of 0..{top}; write it like L1+L2")
        for name in names:
            if int(name) in together:
                raise InputError(f"{option('merge')}: duplicate level {name}; put each level in one class")
            together[int(name)] = min(int(other) for other in names)
    heads = [together.get(level, level) for level in range(top + 1)]
    place = {head: number for number, head in enumerate(sorted(set(heads)))}
    return np.array([place[head] for head in heads], dtype=np.int64)


def _nominal(totals: FloatArray) -> FloatArray:
    return 1.0 - np.eye(len(totals))


def _interval(totals: FloatArray) -> FloatArray:
    values = np.arange(len(totals), dtype=np.float64)
    return np.subtract.outer(values, values) ** 2


def _ordinal(totals: FloatArray) -> FloatArray:
    """The number of votes from one level to the other, half of those at either end, squared."""
    up_to = np.cumsum(totals) - totals / 2.0
    return np.subtract.outer(up_to, up_to) ** 2


METRICS: Names[Callable[[FloatArray], FloatArray]] = Names(
    "metric", {"nominal": _nominal, "ordinal": _ordinal, "interval": _interval}
)
"""Distances between levels for Krippendorff's alpha."""

WEIGHTS: Names[Callable[[FloatArray], FloatArray]] = Names(
    "weights",
    {
        "none": lambda steps: (steps > 0).astype(np.float64),
        "linear": lambda steps: steps,
        "quadratic": lambda steps: steps**2,
    },
)
"""Distances between levels for Cohen's kappa."""
