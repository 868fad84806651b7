"""The product of one vector and each of many texts, whose vectors are weighted sums of those of their words.

Each word is multiplied once, then every text is a sum of numbers. A cosine also needs the length of the text's vector,
which does not depend on the query: a model stores it for all posts and comments of its index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.texts.local_words import list_sums
from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.texts.local_words import LocalWords
    from kaiwa.rank.texts.token_lists import TokenLists, Tokens

    Singles = NDArray[np.float32]

LENGTHS = {"posts": "post_lengths", "comments": "comment_lengths"}
"""The name of the array that has the lengths of a side's texts."""
_BLOCK = 1 << 14  # texts whose vectors are made at a time


def products(texts: LocalWords, vectors: Singles, weights: Singles, query: FloatArray | Singles) -> FloatArray:
    """The product of the query and the weighted sum of each text's word vectors."""
    return list_sums(*texts.texts, word_products(texts.words, vectors, weights, query.astype(np.float32)))


def cosines(found: FloatArray, lengths: Singles) -> FloatArray:
    """The products divided by the lengths of the texts' vectors; 0 for a text whose vector is 0."""
    quotients: FloatArray = found / np.where(lengths > 0, lengths, np.inf)
    return quotients


def text_lengths(texts: TokenLists, vectors_of: Callable[[TokenLists], FloatArray | Singles]) -> Singles:
    """The length of each text's vector, made in blocks."""
    lengths = np.zeros(len(texts), dtype=np.float32)
    for low in range(0, len(texts), _BLOCK):
        chosen = np.arange(low, min(low + _BLOCK, len(texts)))
        vectors = vectors_of(texts.of(chosen))
        lengths[chosen] = np.sqrt((vectors**2).sum(axis=1))
    return lengths


@sum_kernel
def product(vector: Singles, query: Singles) -> np.float32:
    """The product of two vectors."""
    total = np.float32(0)
    for place in range(len(query)):
        total += vector[place] * query[place]
    return total


@kernel
def word_products(words: Tokens, vectors: Singles, weights: Singles, query: Singles) -> FloatArray:
    """Weight x product of each word's vector and the query; 0 for a word without a vector."""
    found = np.zeros(len(words))
    for place in range(len(words)):
        if words[place] < len(vectors):
            found[place] = weights[words[place]] * product(vectors[words[place]], query)
    return found
