"""Filters of answers, independent of their scores."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.takedown import read_lines
from kaiwa.nouns.normalise import bigrams, normalise, skeleton
from kaiwa.retrieval.tokenisers import CJK, words_and_characters

if TYPE_CHECKING:
    from collections.abc import Collection

    from kaiwa.formats.reading import AnyPath

_SPACED = re.compile(f"[^\\W_{CJK}]")  # a letter or digit of a script that writes spaces between words


@dataclass(frozen=True)
class Filters:
    """What is not an answer: a comment that is short, repeats the query or a better answer, or has a blocked word.

    A comment repeats the query (the task's non-repetitive criterion) if at least the share ``repeat`` of its character
    bigrams also occurs in the query, or if it is reordered: it has at least that share of the query's words and no word
    of its own. Of two answers whose bigrams overlap by ``near`` or more (Jaccard), the lower one is dropped. A blocked
    word is a whole word, except in Chinese and Japanese, which write no spaces; it may be a phrase.

    >>> Filters(min_chars=5).blocked
    ()
    """

    min_chars: int = 2
    repeat: float = 0.8
    near: float = 0.8
    blocked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_words(self.blocked)


class NearTexts:
    """Sets of bigrams, and whether one overlaps another set by ``share`` (above 0) or more (Jaccard).

    >>> texts = NearTexts(0.5)
    >>> texts.add(bigrams("abcd"))
    >>> texts.has_near(bigrams("abce")), texts.has_near(bigrams("abxyz"))
    (True, False)
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._sizes: list[int] = []
        self._with: dict[str, list[int]] = {}  # the sets that have a bigram

    def add(self, own: frozenset[str]) -> None:
        """Add a set."""
        for pair in own:
            self._with.setdefault(pair, []).append(len(self._sizes))
        self._sizes.append(len(own))

    def has_near(self, own: frozenset[str]) -> bool:
        """Whether a set that was added overlaps this one."""
        having = [self._with[pair] for pair in own if pair in self._with]
        if self._share > 1 or not having:
            return False
        sizes = np.array(self._sizes)
        shared = np.bincount(np.fromiter(chain.from_iterable(having), dtype=np.int64), minlength=len(sizes))
        return bool((shared / (len(own) + sizes - shared) >= self._share).any())


class Screen:
    """Takes comments in rank order and returns the reason why one is refused.

    >>> screen = Screen("博主辛苦了", Filters(blocked=("广告",)))
    >>> [screen.refuses(text) for text in ("博主辛苦了！", "辛苦了", "辛苦博主了", "嗯", "还好", "还好!!", "广告位")]
    ['identical', 'repeat', 'reordered', 'short', None, 'near', 'blocked']
    """

    def __init__(self, query: str, filters: Filters) -> None:
        self._filters = filters
        self._query = skeleton(query)
        self._query_bigrams = bigrams(query)
        self._query_words = Counter(words_and_characters(query))
        self._blocked = _pattern_of(filters.blocked)
        self._answers = NearTexts(filters.near)

    def refuses(self, text: str) -> str | None:
        """The reason why the comment is not an answer; None if it is one."""
        compared, own = skeleton(text), bigrams(text)
        reason = self._reason(text, compared, own)
        if reason is None:
            self._answers.add(own)
        return reason

    def _reason(self, text: str, compared: str, own: frozenset[str]) -> str | None:
        filters = self._filters
        if len(compared) < filters.min_chars:
            return "short"
        if filters.repeat <= 1 and compared == self._query:
            return "identical"
        if own and len(own & self._query_bigrams) / len(own) >= filters.repeat:
            return "repeat"
        if self._is_reordered(text):
            return "reordered"
        if self._blocked is not None and self._blocked.search(normalise(text)):
            return "blocked"
        return "near" if self._answers.has_near(own) else None

    def _is_reordered(self, text: str) -> bool:
        """Whether the comment has most words of the query, and no other: "我爱你" has too few of "你爱我吗"."""
        own = Counter(words_and_characters(text))
        return 0 < own.total() >= self._filters.repeat * self._query_words.total() and own <= self._query_words


def _require_words(blocked: object) -> None:
    """Refuse a text, whose letters would be words, and an empty word, which every comment has."""
    if not isinstance(blocked, tuple | list):
        raise InputError(f"the blocked words are {blocked!r}; give a tuple of words")
    for word in blocked:
        if not isinstance(word, str) or not normalise(word):
            raise InputError(f"the blocked word {word!r} has no character that is compared; remove it")


def _pattern_of(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """What matches a normalised text that has one of the words."""
    return re.compile("|".join(_whole(normalise(word)) for word in words)) if words else None


def _whole(word: str) -> str:
    """The pattern of one word: "las" is not in "class", but "广告" is in "广告位"."""
    before = f"(?<!{_SPACED.pattern})" if _SPACED.match(word[0]) else ""
    after = f"(?!{_SPACED.pattern})" if _SPACED.match(word[-1]) else ""
    return f"{before}{re.escape(word)}{after}"


NO_FILTERS = Filters(min_chars=0, repeat=2.0, near=2.0)
FILTERS = Filters()
"""The default of every verb that answers."""


def filters_of(
    *, min_chars: int, repeat: float, near: float, block: AnyPath | Collection[str] | None, unfiltered: bool
) -> Filters:
    """The filters that a caller asks for; ``block`` are words, or a file with one per line."""
    given = {"min_chars": min_chars, "repeat": repeat, "near": near}
    changed = [name for name, value in given.items() if value != getattr(FILTERS, name)]
    if unfiltered and changed:
        raise InputError(f"{option('unfiltered')} drops this filter; leave out it or {option(changed[0])}")
    if min_chars < 0:
        raise InputError(f"{option('min_chars', str(min_chars))} is not a number of characters; give 0 or more")
    chosen = NO_FILTERS if unfiltered else Filters(min_chars, repeat, near)
    if block is None:
        return chosen
    if not isinstance(block, str | os.PathLike):
        return replace(chosen, blocked=tuple(block))
    try:
        return replace(chosen, blocked=tuple(sorted(set(read_lines(Path(block))))))
    except InputError as fault:
        if fault.marked.startswith(f"{block}"):
            raise
        raise InputError(f"{block}: {fault.marked}") from None
