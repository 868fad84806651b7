"""Decision trees as arrays, and the sum of their values for each candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray

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


# A random forest (Breiman 2001): trees on samples of the rows, each split the best of a few features.


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


# LambdaMART: regression trees boosted to rank (Burges 2010), trained by lightgbm and evaluated by our own arrays.


_SETTINGS = {
    "objective": "lambdarank",
    "learning_rate": 0.03,
    "num_leaves": 8,
    "max_bin": 63,
    "min_data_in_leaf": 30,
    "lambda_l2": 1.0,
    "lambdarank_truncation_level": 10,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}


def lightgbm_module() -> Any:  # Any: untyped
    """The library that trains trees; one line on how to install it if it is missing."""
    with needs_extra("learn"):
        import lightgbm

        return lightgbm


def lambda_mart(rows: NDArray[np.float32], gains: FloatArray, sizes: IntArray, *, rounds: int, seed: int) -> Trees:
    """Trees trained on candidates topic by topic; ``sizes`` is the number of candidates of each topic."""
    lightgbm = lightgbm_module()
    values, levels = np.unique(gains, return_inverse=True)
    settings = {**_SETTINGS, "seed": seed, "label_gain": values.tolist()}
    data = lightgbm.Dataset(rows, label=levels, group=sizes, params={"verbosity": -1}, free_raw_data=True)
    booster = lightgbm.train(settings, data, num_boost_round=rounds)
    return _arrays(booster.dump_model(), rows.shape[1])


def _arrays(model: dict[str, Any], features: int) -> Trees:  # Any: lightgbm's description of the trees
    """The trees of lightgbm's description as arrays."""
    nodes: list[tuple[int, float, int, int]] = []
    gains = np.zeros(features)

    def add(node: dict[str, Any]) -> int:  # Any: as above
        place = len(nodes)
        if "split_feature" not in node:
            nodes.append((-1, node["leaf_value"], -1, -1))
            return place
        nodes.append((0, 0.0, 0, 0))
        gains[node["split_feature"]] += node["split_gain"]
        left, right = add(node["left_child"]), add(node["right_child"])
        nodes[place] = (node["split_feature"], node["threshold"], left, right)
        return place

    roots = [add(tree["tree_structure"]) for tree in model["tree_info"]]
    feature, threshold, left, right = (list(column) for column in zip(*nodes, strict=True))
    whole = np.int32
    return Trees(
        np.array(roots),
        np.array(feature, whole),
        np.array(threshold),
        np.array(left, whole),
        np.array(right, whole),
        gains,
    )
