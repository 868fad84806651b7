"""A random forest (Breiman 2001): trees on samples of the rows, each split the best of a few features."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.rank.trees import Trees
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

TREES = 60
DEPTH = 8
LEAF = 20
"""The fewest rows of a leaf."""
_BINS = 32


class Grown(NamedTuple):
    """The nodes of one tree; a split is at the last bin of the left side, and a leaf has the feature -1."""

    feature: NDArray[np.int32]
    split: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    mean: FloatArray
    gains: FloatArray


def grown_forest(
    rows: NDArray[np.float32], labels: FloatArray, rng: np.random.Generator, *, trees: int = TREES, leaf: int = LEAF
) -> Trees:
    """The forest of rows ("items x features") with labels; the value of a leaf is its mean label, over the trees."""
    features = rows.shape[1]
    edges = np.quantile(rows, np.linspace(0, 1, _BINS + 1)[1:-1], axis=0).astype(np.float32)
    bins = np.stack([np.searchsorted(edges[:, one], rows[:, one]) for one in range(features)], axis=1).astype(np.uint8)
    tried = max(1, round(np.sqrt(features)))
    made, roots, size = list[Grown](), list[int](), 0
    for _ in range(trees):
        sample = rng.integers(0, len(rows), len(rows))
        choices = np.argsort(rng.random((2 << DEPTH, features)), axis=1)[:, :tried]
        made.append(grow(bins, labels, sample, choices, leaf))
        roots.append(size)
        size += len(made[-1].feature)
    return _joined(made, roots, edges)


def _joined(made: list[Grown], roots: list[int], edges: NDArray[np.float32]) -> Trees:
    """The nodes of all trees, with thresholds in place of bins."""
    feature, split, mean = (
        np.concatenate([getattr(one, part) for one in made]) for part in ("feature", "split", "mean")
    )
    left, right = (
        np.concatenate([getattr(one, part) + root for one, root in zip(made, roots, strict=True)])
        for part in ("left", "right")
    )
    thresholds = edges[np.maximum(split, 0), np.maximum(feature, 0)].astype(np.float64)
    return Trees(
        np.array(roots),
        feature,
        np.where(feature >= 0, thresholds, mean / len(made)),
        left.astype(np.int32),
        right.astype(np.int32),
        np.sum([one.gains for one in made], axis=0),
    )


@kernel
def best_split(
    bins: NDArray[np.uint8], labels: FloatArray, rows: IntArray, feature: int, leaf: int
) -> tuple[int, float]:
    """The last bin of the left side with the largest fall of squared error, and this fall; 0.0 without a split."""
    counts, sums = np.zeros(_BINS), np.zeros(_BINS)
    for row in rows:
        counts[bins[row, feature]] += 1
        sums[bins[row, feature]] += labels[row]
    whole, total = float(len(rows)), sums.sum()
    best, gain, number, own = -1, 0.0, 0.0, 0.0
    for place in range(_BINS - 1):
        number += counts[place]
        own += sums[place]
        if number >= leaf and whole - number >= leaf:
            fall = own**2 / number + (total - own) ** 2 / (whole - number) - total**2 / whole
            if fall > gain + 1e-9:
                best, gain = place, fall
    return best, gain


@kernel
def divide(bins: NDArray[np.uint8], rows: IntArray, feature: int, split: int) -> int:
    """Move the rows of the left side to the front; their number."""
    left = 0
    for place in range(len(rows)):
        if bins[rows[place], feature] <= split:
            rows[left], rows[place] = rows[place], rows[left]
            left += 1
    return left


@kernel
def grow(bins: NDArray[np.uint8], labels: FloatArray, rows: IntArray, choices: IntArray, leaf: int) -> Grown:
    """One tree on some rows; the node with number n tries the features ``choices[n]``."""
    most = len(choices)
    feature, split = np.full(most, -1, dtype=np.int32), np.full(most, -1, dtype=np.int32)
    left, right = np.full(most, -1, dtype=np.int32), np.full(most, -1, dtype=np.int32)
    mean, gains = np.zeros(most), np.zeros(bins.shape[1])
    low, high, level = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    high[0], nodes, node = len(rows), 1, 0
    while node < nodes:
        own = rows[low[node] : high[node]]
        mean[node] = labels[own].mean()
        best, place, chosen = 0.0, -1, -1
        if level[node] < DEPTH:
            for one in choices[node]:
                found, gain = best_split(bins, labels, own, one, leaf)
                if gain > best:
                    best, place, chosen = gain, found, one
        if chosen >= 0:
            feature[node], split[node], left[node], right[node] = chosen, place, nodes, nodes + 1
            gains[chosen] += best
            middle = low[node] + divide(bins, own, chosen, place)
            low[nodes], high[nodes], low[nodes + 1], high[nodes + 1] = low[node], middle, middle, high[node]
            level[nodes], level[nodes + 1] = level[node] + 1, level[node] + 1
            nodes += 2
        node += 1
    return Grown(feature[:nodes], split[:nodes], left[:nodes], right[:nodes], mean[:nodes], gains)
