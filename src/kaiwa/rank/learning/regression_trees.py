"""LambdaMART: regression trees boosted to rank (Burges 2010), trained by lightgbm and evaluated by our own arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import needs_extra
from kaiwa.rank.trees import Trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

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
