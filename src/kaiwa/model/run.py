from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.model.ids import FloatArray, pack
from kaiwa.model.topic_lists import TopicLists, starts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, eq=False)
class Run(TopicLists):
    """A system's answers: per topic a ranked list of comment ids, best first, with scores.

    ``order`` says what made the ranking: ``file`` (the order of the lines, NTCIR), ``score`` (score
    descending, then id descending, TREC) or ``rank`` (the rank column).
    """

    scores: FloatArray
    name: str
    description: str = ""
    order: str = "file"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.scores) != len(self.comments):
            raise InputError(f"run {self.name!r}: {len(self.scores)} scores for {len(self.comments)} comments")
        if not np.isfinite(self.scores).all():
            raise InputError(f"run {self.name!r}: a score is not a finite number; mend or drop that line")

    @classmethod
    def from_lists(cls, name: str, lists: Mapping[str, Sequence[tuple[str, float]]], *, description: str = "") -> Run:
        """A run from ``{topic: [(comment, score), ...]}``, best first.

        >>> Run.from_lists("T1-C-R1", {"q1": [("c9", 2.0), ("c4", 1.5)]}).ranking("q1")
        [('c9', 2.0), ('c4', 1.5)]
        """
        rows = [row for ranked in lists.values() for row in ranked]
        return cls(
            topics=tuple(lists),
            starts=starts_of([len(ranked) for ranked in lists.values()]),
            comments=pack(comment for comment, _ in rows),
            scores=np.array([score for _, score in rows], dtype=np.float64),
            name=name,
            description=description,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        same_frame = (self.name, self.description, self.topics) == (other.name, other.description, other.topics)
        return (
            same_frame
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.comments, other.comments)
            and np.array_equal(self.scores, other.scores)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: a run is compared, not hashed

    def ranking(self, topic: str) -> list[tuple[str, float]]:
        """One topic's comments with their scores, best first; empty when the run has none."""
        return list(zip(self.comments_of(topic), self.scores[self.span(topic)].tolist(), strict=True))

    def truncated(self, depth: int) -> Run:
        """The same run cut to the first ``depth`` comments of each topic."""
        place = np.arange(len(self.comments)) - np.repeat(self.starts[:-1], np.diff(self.starts))
        kept = place < depth
        sizes = np.minimum(np.diff(self.starts), depth)
        return replace(self, starts=starts_of(sizes.tolist()), comments=self.comments[kept], scores=self.scores[kept])
