"""What models are trained on and features read: the texts of an index as token numbers, its pairs, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.retrieval.documents import TermTable
from kaiwa.retrieval.tokenisers import all_tokens
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.inverted_index import Links

    Check = Callable[[str, IntArray, IntArray], None]  # an array, and the parts of it that are read


# Texts as lists of token numbers; the numbers follow the frequency of the tokens, the most frequent one is 0.


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


_TINY = 1e-12


def _no_check(_name: str, _lows: IntArray, _highs: IntArray) -> None:
    """Nothing: for arrays that are already checked."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Posts and comments as lists of token numbers, by their numbers in the index; words are numbered by frequency."""

    posts: TokenLists
    comments: TokenLists
    words: TermTable
    counts: IntArray  # per word: occurrences in posts and comments
    comment_counts: IntArray  # per word: occurrences in the comments of all pairs
    links: Links
    language: str
    check: Check = _no_check

    def tokens_of_posts(self, numbers: IntArray) -> TokenLists:
        """The tokens of some posts; those of a damaged file are an error."""
        return self._checked("posts", self.posts, numbers)

    def tokens_of_comments(self, numbers: IntArray) -> TokenLists:
        """The tokens of some comments; those of a damaged file are an error."""
        return self._checked("comments", self.comments, numbers)

    def all_of(self, side: str) -> TokenLists:
        """The tokens of all posts or of all comments; those of a damaged file are an error."""
        texts: TokenLists = getattr(self, side)
        self.check(f"{side}.tokens", texts.starts[:1], texts.starts[-1:])
        return texts

    def _checked(self, side: str, texts: TokenLists, numbers: IntArray) -> TokenLists:
        self.check(f"{side}.tokens", texts.starts[numbers], texts.starts[numbers + 1])
        return texts.of(numbers)

    def numbers(self, text: str) -> Tokens:
        """The numbers of the text's tokens, in order; unknown words are left out."""
        numbers = self.words.numbers(all_tokens(self.language).terms(text.encode(errors="replace").decode()))
        return numbers[numbers >= 0].astype(np.int32)

    @cached_property
    def bitext(self) -> Bitext:
        """The pairs, from posts to comments."""
        post_of = np.repeat(np.arange(len(self.posts), dtype=np.uint32), np.diff(self.links.post_starts))
        return Bitext(self.posts, self.comments, post_of, self.links.post_comments)

    @cached_property
    def shares(self) -> FloatArray:
        """Each word's share of all tokens."""
        return self.counts / max(int(self.counts.sum()), 1)

    @cached_property
    def comment_shares(self) -> FloatArray:
        """Each word's share of the tokens of comments, where a comment of several posts counts once for each post."""
        return self.comment_counts / max(int(self.comment_counts.sum()), 1)

    @cached_property
    def log_shares(self) -> FloatArray:
        """The log of each word's share of all tokens."""
        return np.log(np.maximum(self.shares, _TINY))

    @cached_property
    def log_comment_shares(self) -> FloatArray:
        """The log of each word's share of the tokens of comments."""
        return np.log(np.maximum(self.comment_shares, _TINY))


def corpus_from(
    arrays: Mapping[str, Any],  # Any: arrays of several dtypes
    links: Links,
    language: str,
    check: Check = _no_check,
) -> Corpus:
    """The corpus made of the arrays of the model ``tokens``; ``check`` is called before parts of them are read."""
    posts, comments = (TokenLists(arrays[f"{side}.starts"], arrays[f"{side}.tokens"]) for side in ("posts", "comments"))
    words = TermTable(*(arrays[f"words.{part}"] for part in ("text", "starts", "slots")))
    counts, comment_counts = arrays["words.counts"], arrays["words.comment_counts"]
    return Corpus(posts, comments, words, counts, comment_counts, links, language, check)
