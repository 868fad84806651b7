from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.model.ids import FloatArray, IdTable, IntArray, pack, unpack
from kaiwa.model.late import verb
from kaiwa.model.topic_lists import TopicLists, starts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Gains(TopicLists):
    """The gain of each judged (topic, comment): a gain of 0 is judged not relevant, a missing item is unjudged.

    ``top`` is the scale's highest gain, whether or not any item reaches it; ``how`` describes how the gains
    were made; ``lines`` holds the line each came from in ``source``, for errors that name their place.
    ``without_votes`` counts the items that were left unjudged because they have no vote.

    >>> import kaiwa
    >>> kaiwa.Gains.from_lists({"q1": {"c9": 3, "c4": 0}})
    Gains(1 topic, 2 comments, gmax 3)
    """

    gains: FloatArray
    top: float
    how: str = "grades"
    source: str = ""
    lines: IntArray | None = None
    without_votes: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.gains) != len(self.comments):
            raise InputError(f"{len(self.gains)} gains for {len(self.comments)} comments; give one gain per comment")
        if (bad := ~np.isfinite(self.gains)).any():
            raise self.fault(int(np.flatnonzero(bad)[0]), "a gain is not a finite number", "fix that line")

    def __repr__(self) -> str:
        return f"Gains({counted(len(self.topics), 'topic')}, {counted(len(self), 'comment')}, gmax {self.top:g})"

    @classmethod
    def from_lists(
        cls, gains: Mapping[str, Mapping[str, float]], *, top: float | None = None, how: str = "grades"
    ) -> Gains:
        """Gains from ``{topic: {comment: gain}}``; the top is the largest gain unless given.

        >>> import kaiwa
        >>> kaiwa.Gains.from_lists({"q1": {"c9": 3, "c4": 0}}, top=3).of("q1")
        {'c9': 3.0, 'c4': 0.0}
        """
        rows = [row for items in gains.values() for row in items.items()]
        values = np.array([gain for _, gain in rows], dtype=np.float64)
        return cls(
            topics=tuple(gains),
            starts=starts_of([len(items) for items in gains.values()]),
            comments=pack(comment for comment, _ in rows),
            gains=values,
            top=float(values.max(initial=0.0)) if top is None else float(top),
            how=how,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gains):
            return NotImplemented
        return (
            (self.topics, self.top) == (other.topics, other.top)
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.comments, other.comments)
            and np.array_equal(self.gains, other.gains)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: gains are compared, not hashed

    def of(self, topic: str) -> dict[str, float]:
        """One topic's judged comments and their gains.

        >>> import kaiwa
        >>> kaiwa.Gains.from_lists({"q1": {"c9": 3, "c4": 0}}).of("q1")
        {'c9': 3.0, 'c4': 0.0}
        """
        return dict(zip(self.comments_of(topic), self.gains[self.span(topic)].tolist(), strict=True))

    def where(self, kept: NDArray[np.bool_]) -> Gains:
        """Only some rows, and the topics that have one.

        >>> import kaiwa
        >>> import numpy as np
        >>> kaiwa.Gains.from_lists({"q1": {"c9": 3, "c4": 0}}).where(np.array([False, True])).of("q1")
        {'c4': 0.0}
        """
        starts = starts_of(kept.tolist())[self.starts]
        stays = np.diff(starts) > 0
        return replace(
            self,
            topics=tuple(topic for topic, stay in zip(self.topics, stays, strict=True) if stay),
            starts=np.append(0, starts[1:][stays]),
            comments=self.comments[kept],
            gains=self.gains[kept],
            lines=None if self.lines is None else self.lines[kept],
        )

    def table(self) -> IdTable:
        """The exact index from (topic number, comment) to the row it is judged in.

        >>> import kaiwa
        >>> len(kaiwa.Gains.from_lists({"q1": {"c9": 3}}).table())
        1
        """
        return IdTable(self.codes(), self.comments)

    def fault(self, row: int, what: str, fix: str) -> InputError:
        """The error that names the line of one row, or its topic and comment when there is no file.

        >>> import kaiwa
        >>> print(kaiwa.Gains.from_lists({"q1": {"c9": 3}}).fault(0, "the gain is odd", "give another"))
        topic 'q1', comment 'c9': the gain is odd; give another
        """
        if self.lines is not None:
            return InputError.at(self.source, what, fix, line=int(self.lines[row]))
        topic = self.topics[int(np.searchsorted(self.starts, row, side="right")) - 1]
        return InputError.at(f"topic {topic!r}, comment {self.comments[row].decode()!r}", what, fix)

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column: topic, comment and gain.

        >>> import kaiwa
        >>> kaiwa.Gains.from_lists({"q1": {"c9": 3}}).columns()
        {'topic': ['q1'], 'comment': ['c9'], 'gain': [3.0]}
        """
        return {"topic": self.topic_per_row(), "comment": unpack(self.comments), "gain": self.gains.tolist()}

    def write(self, path: Path | str, *, format: str = "trec-qrels") -> None:  # noqa: A002  the word that readers know
        """Write the judgements as ``trec-qrels``, ``ntcir-qrels`` or ``beir-qrels``, or as ``rel`` into a folder.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "qrels.txt")
        >>> kaiwa.Gains.from_lists({"q1": {"c9": 3}}).write(path)
        >>> print(path.read_text(), end="")
        q1 0 c9 3
        """
        verb("Gains.write")(self, path, format=format)
