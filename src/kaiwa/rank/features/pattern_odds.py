"""Pattern pairs: the log-odds that a comment with its patterns answers a query with its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.rank.models.pattern_pairs import pair_odds
from kaiwa.rank.texts.token_lists import TokenLists

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch


def pattern_odds(batch: Batch) -> FloatArray:
    """The log-odds by the patterns of the query, as a post, and of each comment."""
    query = TokenLists(np.array([0, len(batch.words)]), batch.words)
    return pair_odds(len(batch.models.corpus.words), query, batch.comments, batch.models.opened("patterns"))


PATTERN_FEATURES = {
    "patterns-q2c": Feature(
        pattern_odds, "log-odds that the comment answers the query, by pairs of patterns", ("patterns",)
    )
}
