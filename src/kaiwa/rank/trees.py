"""Decision trees as arrays, and the sum of their values for each candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

    Places = NDArray[np.uint32]


class Trees(NamedTuple):
    """All trees one after another: tree t has the nodes from ``roots[t]`` on.

    A node sends a candidate to ``left`` if its feature is at most the threshold, else to ``right``; a leaf has the
    feature -1, and its value is the threshold. ``gains`` is what the splits on each feature gained.
    """

    roots: IntArray
    feature: NDArray[np.int32]
    threshold: FloatArray
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    gains: FloatArray

    def first(self, count: int) -> Trees:
        """The first trees, as many as ``count``."""
        return self._replace(roots=self.roots[:count])

    def scores(self, rows: NDArray[np.float32]) -> FloatArray:
        """The sum of the trees for each row."""
        return tree_sums(rows, self.roots, self.feature, self.threshold, self.left, self.right)


class Nodes(NamedTuple):
    """The nodes of trees as a loop reads them, in unsigned numbers, because a signed place might count from the end.

    ``below`` has two places for each node: where it sends a candidate of a low and of a high value. A leaf sends it to
    itself.
    """

    below: Places
    asked: Places
    threshold: FloatArray


@kernel
def nodes_of(
    feature: NDArray[np.int32], threshold: FloatArray, left: NDArray[np.int32], right: NDArray[np.int32]
) -> Nodes:
    """The nodes of trees."""
    count = len(feature)
    nodes = Nodes(np.empty(2 * count, np.uint32), np.zeros(count, np.uint32), threshold)
    for node in range(count):
        is_leaf = feature[node] < 0
        nodes.below[2 * node] = node if is_leaf else left[node]
        nodes.below[2 * node + 1] = node if is_leaf else right[node]
        nodes.asked[node] = 0 if is_leaf else feature[node]
    return nodes


@kernel
def descend(values: NDArray[np.float32], features: int, places: Places, nodes: Nodes) -> bool:
    """Send each row to the next level of a tree; whether any row has moved. ``values`` are those of all rows."""
    moved = np.uint32(0)
    for row in range(len(places)):
        node = places[row]
        value = values[np.uint32(row * features) + nodes.asked[node]]
        below = nodes.below[np.uint32(2) * node + np.uint32(value > nodes.threshold[node])]
        places[row] = below
        moved |= below ^ node
    return bool(moved != 0)


@kernel
def tree_sums(
    rows: NDArray[np.float32], roots: IntArray, feature: NDArray[np.int32], threshold: FloatArray,
    left: NDArray[np.int32], right: NDArray[np.int32],
) -> FloatArray:  # fmt: skip
    """The sum over trees of the value of the leaf that each row reaches.

    One tree after another, because its nodes stay in the cache; and all rows one level at a time, because a processor
    guesses no branch of one row wrong then.
    """
    nodes, values = nodes_of(feature, threshold, left, right), rows.ravel()
    sums, places = np.zeros(len(rows)), np.empty(len(rows), dtype=np.uint32)
    for root in roots:
        places[:] = root
        while descend(values, rows.shape[1], places, nodes):
            pass
        for row in range(len(rows)):
            sums[row] += threshold[places[row]]
    return sums
