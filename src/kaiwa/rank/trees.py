"""Decision trees as arrays, and the sum of their values for each candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray


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


@kernel
def tree_sums(
    rows: NDArray[np.float32], roots: IntArray, feature: NDArray[np.int32], threshold: FloatArray,
    left: NDArray[np.int32], right: NDArray[np.int32],
) -> FloatArray:  # fmt: skip
    """The sum over trees of the value of the leaf that each row reaches.

    One tree after another, because its nodes stay in the cache; and all rows one level at a time, because a processor
    guesses no branch of one row wrong then.
    """
    sums, nodes = np.zeros(len(rows)), np.empty(len(rows), dtype=np.int32)
    for root in roots:
        nodes[:] = root
        moving = feature[root] >= 0
        while moving:
            moving = False
            for row in range(len(rows)):
                node = nodes[row]
                own = feature[node]
                below = left[node] if rows[row, max(own, 0)] <= threshold[node] else right[node]
                nodes[row] = below if own >= 0 else node
                moving |= own >= 0
        for row in range(len(rows)):
            sums[row] += threshold[nodes[row]]
    return sums
