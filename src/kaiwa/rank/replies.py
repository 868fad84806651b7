"""Answers with their reasons: a query through a system, past the filters, to comments a reader can judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.shown import Shown, counted
from kaiwa.rank.answer_filters import Filters, Screen
from kaiwa.rank.fusion import FUSIONS
from kaiwa.retrieve.search.matching import Hits, query_of, search, similarities
from kaiwa.retrieve.search.takedown_ids import Banned, among
from kaiwa.retrieve.text.tokenisers import shown, tokeniser

if TYPE_CHECKING:
    from kaiwa.rank.systems import System
    from kaiwa.retrieve.index.inverted_index import Index
    from kaiwa.retrieve.search.matching import Query

FUSION_DEPTH = 100
_EXTRA = 10  # answers fetched beyond k, for the filters to drop


@dataclass(frozen=True)
class Reply:
    """One comment to answer with, and why: the post it stood under, the words it shares, the two similarities."""

    comment: str
    text: str
    score: float
    post: str
    post_text: str
    words: tuple[str, ...]
    q2p: float
    q2c: float


class Replies(list[Reply], Shown):
    """The comments to answer a post with, best first, and the reasons for each.

    >>> import kaiwa
    >>> kaiwa.Replies()
    Replies(0 comments)
    """

    def __repr__(self) -> str:
        return f"Replies({counted(len(self), 'comment')})"


NONE_BANNED = Banned()


def replies(
    index: Index,
    text: str,
    system: System,
    *,
    k: int,
    filters: Filters,
    banned: Banned = NONE_BANNED,
    fusion: str = "rrf",
) -> list[Reply]:
    """The k best comments that pass the filters, best first."""
    query = query_of(index, text)
    depth = k + _EXTRA
    while True:
        hits = ranked(index, query, system, k=depth, fusion=fusion, banned=banned)
        screen = Screen(text, filters)
        chosen: list[int] = []
        for place in np.flatnonzero(~among(hits.comments, banned.comments)).tolist():
            if screen.refuses(index.comments.texts.text_of(int(hits.comments[place]))) is None:
                chosen.append(place)
                if len(chosen) == k:
                    break
        if len(chosen) == k or len(hits) < depth:
            return _explained(index, query, system, _picked(index, hits, chosen, banned))
        depth *= 4


def ranked(index: Index, query: Query, system: System, *, k: int, fusion: str, banned: Banned) -> Hits:
    """The comments as the system ranks them, before any filter."""
    if len(system.matchers) == 1:
        return search(index, query, system.matchers[0], k=k, banned_posts=banned.posts)
    depth = max(k, FUSION_DEPTH)
    several = [search(index, query, matcher, k=depth, banned_posts=banned.posts) for matcher in system.matchers]
    rankings = [list(zip(hits.comments.tolist(), hits.scores.tolist(), strict=True)) for hits in several]
    scores = FUSIONS[fusion](rankings)
    order = sorted(scores, key=lambda comment: (-scores[comment], comment))[:k]
    pairs = dict(pair for hits in several for pair in zip(hits.comments.tolist(), hits.posts.tolist(), strict=True))
    comments = np.array(order, dtype=np.int64)
    posts = np.array([pairs[comment] for comment in order], dtype=np.int64)
    return Hits(comments, posts, np.array([scores[comment] for comment in order]))


def _picked(index: Index, hits: Hits, chosen: list[int], banned: Banned) -> Hits:
    """The chosen hits; where the best post is banned, another post of the comment takes its place."""
    posts = hits.posts[chosen]
    links = index.links
    for place in np.flatnonzero(among(posts, banned.posts)).tolist():
        comment = hits.comments[chosen[place]]
        under = links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]].astype(np.int64)
        posts[place] = under[~among(under, banned.posts)][0]
    return Hits(hits.comments[chosen], posts, hits.scores[chosen])


def _explained(index: Index, query: Query, system: System, hits: Hits) -> list[Reply]:
    q2p, q2c = similarities(index, query, system.matchers[-1].similarity, hits.posts, hits.comments)
    cut = tokeniser(index.tokeniser)
    answers = []
    for place, (comment, post) in enumerate(zip(hits.comments.tolist(), hits.posts.tolist(), strict=True)):
        text, post_text = index.comments.texts.text_of(comment), index.posts.texts.text_of(post)
        there = set(cut.terms(f"{text}\n{post_text}"))
        answers.append(
            Reply(
                comment=index.comments.texts.id_of(comment),
                text=text,
                score=float(hits.scores[place]),
                post=index.posts.texts.id_of(post),
                post_text=post_text,
                words=tuple(shown(word) for word in query.words if word in there),
                q2p=float(q2p[place]),
                q2c=float(q2c[place]),
            )
        )
    return answers
