"""Phrases: frequent pairs of adjacent words, as further tokens of a text.

A sum of word vectors does not know which words are next to each other. A frequent pair of adjacent words is a token of
its own beside its two words, with a number after those of all words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.rank.texts.token_lists import TokenLists
from kaiwa.retrieve.search.query_postings import lower_bound
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.model.ids import IntArray
    from kaiwa.rank.texts.token_lists import Tokens

_BLOCK = 1 << 17  # texts counted at a time


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
        for low in range(0, len(texts), _BLOCK):
            part = texts.of(np.arange(low, min(low + _BLOCK, len(texts))))
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
