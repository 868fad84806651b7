"""Labelled candidates with their features, and how well scores of them rank each topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import no_progress
from kaiwa.errors import InputError
from kaiwa.measures.judgements import Answers, judge
from kaiwa.measures.scoring import Reading, values_of
from kaiwa.measures.table import choose
from kaiwa.nouns.ids import starts_of, unpack
from kaiwa.nouns.normalise import skeleton
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.table import feature_values
from kaiwa.ranking.system import best_posts
from kaiwa.retrieval.documents import find_ids, joined_bytes
from kaiwa.retrieval.matching import Candidates, query_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.measures.judgements import Judgements
    from kaiwa.measures.table import Chosen
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Query


MEASURES = ("nERR@10", "P+", "nG@1")
"""The measures of the pilot study; the first one chooses parameters."""
_RANDOM_ORDERS = 200


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Labelled candidates, topic by topic: the gain and the features of each ("items x features").

    Every topic has a gain above 0; ``left_out`` are the topics that have none. ``families`` names the family of each
    feature.
    """

    gains: Qrels
    features: tuple[str, ...]
    families: tuple[str, ...]
    rows: FloatArray
    ties: IntArray  # a random number for each item: the order of equal scores tells nothing about labels
    left_out: tuple[str, ...] = ()

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.gains.topics)

    @cached_property
    def topic_of(self) -> IntArray:
        """The number of each item's topic."""
        return np.repeat(np.arange(self.topics), np.diff(self.gains.starts))

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """The pairs of items of one topic with different gains: the better item, and the worse one."""
        better, worse = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for low, high in zip(self.gains.starts[:-1].tolist(), self.gains.starts[1:].tolist(), strict=True):
            own = self.gains.gains[low:high]
            first, second = np.nonzero(own[:, None] > own[None, :])
            better.append(first + low)
            worse.append(second + low)
        return np.concatenate(better), np.concatenate(worse)

    @cached_property
    def pair_weights(self) -> FloatArray:
        """The weight of each pair: its difference of gains, divided by the sum of its topic; 1 on average.

        A topic with many pairs then counts no more than one with few, as in the measures.
        """
        better, worse = self.pairs
        weights = self.gains.gains[better] - self.gains.gains[worse]
        weights /= np.bincount(self.topic_of[better], weights, minlength=self.topics)[self.topic_of[better]]
        return weights / max(float(weights.mean()), 1e-300) if len(weights) else weights

    @cached_property
    def has_pairs(self) -> NDArray[np.bool_]:
        """Whether each topic has candidates with different gains."""
        return np.bincount(self.topic_of[self.pairs[0]], minlength=self.topics) > 0

    def of_features(self, kept: Sequence[int]) -> TrainingSet:
        """The set with some of its features."""
        names, families = (tuple(names[place] for place in kept) for names in (self.features, self.families))
        return TrainingSet(self.gains, names, families, self.rows[:, list(kept)], self.ties, self.left_out)

    def measured(self, scores: Sequence[FloatArray]) -> FloatArray:
        """How well each of some scores of the items ranks each topic ("measures x scores x topics")."""
        topics = self.topic_of
        ranked = [np.lexsort((self.ties, -own, topics)).astype(np.int32) for own in scores]
        return self._values(np.concatenate(ranked), len(scores))

    def measured_at_random(self, rng: np.random.Generator) -> FloatArray:
        """The mean over random orders of each topic ("measures x topics"): what a ranker has that knows nothing."""
        total = np.zeros((len(MEASURES), self.topics))
        for _ in range(_RANDOM_ORDERS):
            order = np.lexsort((rng.random(len(self.rows)), self.topic_of)).astype(np.int32)
            total += self._values(order, 1)[:, 0]
        return total / _RANDOM_ORDERS

    @cached_property
    def _scoring(self) -> tuple[Judgements, list[Chosen]]:
        return judge(self.gains), [choose(name) for name in MEASURES]

    def _values(self, ranked: NDArray[np.int32], lists: int) -> FloatArray:
        judgements, chosen = self._scoring
        starts = np.concatenate([self.gains.starts[:-1] + place * len(self.rows) for place in range(lists)])
        lengths = np.tile(np.diff(self.gains.starts), lists)
        answers = Answers(ranked, starts, lengths, self.topics, ())
        return values_of(answers, judgements, chosen, Reading())


def training_set(
    gains: Qrels, features: Sequence[str], families: Sequence[str], rows: FloatArray, *, rng: np.random.Generator
) -> TrainingSet:
    """The set of labelled candidates; values that are not numbers, or labels with one class only, are an error."""
    if (bad := ~np.isfinite(rows)).any():
        item, column = np.argwhere(bad)[0].tolist()
        raise gains.fault(item, f"the feature {features[column]!r} is not a finite number", "leave that feature out")
    positive = np.array([bool((gains.gains[gains.span(topic)] > 0).any()) for topic in gains.topics])
    left_out = tuple(topic for topic, known in zip(gains.topics, positive.tolist(), strict=True) if not known)
    kept = np.repeat(positive, np.diff(gains.starts))
    own, rows = _of_topics(gains, positive), rows[kept]
    made = TrainingSet(own, tuple(features), tuple(families), rows, rng.permutation(len(rows)), left_out)
    if not len(made.pairs[0]):
        what = "every topic has one class of labels only, so no candidate is better than another"
        raise InputError.at(gains.source or "labels", what, "give labels with different grades")
    return made


def _of_topics(gains: Qrels, chosen: NDArray[np.bool_]) -> Qrels:
    """The gains of some topics."""
    sizes = np.diff(gains.starts)
    kept = np.repeat(chosen, sizes)
    return replace(
        gains,
        topics=tuple(topic for topic, own in zip(gains.topics, chosen.tolist(), strict=True) if own),
        starts=starts_of(sizes[chosen].tolist()),
        comments=gains.comments[kept],
        gains=gains.gains[kept],
        lines=None if gains.lines is None else gains.lines[kept],
    )


# The features of labelled comments: each comment of a topic, with its best post, as a candidate of the query.


@dataclass(frozen=True, eq=False)
class LabelledCandidates:
    """The features of the labelled comments ("items x features"), and the topics whose text is a post of a comment."""

    rows: FloatArray
    known_topics: tuple[str, ...]


def labelled_candidates(
    index: InvertedIndex,
    gains: Qrels,
    topics: Mapping[str, str],
    features: Sequence[str],
    *,
    models: OpenModels | None = None,
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


def comment_numbers(index: InvertedIndex, gains: Qrels) -> IntArray:
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
