"""Answers of a system to a query that pass the filters: as replies with reasons, or as a ranking of a run."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import asdict, dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted, option
from kaiwa.formats.takedown import read_lines
from kaiwa.nouns.normalise import bigrams, normalise, skeleton
from kaiwa.nouns.run import distinct_scores
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import feature_values, term_strengths, word_pairs
from kaiwa.ranking.system import ranked
from kaiwa.retrieval.takedown_ids import Takedown, is_among
from kaiwa.retrieval.tokenisers import CJK, SharedWords, stretches, tokeniser, words_and_characters, written_words
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import visible, width

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kaiwa.formats.reading import AnyPath
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.system import System
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Candidates, Query
    from kaiwa.show.text import Cell


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


_EXTRA = 10  # candidates beyond k, because the filters drop some
NO_TAKEDOWN = Takedown()


@dataclass(frozen=True)
class Reply:
    """One comment as an answer, and its reasons: its best post, the words it shares, the values of the features.

    ``words`` are words of the query as they are written there, those that add most to the features first. Function
    words are left out, unless nothing else is shared. ``translations`` are, for a system with TransLM, words of the
    query that the pair lacks, with the words of the pair that explain them.
    """

    comment: str
    text: str
    score: float
    post: str
    post_text: str
    words: tuple[str, ...]
    features: Mapping[str, float]
    translations: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class BareReply:
    """One comment as an answer, without reasons: the fields of a Reply that take no time."""

    comment: str
    text: str
    score: float
    post: str
    post_text: str


class Replies(list[Reply], Result):
    """The comments that answer a post, best first, with reasons.

    ``post`` and ``system`` say what was answered by what; ``weights`` are those of the standardised features, if the
    system orders by them, else None.

    >>> import kaiwa
    >>> kaiwa.Replies()
    Replies(0 comments)
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        post: str = "",
        system: str = "",
        weights: Mapping[str, float] | None = None,
        tokens: str = "en",
    ) -> None:
        super().__init__(replies)
        self.post, self.system, self.weights = post, system, weights
        self._tokens = tokens

    def __repr__(self) -> str:
        return f"Replies({counted(len(self), 'comment')})"

    @property
    def replies(self) -> list[Reply]:
        """The replies, as in its JSON."""
        return list(self)

    def describe(self) -> Description:
        """The replies with their reasons."""
        rows: list[list[Cell]] = [
            [rank, one.comment, one.text, one.score, one.post, one.post_text, " ".join(one.words)]
            for rank, one in enumerate(self, start=1)
        ]
        columns = ["rank", "comment", "text", "score", "post", "post_text", "words"]
        header = ["rank", "comment", "reply", "score", "post", "to the post", "words shared"]
        weights = {} if self.weights is None else {"weights": dict(self.weights)}
        return Description(
            tables=(Table("replies", columns, rows, header),),
            text=replies_text(self, tokens=self._tokens, weights=self.weights),
            fields={"post": self.post, "system": self.system, **weights, "replies": [asdict(one) for one in self]},
        )


def answers(
    query: Query,
    system: System,
    *,
    k: int,
    filters: Filters,
    takedown: Takedown = NO_TAKEDOWN,
    models: OpenModels | None = None,
) -> Candidates:
    """The k best candidates that pass the filters, best first."""
    texts = query.index.comments.texts
    depth = k + _EXTRA
    while True:
        found = ranked(query, system, k=depth, takedown_posts=takedown.posts, models=models)
        screen = Screen(query.text, filters)
        chosen: list[int] = []
        for place in np.flatnonzero(~is_among(found.comments, takedown.comments)).tolist():
            if screen.refuses(texts.text_of(int(found.comments[place]))) is None:
                chosen.append(place)
                if len(chosen) == k:
                    break
        if len(chosen) == k or len(found) < depth:
            return _with_shown_posts(query.index, found[np.array(chosen, dtype=np.int64)], takedown)
        depth *= 4


def _with_shown_posts(index: InvertedIndex, candidates: Candidates, takedown: Takedown) -> Candidates:
    """The candidates, with each post of the takedown list replaced by another post of the comment."""
    posts = candidates.posts.copy()
    links = index.links
    for place in np.flatnonzero(is_among(posts, takedown.posts)).tolist():
        comment = candidates.comments[place]
        own = links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]].astype(np.int64)
        posts[place] = own[~is_among(own, takedown.posts)][0]
    return replace(candidates, posts=posts)


def replies(
    query: Query,
    system: System,
    candidates: Candidates,
    models: OpenModels | None = None,
    takedown: Takedown = NO_TAKEDOWN,
    *,
    post: str = "",
    name: str = "",
) -> Replies:
    """The candidates as replies, each with its reasons, to a post by the system of a name."""
    batch = Batch(query, candidates, models, takedown.posts)
    values, strengths = feature_values(batch, system.features), term_strengths(batch, system.features)
    translations = word_pairs(batch, system.features)
    posts, comments = query.index.posts.texts, query.index.comments.texts
    words = SharedWords(tokeniser(query.index.tokeniser), query.text, query.index.language)
    made = Replies(post=post, system=name, weights=system.weights, tokens=query.index.tokeniser)
    for place, (comment, old_post) in enumerate(
        zip(candidates.comments.tolist(), candidates.posts.tolist(), strict=True)
    ):
        text, post_text = comments.text_of(comment), posts.text_of(old_post)
        added = {word: amount for word, amount in zip(query.words, strengths[:, place].tolist(), strict=True) if amount}
        made.append(
            Reply(
                comment=comments.id_of(comment),
                text=text,
                score=float(candidates.scores[place]),
                post=posts.id_of(old_post),
                post_text=post_text,
                words=words.shared(added, f"{text}\n{post_text}"),
                features={name: float(column[place]) for name, column in values.items()},
                translations=translations[place],
            )
        )
    return made


