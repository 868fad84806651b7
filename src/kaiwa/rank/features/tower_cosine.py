"""Two towers: the cosine of the query, encoded as a post, and the post or comment of each pair."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.models.towers import Towers


def tower_cosine(batch: Batch, *, side: int) -> FloatArray:
    """The cosine of the encoded query and the encoded comment, or the nearest of its posts."""
    towers: Towers = batch.models.opened("towers")
    query = towers.encoded(TokenLists(np.array([0, len(batch.words)]), batch.words), 0)[0]
    if side:
        return towers.cosines(batch.comments, side, query, batch.stored("comments", towers.comment_lengths))
    lengths = batch.stored("posts", towers.post_lengths)
    return batch.best_of_posts(towers.cosines(batch.distinct_posts, side, query, lengths))


TOWER_FEATURES = {
    f"towers-{short}": Feature(
        partial(tower_cosine, side=side), f"cosine of the query and the {noun} by two trained encoders", ("towers",)
    )
    for short, side, noun in (("q2p", 0, "post"), ("q2c", 1, "comment"))
}
