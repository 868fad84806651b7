from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.model.ids import FloatArray, pack, unpack
from kaiwa.model.late import verb
from kaiwa.model.topic_lists import TopicLists, starts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, eq=False)
class Run(TopicLists):
    """A system's answers: per topic a ranked list of comment ids, best first, with scores.

    ``order`` is what made the ranking: ``file`` (the order of the lines, NTCIR), ``score`` (score
    descending, then id descending, TREC) or ``rank`` (the rank column).

    >>> import kaiwa
    >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0, "c4": 2.5}}, name="T1-C-R1")
    Run('T1-C-R1', 1 topic, 2 comments)
    """

    scores: FloatArray
    name: str
    description: str = ""
    order: str = "file"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.scores) != len(self.comments):
            raise InputError(
                f"run {self.name!r}: {len(self.scores)} scores for {len(self.comments)} comments; give one each"
            )
        if not np.isfinite(self.scores).all():
            raise InputError(f"run {self.name!r}: a score is not a finite number; fix or remove it")

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {counted(len(self.topics), 'topic')}, {counted(len(self), 'comment')})"

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], *, name: str = "run", description: str = "") -> Run:
        """A run from ``{topic: {comment: score}}``; of equal scores the greater id comes first, as in TREC.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c4": 1.5, "c9": 2.0}}, name="T1-C-R1").ranking("q1")
        [('c9', 2.0), ('c4', 1.5)]
        """
        lists = {
            topic: sorted(own.items(), key=lambda row: (row[1], row[0]), reverse=True) for topic, own in scores.items()
        }
        return replace(cls.from_lists(name, lists, description=description), order="score")

    @classmethod
    def from_lists(cls, name: str, lists: Mapping[str, Sequence[tuple[str, float]]], *, description: str = "") -> Run:
        """A run from ``{topic: [(comment, score), ...]}``, best first.

        >>> import kaiwa
        >>> kaiwa.Run.from_lists("T1-C-R1", {"q1": [("c9", 2.0), ("c4", 1.5)]}).ranking("q1")
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
        """One topic's comments with their scores, best first; empty if the run has none.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}}).ranking("q1")
        [('c9', 2.0)]
        """
        return list(zip(self.comments_of(topic), self.scores[self.span(topic)].tolist(), strict=True))

    def truncated(self, depth: int) -> Run:
        """The same run cut to the first ``depth`` comments of each topic.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0, "c4": 1.5}}).truncated(1).ranking("q1")
        [('c9', 2.0)]
        """
        place = np.arange(len(self.comments)) - np.repeat(self.starts[:-1], np.diff(self.starts))
        kept = place < depth
        sizes = np.minimum(np.diff(self.starts), depth)
        return replace(self, starts=starts_of(sizes.tolist()), comments=self.comments[kept], scores=self.scores[kept])

    def unanswered(self) -> list[str]:
        """The topics without an answer.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {}}).unanswered()
        ['q2']
        """
        return [topic for topic, size in zip(self.topics, np.diff(self.starts).tolist(), strict=True) if not size]

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column: topic, comment, rank, score and run.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="R").columns()
        {'topic': ['q1'], 'comment': ['c9'], 'rank': [1], 'score': [2.0], 'run': ['R']}
        """
        place = np.arange(len(self)) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1
        return {
            "topic": self.topic_per_row(),
            "comment": unpack(self.comments),
            "rank": place.tolist(),
            "score": self.scores.tolist(),
            "run": [self.name] * len(self),
        }

    def write(self, path: Path | str, *, format: str = "ntcir-run") -> None:  # noqa: A002  the word that readers know
        """Write the run as ``ntcir-run`` or ``trec-run`` into a file, or as ``res`` into a folder.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "R.txt")
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="R").write(path, format="trec-run")
        >>> print(path.read_text(), end="")
        q1 Q0 c9 1 2.0 R
        """
        verb("Run.write")(self, path, format=format)
