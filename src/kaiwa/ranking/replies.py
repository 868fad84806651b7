"""Answers of a system to a query that pass the filters: as replies with reasons, or as a ranking of a run."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import counted
from kaiwa.nouns.normalise import normalise
from kaiwa.nouns.run import distinct_scores
from kaiwa.ranking.answer_filters import Filters, Screen
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import feature_values, term_strengths, word_pairs
from kaiwa.ranking.system import ranked
from kaiwa.retrieval.takedown_ids import Takedown, is_among
from kaiwa.retrieval.tokenisers import tokeniser
from kaiwa.retrieval.words import SharedWords, stretches, written_words
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import visible, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.system import System
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Candidates, Query
    from kaiwa.show.text import Cell


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
