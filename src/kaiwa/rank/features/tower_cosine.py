"""Two towers: the cosine of the query, encoded as a post, and the post or comment of each pair."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.dense_codes import coded, products
from kaiwa.rank.models.towers import SIDES
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.models.dense_codes import Coded, DenseCodes
    from kaiwa.rank.models.towers import Towers


def tower_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the encoded query and the stored comment, or the mean over its posts."""
    towers: Towers = batch.models.opened("towers")
    query = towers.encoded(TokenLists(np.array([0, len(batch.words)]), batch.words), 0)
    stored: DenseCodes = batch.models.opened("dense")
    own: Coded = getattr(stored, side)
    if batch.is_stored(side, own.codes):
        numbers = batch.candidates.comments if side == "comments" else batch.numbered_posts[0]
        found = products(own.of(numbers), coded(query))
    else:
        texts = batch.comments if side == "comments" else batch.distinct_posts
        found = (towers.encoded(texts, SIDES.index(side)) @ query[0]).astype(np.float64)
    return found if side == "comments" else batch.mean_of_posts(found)


TOWER_FEATURES = {
    f"towers-{short}": Feature(
        partial(tower_cosine, side=side),
        f"cosine of the query and the {noun} by two trained encoders",
        ("towers", "dense"),
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
