"""The product of one vector and each of many texts, whose vectors are weighted sums of those of their words.

Each word is multiplied once, then every text is a sum of numbers. A cosine also needs the length of the text's vector,
which does not depend on the query: a model stores it for all posts and comments of its index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.models.token_lists import TokenLists, Tokens

    Singles = NDArray[np.float32]

LENGTHS = {"posts": "post_lengths", "comments": "comment_lengths"}
"""The name of the array that has the lengths of a side's texts."""
_BLOCK = 1 << 14  # texts whose vectors are made at a time


def products(texts: TokenLists, vectors: Singles, weights: Singles, query: FloatArray | Singles) -> FloatArray:
    """The product of the query and the weighted sum of each text's word vectors."""
    return summed_products(*texts, vectors, weights, query.astype(np.float32))


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
def summed_products(starts: IntArray, tokens: Tokens, vectors: Singles, weights: Singles, query: Singles) -> FloatArray:
    """The sum over each text's tokens of weight x product of the word's vector and the query."""
    found = np.zeros(len(starts) - 1)
    is_known, known = np.zeros(len(vectors), dtype=np.bool_), np.zeros(len(vectors))
    for text in range(len(found)):
        for at in range(starts[text], starts[text + 1]):
            word = tokens[at]
            if word >= len(vectors):
                continue
            if not is_known[word]:
                known[word], is_known[word] = weights[word] * product(vectors[word], query), True
            found[text] += known[word]
    return found
