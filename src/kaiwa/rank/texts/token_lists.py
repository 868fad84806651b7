"""Texts as lists of token numbers; the numbers follow the frequency of the tokens, the most frequent one is 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.ids import IntArray

Tokens = NDArray[np.int32]


class TokenLists(NamedTuple):
    """One list per text: ``tokens[starts[n]:starts[n + 1]]``."""

    starts: IntArray
    tokens: Tokens

    def __len__(self) -> int:
        return len(self.starts) - 1

    def list_of(self, number: int) -> Tokens:
        """The list of one text."""
        return self.tokens[self.starts[number] : self.starts[number + 1]]

    def of(self, numbers: IntArray) -> TokenLists:
        """The lists of some texts, in this order.

        >>> lists = token_lists([[5, 6], [], [7]])
        >>> [values.tolist() for values in lists.of(np.array([2, 0]))]
        [[0, 1, 3], [7, 5, 6]]
        """
        lengths = self.starts[numbers + 1] - self.starts[numbers]
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
        tokens = np.empty(starts[-1], dtype=np.int32)
        copy_lists(self.starts, self.tokens, numbers, starts, tokens)
        return TokenLists(starts, tokens)


class Bitext(NamedTuple):
    """Pairs of texts: pair i is ``sources`` number ``source_of[i]`` and ``targets`` number ``target_of[i]``."""

    sources: TokenLists
    targets: TokenLists
    source_of: NDArray[np.uint32]
    target_of: NDArray[np.uint32]

    def reversed(self) -> Bitext:
        """The same pairs in the other direction."""
        return Bitext(self.targets, self.sources, self.target_of, self.source_of)


def token_lists(lists: Sequence[Sequence[int]]) -> TokenLists:
    """Lists of token numbers as arrays.

    >>> [values.tolist() for values in token_lists([[5, 6], [7]])]
    [[0, 2, 3], [5, 6, 7]]
    """
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return TokenLists(starts, np.array([token for tokens in lists for token in tokens], dtype=np.int32))


def joined(first: TokenLists, second: TokenLists) -> TokenLists:
    """Each list of the first, followed by that of the second.

    >>> [values.tolist() for values in joined(token_lists([[1, 2], [3]]), token_lists([[4], []]))]
    [[0, 3, 4], [1, 2, 4, 3]]
    """
    tokens = np.empty(len(first.tokens) + len(second.tokens), dtype=np.int32)
    tokens[np.arange(len(first.tokens)) + np.repeat(second.starts[:-1], np.diff(first.starts))] = first.tokens
    tokens[np.arange(len(second.tokens)) + np.repeat(first.starts[1:], np.diff(second.starts))] = second.tokens
    return TokenLists(first.starts + second.starts, tokens)


@kernel
def copy_lists(starts: IntArray, tokens: Tokens, numbers: IntArray, own_starts: IntArray, own: Tokens) -> None:
    """Copy the lists of some texts one after another."""
    for place in range(len(numbers)):
        low, at = starts[numbers[place]], own_starts[place]
        for step in range(own_starts[place + 1] - at):
            own[at + step] = tokens[low + step]
