"""The features of labelled comments: each comment of a topic, with its best post, as a candidate of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.ids import unpack
from kaiwa.model.normalise import skeleton
from kaiwa.model.progress_callback import no_progress
from kaiwa.rank.features.batch import Batch
from kaiwa.rank.features.feature_table import feature_values
from kaiwa.rank.sources.source import best_posts
from kaiwa.retrieve.index.byte_lookup import find_ids, joined_bytes
from kaiwa.retrieve.search.matching import Candidates, query_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.models.model_table import Models
    from kaiwa.retrieve.index.inverted_index import Index
    from kaiwa.retrieve.search.matching import Query


@dataclass(frozen=True, eq=False)
class LabelledCandidates:
    """The features of the labelled comments ("items x features"), and the topics whose text is a post of a comment."""

    rows: FloatArray
    known_topics: tuple[str, ...]


def labelled_candidates(
    index: Index,
    gains: Gains,
    topics: Mapping[str, str],
    features: Sequence[str],
    *,
    models: Models | None = None,
    progress: Progress = no_progress,
) -> LabelledCandidates:
    """The features of each labelled comment; one that the index does not have, or a topic without text, is an error."""
    if missing := [topic for topic in gains.topics if topic not in topics]:
        what = f"topic {missing[0]!r} has labels but no text in the topics"
        raise gains.fault(int(gains.span(missing[0]).start), what, "add it to the topics")
    comments = comment_numbers(index, gains)
    rows = np.zeros((len(gains), len(features)))
    known = []
    for done, topic in enumerate(gains.topics, start=1):
        own = gains.span(topic)
        query = query_of(index, topics[topic])
        candidates = Candidates(comments[own], best_posts(query, comments[own]), np.zeros(own.stop - own.start))
        values = feature_values(Batch(query, candidates, models), features)
        rows[own] = np.stack([values[name] for name in features], axis=1)
        if _is_known(query, candidates.posts):
            known.append(topic)
        progress(done, len(gains.topics))
    return LabelledCandidates(rows, tuple(known))


def comment_numbers(index: Index, gains: Gains) -> IntArray:
    """The number of each labelled comment; an id that cleaning merged into another comment is that comment."""
    names = unpack(gains.comments)
    numbers = index.comments.texts.find(names)
    unknown = np.flatnonzero(numbers < 0)
    if len(unknown):
        merged = index.merged
        places = find_ids(
            merged.ids,
            merged.id_starts,
            np.arange(len(merged.kept), dtype=np.uint32),
            *joined_bytes([names[place] for place in unknown.tolist()]),
        )
        numbers[unknown[places >= 0]] = merged.kept[places[places >= 0]]
        unknown = unknown[places < 0]
    if len(unknown):
        row = int(unknown[0])
        what = f"comment {names[row]!r} is not in the index (nor are those of {len(unknown) - 1:,} other labels)"
        raise gains.fault(row, what, "give the index of the labelled repository, or remove these labels")
    return numbers.astype(np.int64)


def _is_known(query: Query, posts: IntArray) -> bool:
    """Whether the query is the post of a labelled comment: then its features know the answer."""
    texts, own = query.index.posts.texts, skeleton(query.text)
    return any(skeleton(texts.text_of(post)) == own for post in np.unique(posts).tolist())
