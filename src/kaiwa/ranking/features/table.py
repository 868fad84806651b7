"""The features by name: FEATURES has one row for each.

A feature never changes the arrays it gets: all features of a batch read the same arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import Names
from kaiwa.ranking.features.cosines import (
    ENCODER_FEATURES,
    SIMILARITY_FEATURES,
    TOPIC_WORD_FEATURES,
    TOWER_FEATURES,
    VECTOR_FEATURES,
)
from kaiwa.ranking.features.matches import CONVOLUTION_FEATURES, FOREST_FEATURES, NEIGHBOUR_FEATURES, PATTERN_FEATURES
from kaiwa.ranking.features.signals import SHARED_FEATURES, SIGNAL_FEATURES
from kaiwa.ranking.features.translation import TRANSLATION_FEATURES
from kaiwa.ranking.features.word_models import DECODER_FEATURES, LANGUAGE_FEATURES, NGRAM_FEATURES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.features.batch import Batch
    from kaiwa.ranking.features.feature import WordPairs


FEATURES = Names(
    "feature",
    {
        **SIMILARITY_FEATURES,
        **TRANSLATION_FEATURES,
        **TOPIC_WORD_FEATURES,
        **VECTOR_FEATURES,
        **TOWER_FEATURES,
        **NEIGHBOUR_FEATURES,
        **SHARED_FEATURES,
        **LANGUAGE_FEATURES,
        **NGRAM_FEATURES,
        **CONVOLUTION_FEATURES,
        **DECODER_FEATURES,
        **PATTERN_FEATURES,
        **FOREST_FEATURES,
        **ENCODER_FEATURES,
        **SIGNAL_FEATURES,
    },
)


def feature_values(batch: Batch, names: Iterable[str]) -> dict[str, FloatArray]:
    """The values of some features, each an array over the candidates."""
    return {name: FEATURES[name].values(batch) for name in names}


def term_strengths(batch: Batch, names: Iterable[str]) -> FloatArray:
    """What each term of the query adds to some features together ("terms x pairs"); 0 if a pair does not have it.

    If none of the features is a sum over terms, what it adds to q2p and q2c: the shared words are shown all the same.
    """
    summed = np.zeros((len(batch.query.terms), len(batch.candidates)))
    sums = [name for name in names if FEATURES[name].by_term is not None]
    for by_term in (FEATURES[name].by_term for name in sums or ("q2p", "q2c")):
        if by_term is not None:
            summed += by_term(batch)
    return summed


def word_pairs(batch: Batch, names: Iterable[str]) -> list[WordPairs]:
    """The pairs of different words that add most to the first feature that compares such; none without one."""
    for pairs in (FEATURES[name].word_pairs for name in names):
        if pairs is not None:
            return pairs(batch)
    return [()] * len(batch.candidates)