def bare_replies(index: InvertedIndex, candidates: Candidates) -> list[BareReply]:
    """The candidates as replies without reasons."""
    posts, comments = index.posts.texts, index.comments.texts
    rows = zip(candidates.comments.tolist(), candidates.posts.tolist(), candidates.scores.tolist(), strict=True)
    return [
        BareReply(comments.id_of(comment), comments.text_of(comment), score, posts.id_of(post), posts.text_of(post))
        for comment, post, score in rows
    ]


def ranking(index: InvertedIndex, candidates: Candidates) -> list[tuple[str, float]]:
    """The ids of the candidates' comments with distinct scores, as a run has them."""
    ids = map(index.comments.texts.id_of, candidates.comments.tolist())
    return distinct_scores(list(zip(ids, candidates.scores.tolist(), strict=True)))


# Replies to a post, each with its reasons.


_CUT = "…"
_JOINER = "\u200d"
POST_COLUMNS = 60
_MOST_FEATURES = 6  # on a line; JSON has all


def replies_text(replies: Sequence[Reply], *, tokens: str, weights: Mapping[str, float] | None) -> str:
    """Three lines for each reply: its text, its score and reasons, the post that it was written for.

    ``tokens`` is the tokeniser of the index, which knows where a word ends.
    """
    lines = []
    for rank, one in enumerate(replies, start=1):
        old_post = excerpt(one.post_text, one.words, tokens=tokens, columns=POST_COLUMNS)
        lines.append(f"{rank:>2}  {visible(one.text)}")
        words = f"; words: {visible(' '.join(one.words))}" if one.words else ""
        if one.translations:
            words += f"; translated: {', '.join(visible(f'{own} <- {other}') for own, other in one.translations)}"
        lines.append(f"    {one.score:.4f} ({_features(one, weights)}{words}) {visible(one.comment)}")
        lines.append(f"    to {visible(one.post)}: {visible(old_post)}")
    return "\n".join(lines) or "no comment answers this post"


def _features(reply: Reply, weights: Mapping[str, float] | None) -> str:
    """The features with their weights; of many, those of the largest weights."""
    names = list(reply.features)
    if weights is not None and len(names) > _MOST_FEATURES:
        names.sort(key=lambda name: -abs(weights[name]))
    shown = ", ".join(f"{name} {reply.features[name]:.4f}{_weight(name, weights)}" for name in names[:_MOST_FEATURES])
    left = len(names) - _MOST_FEATURES
    return f"{shown} and {counted(left, 'more feature')} (--json)" if left > 0 else shown


def _weight(name: str, weights: Mapping[str, float] | None) -> str:
    return "" if weights is None else f" ({weights[name]:+.3f})"


def excerpt(text: str, words: Sequence[str], *, tokens: str, columns: int) -> str:
    """The part of the text around the first of the words that it has, cut between words, with a mark at each cut.

    >>> excerpt("It rained all day, then the sun came out", ["sun"], tokens="en", columns=20)
    '…the sun came out'
    """
    if width(text) <= columns:
        return text
    room = columns - 2 * width(_CUT)
    edges = _edges(text, tokens, room)
    first, last = _part(text, edges, _place(text, words, tokens), room)
    part = text[edges[first] : edges[last]].strip()
    return (_CUT if edges[first] else "") + part + (_CUT if edges[last] < len(text) else "")


def _place(text: str, words: Sequence[str], tokens: str) -> tuple[int, int]:
    """Where the text has the first of the words that it has; its beginning if it has none."""
    chosen = tokeniser(tokens)
    written = written_words(chosen, text)
    for word in words:
        if found := stretches(written, set(chosen.terms(word)), text, normalise(text)):
            longest = max(found, key=lambda one: one.end - one.start)
            return longest.start, longest.end
    return 0, 0


def _edges(text: str, tokens: str, room: int) -> list[int]:
    """The positions at which the text may be cut: between words, and anywhere in a word that is too wide."""
    words = written_words(tokeniser(tokens.partition("+")[0]), text)
    wanted = sorted({0, len(text), *(word.start for word in words), *(word.end for word in words)})
    for low, high in pairwise(wanted[:]):
        if width(text[low:high]) > room:
            wanted.extend(range(low + 1, high))
    return sorted(at for at in wanted if at in {0, len(text)} or not _is_joined(text[at - 1], text[at]))


def _is_joined(before: str, after: str) -> bool:
    """Whether two characters are drawn as one: a mark, a skin tone, or either side of a joiner."""
    return before == _JOINER or width(after) == 0 or "\U0001f3fb" <= after <= "\U0001f3ff"


def _part(text: str, edges: Sequence[int], place: tuple[int, int], room: int) -> tuple[int, int]:
    """The first and last edge of what is shown: the place, and as much as fits on both sides of it."""

    def fits(low: int, high: int) -> bool:
        return low >= 0 and high < len(edges) and width(text[edges[low] : edges[high]].strip()) <= room

    first = last = bisect_right(edges, place[0]) - 1
    while edges[last] < place[1] and fits(first, last + 1):
        last += 1
    if fits(0, last):
        first = 0
    while fits(first - 1, last) or fits(first, last + 1):
        if fits(first, last + 1):
            last += 1
        if fits(first - 1, last):
            first -= 1
    return first, last
