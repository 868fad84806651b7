"""Answers of a system to a query that pass the filters: as replies with reasons, or as a ranking of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import counted
from kaiwa.model.shown import Shown
from kaiwa.rank.answer_filters import Filters, Screen
from kaiwa.rank.features.batch import Batch
from kaiwa.rank.features.feature_table import feature_values, term_strengths, word_pairs
from kaiwa.rank.system import ranked
from kaiwa.retrieve.search.takedown_ids import Takedown, is_among
from kaiwa.retrieve.text.tokenisers import tokeniser
from kaiwa.retrieve.text.written_words import SharedWords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.rank.models.model_table import Models
    from kaiwa.rank.system import System
    from kaiwa.retrieve.index.inverted_index import Index
    from kaiwa.retrieve.search.matching import Candidates, Query

_EXTRA = 10  # candidates beyond k, because the filters drop some
_STEP = 2.0**-22  # two units of single precision, in which trec_eval stores scores
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


class Replies(list[Reply], Shown):
    """The comments that answer a post, best first, with reasons.

    ``weights`` are those of the standardised features, if the system orders by them; else None.

    >>> import kaiwa
    >>> kaiwa.Replies()
    Replies(0 comments)
    """

    weights: Mapping[str, float] | None = None

    def __repr__(self) -> str:
        return f"Replies({counted(len(self), 'comment')})"


def answers(
    query: Query,
    system: System,
    *,
    k: int,
    filters: Filters,
    takedown: Takedown = NO_TAKEDOWN,
    models: Models | None = None,
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


def _with_shown_posts(index: Index, candidates: Candidates, takedown: Takedown) -> Candidates:
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
    models: Models | None = None,
    takedown: Takedown = NO_TAKEDOWN,
) -> Replies:
    """The candidates as replies, each with its reasons."""
    batch = Batch(query, candidates, models, takedown.posts)
    values, strengths = feature_values(batch, system.features), term_strengths(batch, system.features)
    translations = word_pairs(batch, system.features)
    posts, comments = query.index.posts.texts, query.index.comments.texts
    words = SharedWords(tokeniser(query.index.tokeniser), query.text, query.index.language)
    made = Replies()
    made.weights = system.weights
    for place, (comment, post) in enumerate(zip(candidates.comments.tolist(), candidates.posts.tolist(), strict=True)):
        text, post_text = comments.text_of(comment), posts.text_of(post)
        added = {word: amount for word, amount in zip(query.words, strengths[:, place].tolist(), strict=True) if amount}
        made.append(
            Reply(
                comment=comments.id_of(comment),
                text=text,
                score=float(candidates.scores[place]),
                post=posts.id_of(post),
                post_text=post_text,
                words=words.shared(added, f"{text}\n{post_text}"),
                features={name: float(column[place]) for name, column in values.items()},
                translations=translations[place],
            )
        )
    return made


def bare_replies(index: Index, candidates: Candidates) -> list[BareReply]:
    """The candidates as replies without reasons."""
    posts, comments = index.posts.texts, index.comments.texts
    rows = zip(candidates.comments.tolist(), candidates.posts.tolist(), candidates.scores.tolist(), strict=True)
    return [
        BareReply(comments.id_of(comment), comments.text_of(comment), score, posts.id_of(post), posts.text_of(post))
        for comment, post, score in rows
    ]


def ranking(index: Index, candidates: Candidates) -> list[tuple[str, float]]:
    """The ids of the candidates' comments with distinct scores, as a run has them."""
    ids = map(index.comments.texts.id_of, candidates.comments.tolist())
    return distinct_scores(list(zip(ids, candidates.scores.tolist(), strict=True)))


def distinct_scores(tied: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The ranking, best first; a score that ties, also in single precision, is set just below the one before it.

    Tools break ties by different rules; with distinct scores they all find the same order.

    >>> distinct_scores([("c1", 4.0), ("c2", 4.0), ("c3", 1.0)])
    [('c1', 4.0), ('c2', 3.9999990463256836), ('c3', 1.0)]
    """
    distinct: list[tuple[str, float]] = []
    for comment, score in tied:
        before = distinct[-1][1] if distinct else float("inf")
        distinct.append((comment, min(score, before - _STEP * max(abs(before), 1.0)) if distinct else score))
    return distinct
