"""The features by name: FEATURES has one row for each.

A feature never changes the arrays it gets: all features of a batch read the same arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.convolution_match import CONVOLUTION_FEATURES
from kaiwa.rank.features.decoder_probability import DECODER_FEATURES
from kaiwa.rank.features.encoder_cosine import ENCODER_FEATURES
from kaiwa.rank.features.forest_chance import FOREST_FEATURES
from kaiwa.rank.features.language_model import LANGUAGE_FEATURES
from kaiwa.rank.features.neighbour_replies import NEIGHBOUR_FEATURES
from kaiwa.rank.features.ngram_probability import NGRAM_FEATURES
from kaiwa.rank.features.pattern_odds import PATTERN_FEATURES
from kaiwa.rank.features.shared_words import SHARED_FEATURES
from kaiwa.rank.features.signals import SIGNAL_FEATURES
from kaiwa.rank.features.similarity import SIMILARITY_FEATURES
from kaiwa.rank.features.topic_word_cosine import TOPIC_WORD_FEATURES
from kaiwa.rank.features.tower_cosine import TOWER_FEATURES
from kaiwa.rank.features.translation_language_model import TRANSLATION_FEATURES
from kaiwa.rank.features.vector_cosine import VECTOR_FEATURES
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.features.feature import WordPairs

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
