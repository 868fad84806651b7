"""What models are trained on and features read: the texts of an index as token numbers, its pairs, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.rank.texts.token_lists import Bitext, TokenLists
from kaiwa.retrieve.index.byte_lookup import TermTable
from kaiwa.retrieve.text.tokenisers import all_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.texts.token_lists import Tokens
    from kaiwa.retrieve.index.inverted_index import Links

    Check = Callable[[str, IntArray, IntArray], None]  # an array, and the parts of it that are read

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
