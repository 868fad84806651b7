"""The features of labelled candidates, computed once: models of one index, candidates of another."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ranking.features.batch import FIRST_DEPTH, FIRST_STAGE, Batch, neighbours_among
from kaiwa.ranking.features.table import FEATURES, feature_values
from kaiwa.ranking.system import best_posts
from kaiwa.ranking.texts import TokenLists, token_lists
from kaiwa.ranking.training_set import TrainingSet, comment_numbers, training_set
from kaiwa.retrieval.matching import Candidates, query_of, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.ranking.strict_index import LabelledTopics, Prepared
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.features.batch import Neighbours
    from kaiwa.retrieval.matching import Query


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignBatch(Batch):
    """A batch whose models number the words of other texts than those of its index: it tokenises its texts.

    ``strict`` is the query on the index of the models, which has no candidates.
    """

    strict: Query
    known: dict[tuple[str, int], list[int]] = field(default_factory=dict)  # by side and number: shared by all batches

    def is_stored(self, side: str, vectors: NDArray[Any]) -> bool:  # noqa: ARG002  Any: of any precision
        """No model has stored vectors of these texts."""
        return False

    @cached_property
    def comments(self) -> TokenLists:
        """The tokens of each candidate's comment."""
        return self._tokens("comments", self.candidates.comments)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The comments of similar pairs of the strict index: no candidate is among them."""
        found = neighbours_among(search(self.strict, FIRST_STAGE, k=FIRST_DEPTH), self.models)
        return found._replace(comments=np.full(len(found.comments), -1))

    def tokens_of_posts(self, posts: IntArray) -> TokenLists:
        """The tokens of some posts."""
        return self._tokens("posts", posts)

    def _tokens(self, side: str, numbers: IntArray) -> TokenLists:
        texts = getattr(self.query.index, side).texts
        for number in numbers.tolist():
            if (side, number) not in self.known:
                self.known[side, number] = self.models.corpus.numbers(texts.text_of(number)).tolist()
        return token_lists([self.known[side, number] for number in numbers.tolist()])


def batches(prepared: Prepared, labelled: LabelledTopics) -> Iterator[ForeignBatch]:
    """The labelled candidates of each topic, each with its post that is most similar to the topic."""
    index, gains, known = prepared.index, labelled.gains, dict[tuple[str, int], list[int]]()
    comments = comment_numbers(index, gains)
    for topic in gains.topics:
        query, own = query_of(index, labelled.texts[topic]), comments[gains.span(topic)]
        candidates = Candidates(own, best_posts(query, own), np.zeros(len(own)))
        strict = query_of(prepared.strict, labelled.texts[topic])
        yield ForeignBatch(query, candidates, prepared.models, strict=strict, known=known)


def computed_features(prepared: Prepared, labelled: LabelledTopics, stored: Path, *, seed: int) -> TrainingSet:
    """All own features of all candidates, as a training set, kept in a file; an encoder is given apart."""
    names = [name for name, feature in FEATURES.items() if "encoder" not in feature.needs]
    columns = kept(stored, lambda: columns_of(batches(prepared, labelled), names))
    groups = [FEATURES[name].group for name in columns]
    rows = np.stack(list(columns.values()), axis=1)
    return training_set(labelled.gains, list(columns), groups, rows, rng=np.random.default_rng(seed))


def kept(stored: Path, made: Callable[[], Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    """The columns in a file, made now if there is no file."""
    if not stored.is_file():
        np.savez(stored, **made())
    with np.load(stored) as arrays:
        return {name: arrays[name] for name in arrays.files}


def columns_of(own: Iterable[ForeignBatch], names: Sequence[str]) -> dict[str, FloatArray]:
    """Some features of all candidates."""
    parts = [feature_values(batch, names) for batch in own]
    return {name: np.concatenate([values[name] for values in parts]) for name in names}
