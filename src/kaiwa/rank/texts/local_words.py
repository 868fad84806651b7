"""The distinct words of some texts, numbered from 0, so that tables by word are as small as the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.rank.texts.token_lists import TokenLists
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.texts.token_lists import Tokens


class LocalWords(NamedTuple):
    """Distinct words in the order of their first occurrence, and the texts with the places of their words.

    ``place_of`` is one more than the place of each word, 0 for a word of no text.
    """

    words: Tokens
    texts: TokenLists
    place_of: Tokens

    def token_lists(self) -> TokenLists:
        """The texts as they were."""
        return TokenLists(self.texts.starts, self.words[self.texts.tokens])


def local_words(texts: TokenLists, vocabulary: int) -> LocalWords:
    """The words of texts, of which ``vocabulary`` are known.

    >>> from kaiwa.rank.texts.token_lists import token_lists
    >>> found = local_words(token_lists([[7, 5], [5, 9]]), 10)
    >>> found.words.tolist(), found.texts.tokens.tolist()
    ([7, 5, 9], [0, 1, 1, 2])
    >>> found.token_lists().tokens.tolist()
    [7, 5, 5, 9]
    """
    place_of = np.zeros(vocabulary, dtype=np.int32)
    words, places = number_words(texts.tokens, place_of)
    return LocalWords(words, TokenLists(texts.starts, places), place_of)


@kernel
def number_words(tokens: Tokens, place_of: Tokens) -> tuple[Tokens, Tokens]:
    """The distinct tokens, and the place of each token among them; sets ``place_of``, where all are 0."""
    words, places = np.empty_like(tokens), np.empty_like(tokens)
    made = 0
    for at in range(len(tokens)):
        if place_of[tokens[at]] == 0:
            words[made] = tokens[at]
            made += 1
            place_of[tokens[at]] = made
        places[at] = place_of[tokens[at]] - 1
    return words[:made], places


@kernel
def scatter_rows(
    starts: IntArray, sources: Tokens, probabilities: NDArray[np.float32], words: Tokens, place_of: Tokens,
    table: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write the rows of some target words into the columns of a table of local source words x target words."""
    for column in range(len(words)):
        if words[column] + 1 < len(starts):
            for at in range(starts[words[column]], starts[words[column] + 1]):
                place = place_of[sources[at]]
                if place > 0:
                    table[place - 1, column] = probabilities[at]


@kernel
def row_means(starts: IntArray, tokens: Tokens, table: NDArray[np.float32]) -> FloatArray:
    """The mean, for each list, of the table's rows of its tokens; 0 for an empty list."""
    means = np.zeros((len(starts) - 1, table.shape[1]))
    for one in range(len(means)):
        for at in range(starts[one], starts[one + 1]):
            for column in range(table.shape[1]):
                means[one, column] += table[tokens[at], column]
        size = max(starts[one + 1] - starts[one], 1)
        for column in range(table.shape[1]):
            means[one, column] /= size
    return means


@kernel
def column_shares(starts: IntArray, tokens: Tokens, column_of: Tokens, columns: int) -> FloatArray:
    """The share of each list's tokens that belong to each column; a token of no column has -1."""
    shares = np.zeros((len(starts) - 1, columns))
    for one in range(len(shares)):
        part = 1.0 / max(starts[one + 1] - starts[one], 1)
        for at in range(starts[one], starts[one + 1]):
            if column_of[tokens[at]] >= 0:
                shares[one, column_of[tokens[at]]] += part
    return shares


@kernel
def list_sums(starts: IntArray, tokens: Tokens, values: FloatArray) -> FloatArray:
    """The sum of the values of each list's tokens."""
    sums = np.zeros(len(starts) - 1)
    for one in range(len(sums)):
        for at in range(starts[one], starts[one + 1]):
            sums[one] += values[tokens[at]]
    return sums


@kernel
def list_means(starts: IntArray, tokens: Tokens, values: FloatArray) -> FloatArray:
    """The mean value of the tokens of each list; 0 for an empty list."""
    means = list_sums(starts, tokens, values)
    for one in range(len(means)):
        means[one] /= max(starts[one + 1] - starts[one], 1)
    return means
