"""The systems over labelled candidates: each system orders the candidates of a topic, and no other comments.

A search scores the candidates instead of the whole index. A source that looks at the whole index is replaced by what it
means for given candidates; a system with another source is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ranking.dense_source import comments_of_nearest_posts, nearest_comments
from kaiwa.ranking.random_walk import lexical_walk, random_walk
from kaiwa.ranking.system import Asked, expanded_search, further_terms, ordered, posts_first
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.matching import Candidates, Matcher, comment_similarities, post_similarities, query_from
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.ranking.candidate_features import ForeignBatch
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.system import Source, System
    from kaiwa.retrieval.matching import Query


@dataclass(frozen=True, eq=False, kw_only=True)
class AskedAmong(Asked):
    """What is asked of a source if only some candidates can be found."""

    among: Candidates
    features: Mapping[str, FloatArray]

    def search(self, matcher: Matcher) -> Candidates:
        """The candidates by a matcher."""
        return ordered(self.among, matched(self.query, matcher, self.among))


def matched(query: Query, matcher: Matcher, candidates: Candidates) -> FloatArray:
    """The score of each candidate by a matcher."""
    posts = post_similarities(query, matcher.similarity, candidates.posts)
    return matcher.q2p * posts + matcher.q2c * comment_similarities(query, matcher.similarity, candidates.comments)


def system_scores(batches: Sequence[ForeignBatch], columns: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """The scores of all labelled candidates by each system that can order given candidates."""
    names = [name for name, system in SYSTEMS.items() if all(map(_is_known, system.searches))]
    scores: dict[str, list[FloatArray]] = {name: [] for name in names}
    low = 0
    for batch in batches:
        high = low + len(batch.candidates)
        own = {name: values[low:high] for name, values in columns.items()}
        asked = AskedAmong(batch.query, high - low, None, batch.models, among=batch.candidates, features=own)
        for name in names:
            scores[name].append(_scores(asked, SYSTEMS[name]))
        low = high
    return {name: np.concatenate(parts) for name, parts in scores.items()}


def _scores(asked: AskedAmong, system: System) -> FloatArray:
    place_of = {comment: place for place, comment in enumerate(asked.among.comments.tolist())}

    def features(candidates: Candidates) -> dict[str, FloatArray]:
        places = [place_of[comment] for comment in candidates.comments.tolist()]
        return {name: asked.features[name][places] for name in system.features}

    found = system.combine([_ranking(asked, one) for one in system.searches], features)
    by_comment = dict(zip(found.comments.tolist(), found.scores.tolist(), strict=True))
    return np.array([by_comment[comment] for comment in asked.among.comments.tolist()])


def _is_known(search: Matcher | Source) -> bool:
    known = (random_walk, lexical_walk, nearest_comments, comments_of_nearest_posts, expanded_search)
    return isinstance(search, Matcher) or search in known or _is_posts_first(search)


def _is_posts_first(search: Source) -> bool:
    return isinstance(search, partial) and search.func is posts_first


def _ranking(asked: AskedAmong, search: Matcher | Source) -> Candidates:
    """The candidates as a search ranks them."""
    if isinstance(search, Matcher):
        return asked.search(search)
    if search is nearest_comments:
        return ordered(asked.among, asked.features["towers-q2c"])
    if search is comments_of_nearest_posts:
        return ordered(asked.among, asked.features["towers-q2p"])
    if search is expanded_search:
        return _expanded(asked)
    if isinstance(search, partial):
        return _posts_first(asked, search)
    found = asked.search(Matcher("tfidf", 1.0, 1.0))
    return search(asked) if found.scores.any() else found


def _posts_first(asked: AskedAmong, search: partial[Candidates]) -> Candidates:
    """The candidates by the similarity of their posts, then by the second order."""
    second = search.keywords["order"](asked.query, asked.among.comments)
    order = np.lexsort((asked.among.comments, -second, -asked.features["q2p"]))
    scores = np.empty(len(order))
    scores[order] = 1.0 / np.arange(1, len(order) + 1)
    return ordered(asked.among, scores)


def _expanded(asked: AskedAmong) -> Candidates:
    """The candidates by Q2P + Q2C for the query and its further words, as in ``expanded_search``."""
    index = asked.query.index
    own = list(tokeniser(index.tokeniser).terms(asked.query.text))
    query = query_from(index, [*own, *own, *further_terms(asked)], asked.query.text)
    return ordered(asked.among, matched(query, Matcher("tfidf", 1.0, 1.0), asked.among))
