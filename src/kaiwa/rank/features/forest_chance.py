"""Random forest: how likely the query and the comment are a true pair, by tf-idf features of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.pair_forest import pair_chances
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def forest_chance(batch: Batch) -> FloatArray:
    """The share of true pairs in the leaves of the query, as a post, and each comment."""
    query = TokenLists(np.array([0, len(batch.words)]), batch.words)
    return pair_chances(query, batch.comments, batch.models.opened("forest"))


FOREST_FEATURES = {
    "forest-q2c": Feature(
        forest_chance, "share of true pairs among such tf-idf features, by a random forest", ("forest",)
    )
}
