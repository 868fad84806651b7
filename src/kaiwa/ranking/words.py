"""The distinct words of some texts, numbered from 0, so that tables by word are as small as the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.ranking.texts import TokenLists
from kaiwa.retrieval.query import lower_bound
from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Tokens

    Singles = NDArray[np.float32]


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

    >>> from kaiwa.ranking.texts import token_lists
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


# Phrases: frequent pairs of adjacent words, as further tokens of a text.


_PHRASES_BLOCK = 1 << 17  # texts counted at a time


class Phrases(NamedTuple):
    """The second words of the phrases that begin with each word, ascending: ``seconds[starts[w]:starts[w + 1]]``.

    Words have the numbers below ``words``; the phrase at a place has the number ``words`` + place.
    """

    starts: IntArray
    seconds: Tokens

    @property
    def words(self) -> int:
        """How many words are known."""
        return len(self.starts) - 1

    def added(self, texts: TokenLists) -> TokenLists:
        """Each list's known words, and after them its phrases.

        >>> phrases = Phrases(np.array([0, 0, 2, 2]), np.array([0, 2], dtype=np.int32))
        >>> [values.tolist() for values in phrases.added(TokenLists(np.array([0, 3, 4]), np.array([1, 2, 7, 1])))]
        [[0, 3, 4], [1, 2, 4, 1]]
        """
        return TokenLists(*words_and_phrases(*texts, self))


def frequent_phrases(sides: Iterable[TokenLists], words: int, *, most: int, fewest: int) -> tuple[Phrases, IntArray]:
    """The most frequent phrases of all texts that occur at least ``fewest`` times, and how often each occurs."""
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for texts in sides:
        for low in range(0, len(texts), _PHRASES_BLOCK):
            part = texts.of(np.arange(low, min(low + _PHRASES_BLOCK, len(texts))))
            keys, counts = added_counts(keys, counts, adjacent_keys(*part, words))
    kept = np.sort(np.argsort(-counts, kind="stable")[:most])
    kept = kept[counts[kept] >= fewest]
    starts = np.searchsorted(keys[kept] // words, np.arange(words + 1)).astype(np.int64)
    return Phrases(starts, (keys[kept] % words).astype(np.int32)), counts[kept]


def added_counts(keys: IntArray, counts: IntArray, more: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct keys, ascending, with their counts, after further keys are counted.

    >>> [values.tolist() for values in added_counts(np.array([2, 5]), np.array([1, 4]), np.array([5, 3, 3]))]
    [[2, 3, 5], [1, 2, 5]]
    """
    new, occurrences = np.unique(more, return_counts=True)
    both, places = np.unique(np.concatenate((keys, new)), return_inverse=True)
    total = np.bincount(places, weights=np.concatenate((counts, occurrences)), minlength=len(both))
    return both, total.astype(np.int64)


@kernel
def adjacent_keys(starts: IntArray, tokens: Tokens, words: int) -> IntArray:
    """The key (first word x words + second) of every two adjacent words of a text."""
    keys = np.empty(len(tokens), dtype=np.int64)
    made = 0
    for text in range(len(starts) - 1):
        for at in range(starts[text] + 1, starts[text + 1]):
            if tokens[at - 1] < words and tokens[at] < words:
                keys[made] = np.int64(tokens[at - 1]) * words + tokens[at]
                made += 1
    return keys[:made].copy()


@kernel
def place_in_row(starts: IntArray, numbers: Tokens, row: int, number: int) -> int:
    """Where a number is among those of a row, which ascend: ``numbers[starts[row]:starts[row + 1]]``; -1 if it is not.

    >>> place_in_row(np.array([0, 2, 3]), np.array([4, 7, 7], dtype=np.int32), 0, 7)
    1
    """
    place, end = lower_bound(numbers, starts[row], starts[row + 1], number), starts[row + 1]
    return place if place < end and numbers[place] == number else -1


@kernel
def words_and_phrases(starts: IntArray, tokens: Tokens, phrases: Phrases) -> tuple[IntArray, Tokens]:
    """The known words of each list, then its phrases."""
    words = len(phrases.starts) - 1
    own, made = np.zeros(len(starts), dtype=np.int64), 0
    numbers = np.empty(2 * len(tokens), dtype=np.int32)
    for text in range(len(starts) - 1):
        for at in range(starts[text], starts[text + 1]):
            if tokens[at] < words:
                numbers[made] = tokens[at]
                made += 1
        for at in range(starts[text] + 1, starts[text + 1]):
            if tokens[at - 1] < words and tokens[at] < words:
                place = place_in_row(phrases.starts, phrases.seconds, tokens[at - 1], tokens[at])
                if place >= 0:
                    numbers[made] = words + place
                    made += 1
        own[text + 1] = made
    return own, numbers[:made].copy()


# The product of one vector and each of many texts, whose vectors are weighted sums of those of their words.


LENGTHS = {"posts": "post_lengths", "comments": "comment_lengths"}
"""The name of the array that has the lengths of a side's texts."""
_WORD_PRODUCTS_BLOCK = 1 << 14  # texts whose vectors are made at a time


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
    for low in range(0, len(texts), _WORD_PRODUCTS_BLOCK):
        chosen = np.arange(low, min(low + _WORD_PRODUCTS_BLOCK, len(texts)))
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
