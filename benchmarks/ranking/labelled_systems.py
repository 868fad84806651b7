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
from kaiwa.ranking.system import Asked, by_keys, expanded_query, expanded_search, nearest_pairs, ordered, posts_first
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.text_networks import comment_clusters, lexical_walk, random_walk
from kaiwa.ranking.word_rules import at_its_time, is_short_agreement, short_agreements
from kaiwa.retrieval.matching import Candidates, Matcher, comment_similarities, post_similarities

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

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


def system_scores(
    batches: Sequence[ForeignBatch], columns: Mapping[str, FloatArray], only: Collection[str] = ()
) -> dict[str, FloatArray]:
    """The scores of all labelled candidates by each system, or ``only`` some, that can order given candidates."""
    names = [name for name, system in SYSTEMS.items() if all(map(_is_known, system.searches))]
    names = [name for name in names if not only or name in only]
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


_ALONE = (random_walk, lexical_walk, comment_clusters, nearest_comments, comments_of_nearest_posts, short_agreements)
_WITH_SETTINGS = (posts_first, expanded_search, nearest_pairs, at_its_time)


def _is_known(search: Matcher | Source) -> bool:
    if isinstance(search, partial):
        return search.func in _WITH_SETTINGS
    return isinstance(search, Matcher) or search in _ALONE


def _ranking(asked: AskedAmong, search: Matcher | Source) -> Candidates:
    """The candidates as a search ranks them."""
    if isinstance(search, Matcher):
        return asked.search(search)
    if search is nearest_comments:
        return ordered(asked.among, asked.features["towers-q2c"])
    if search is comments_of_nearest_posts:
        return ordered(asked.among, asked.features["towers-q2p"])
    if search is short_agreements:
        return _agreements(asked)
    if isinstance(search, partial) and search.func is not at_its_time:
        return _with_settings(asked, search)
    found = asked.search(Matcher("tfidf", 1.0, 1.0))
    return search(asked) if found.scores.any() else found


def _with_settings(asked: AskedAmong, search: partial[Candidates]) -> Candidates:
    """The candidates by a source that looks at the whole index, with its settings."""
    if search.func is posts_first:
        return _posts_first(asked, search)
    if search.func is expanded_search:
        query = expanded_query(asked, search.keywords["strengths_of"])
        return ordered(asked.among, matched(query, Matcher("tfidf", 1.0, 1.0), asked.among))
    name = {"vectors": "vectors", "topics": "lda"}[search.keywords["model"]]
    return ordered(asked.among, asked.features[f"{name}-q2p"] + asked.features[f"{name}-q2c"])


def _agreements(asked: AskedAmong) -> Candidates:
    """Those of the candidates that are short comments of agreement, as in ``short_agreements``."""
    index, among = asked.query.index, asked.among
    texts = [index.comments.texts.text_of(one) for one in among.comments.tolist()]
    kept = np.flatnonzero([is_short_agreement(text, index.language) for text in texts])
    lengths = np.array([len(texts[one]) for one in kept.tolist()], dtype=np.float64)
    return by_keys(among[kept], asked.features["q2p"][kept], -lengths)


def _posts_first(asked: AskedAmong, search: partial[Candidates]) -> Candidates:
    """The candidates by the similarity of their posts, then by the second order."""
    second = search.keywords["order"](asked.query, asked.among.comments)
    order = np.lexsort((asked.among.comments, -second, -asked.features["q2p"]))
    scores = np.empty(len(order))
    scores[order] = 1.0 / np.arange(1, len(order) + 1)
    return ordered(asked.among, scores)
