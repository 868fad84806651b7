from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.nouns.ids import FloatArray, IdTable, IntArray, TopicLists, by_topic, pack, starts_of, unpack
from kaiwa.nouns.noun import Noun, Rows
from kaiwa.show.result import Description, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kaiwa.formats.data_frames import Frame
    from kaiwa.show.text import Cell


@dataclass(frozen=True, eq=False)
class Qrels(TopicLists, Noun, Rows):
    """The gain of each judged (topic, comment): a gain of 0 is judged not relevant, a missing item is unjudged.

    ``top`` is the scale's highest gain, whether or not any item reaches it; ``how`` describes how the gains
    were made; ``lines`` holds the line each came from in ``source``, for errors that name their place.
    ``without_votes`` counts the items that were left unjudged because they have no vote.

    >>> import kaiwa
    >>> kaiwa.Qrels.from_lists({"q1": {"c9": 3, "c4": 0}})
    Qrels(1 topic, 2 comments, gmax 3)
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
        return f"Qrels({counted(len(self.topics), 'topic')}, {counted(len(self), 'comment')}, gmax {self.top:g})"

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, float]], *, top: float | None = None) -> Qrels:
        """Qrels from ``{topic: {comment: grade}}``, each grade as its own gain; the top is the largest unless given.

        >>> import kaiwa
        >>> kaiwa.Qrels.from_dict({"q1": {"c9": 3, "c4": 0}}).of("q1")
        {'c9': 3.0, 'c4': 0.0}
        """
        return cls.from_lists(by_topic("qrels", "grade", grades), top=top)

    @classmethod
    def from_pandas(
        cls,
        frame: Frame,
        *,
        topic: str | None = None,
        comment: str | None = None,
        gain: str | None = None,
        top: float | None = None,
    ) -> Qrels:
        """Qrels from a data frame of pandas, polars, Arrow or duckdb: a row per judged comment.

        Columns are found by their usual names (topic, qid, query_id; comment, docno, doc_id; gain, relevance, label),
        or named by the arguments. ``top`` is the scale's highest gain, by default the largest.

        >>> import kaiwa, polars
        >>> frame = polars.DataFrame({"q_id": ["q1", "q1"], "doc_id": ["c9", "c4"], "score": [3, 0]})
        >>> kaiwa.Qrels.from_pandas(frame, gain="score").of("q1")
        {'c9': 3.0, 'c4': 0.0}
        """
        from kaiwa.formats.data_frames import qrels_of

        named = {"topic": topic, "comment": comment, "gain": gain}
        found = qrels_of(frame, names={kind: column for kind, column in named.items() if column})
        return found if top is None else replace(found, top=float(top))

    @classmethod
    def from_lists(
        cls, gains: Mapping[str, Mapping[str, float]], *, top: float | None = None, how: str = "grades"
    ) -> Qrels:
        """Qrels from ``{topic: {comment: gain}}``; the top is the largest gain unless given.

        >>> import kaiwa
        >>> kaiwa.Qrels.from_lists({"q1": {"c9": 3, "c4": 0}}, top=3).of("q1")
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
        if not isinstance(other, Qrels):
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
        >>> kaiwa.Qrels.from_lists({"q1": {"c9": 3, "c4": 0}}).of("q1")
        {'c9': 3.0, 'c4': 0.0}
        """
        return dict(zip(self.comments_of(topic), self.gains[self.span(topic)].tolist(), strict=True))

    def where(self, kept: NDArray[np.bool_]) -> Qrels:
        """Only some rows, and the topics that have one.

        >>> import kaiwa
        >>> import numpy as np
        >>> kaiwa.Qrels.from_lists({"q1": {"c9": 3, "c4": 0}}).where(np.array([False, True])).of("q1")
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
        >>> len(kaiwa.Qrels.from_lists({"q1": {"c9": 3}}).table())
        1
        """
        return IdTable(self.codes(), self.comments)

    def fault(self, row: int, what: str, fix: str) -> InputError:
        """The error that names the line of one row, or its topic and comment if it was not read from a file.

        >>> import kaiwa
        >>> print(kaiwa.Qrels.from_lists({"q1": {"c9": 3}}).fault(0, "the gain is odd", "give another"))
        topic 'q1', comment 'c9': the gain is odd; give another
        """
        if self.lines is not None:
            return InputError.at(self.source, what, fix, line=int(self.lines[row]))
        topic = self.topics[int(np.searchsorted(self.starts, row, side="right")) - 1]
        return InputError.at(f"topic {topic!r}, comment {self.comments[row].decode()!r}", what, fix)

    @property
    def max_gain(self) -> float:
        """The highest gain of the scale."""
        return self.top

    @property
    def judgements(self) -> dict[str, dict[str, float]]:
        """Each topic's judged comments and their gains."""
        return {topic: self.of(topic) for topic in self.topics}

    def describe(self) -> Description:
        """How many comments have each gain; the main table has every judgement.

        >>> import kaiwa
        >>> print(kaiwa.Qrels.from_lists({"q1": {"a": 2, "b": 0}}))
        2 judged comments of 1 topic; gmax 2
        <BLANKLINE>
          gain  comments
        ------  --------
        2.0000         1
        0.0000         1
        """
        unjudged = f"{counted(self.without_votes, 'item')} without a vote left unjudged"
        return Description(
            title=f"{counted(len(self), 'judged comment')} of {counted(len(self.topics), 'topic')}; gmax {self.top:g}",
            tables=[self._judged_table(), self._gain_table()],
            shown=["gains"],
            notes=[unjudged] if self.without_votes else [],
            fields={
                "how": self.how,
                "max_gain": self.max_gain,
                "topics": self.topics,
                "judgements": self.judgements,
                "without_votes": self.without_votes,
            },
        )

    def _judged_table(self) -> Table:
        """Every judgement."""
        columns = self.columns()
        return Table("qrels", list(columns), list(zip(*columns.values(), strict=True)))

    def _gain_table(self) -> Table:
        """How many comments have each gain, the highest first."""
        values, counts = np.unique(self.gains, return_counts=True)
        rows: list[list[Cell]] = [list(row) for row in zip(values.tolist(), counts.tolist(), strict=True)]
        return Table("gains", ["gain", "comments"], rows[::-1])

    def columns(self, table: str | None = None) -> dict[str, Sequence[object]]:
        """The rows of a table, column by column; by default topic, comment and gain.

        >>> import kaiwa
        >>> kaiwa.Qrels.from_lists({"q1": {"c9": 3}}).columns()
        {'topic': ['q1'], 'comment': ['c9'], 'gain': [3.0]}
        """
        if table not in {None, "qrels"}:
            return dict(super().columns(table))
        return {"topic": list(self.topic_per_row()), "comment": unpack(self.comments), "gain": self.gains.tolist()}

    _in_table = "qrels"

    def _own_file(self, table: str | None) -> str:
        """The text of TREC qrels; another table as ``print`` shows it."""
        from kaiwa.formats.qrels import qrels_text

        return qrels_text(self) if table in {None, "qrels"} else super()._own_file(table)


@dataclass(frozen=True, eq=False)
class IntentChances(Noun, Rows):
    """P(i|q) by (topic, intent), and the intents that one item satisfies (navigational).

    >>> import kaiwa
    >>> kaiwa.IntentChances({("q1", "1"): 0.75, ("q1", "2"): 0.25}, frozenset({("q1", "2")}))
    IntentChances(1 topic, 2 intents)
    """

    chances: dict[tuple[str, str], float]
    navigational: frozenset[tuple[str, str]] = frozenset()

    _in_table = "chances"

    def __repr__(self) -> str:
        return f"IntentChances({counted(len(self.topics), 'topic')}, {counted(len(self.chances), 'intent')})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntentChances):
            return NotImplemented
        return (self.chances, self.navigational) == (other.chances, other.navigational)

    __hash__ = None  # type: ignore[assignment]  # a dict inside: chances are compared, not hashed

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of appearance."""
        return tuple(dict.fromkeys(topic for topic, _ in self.chances))

    @property
    def intents(self) -> dict[str, dict[str, float]]:
        """The chance of each intent, by topic."""
        return {
            topic: {intent: chance for (own, intent), chance in self.chances.items() if own == topic}
            for topic in self.topics
        }

    def describe(self) -> Description:
        """How many intents there are; the table has the chance and the type of each."""
        rows: list[list[Cell]] = [
            [topic, intent, chance, "nav" if (topic, intent) in self.navigational else "inf"]
            for (topic, intent), chance in self.chances.items()
        ]
        navigational = f"{len(self.navigational):,} navigational" if self.navigational else "all informational"
        return Description(
            tables=(Table("chances", ["topic", "intent", "chance", "type"], rows),),
            text=f"{counted(len(rows), 'intent')} of {counted(len(self.topics), 'topic')}, {navigational}",
            fields={"intents": self.intents, "navigational": sorted(self.navigational)},
        )

    def _own_file(self, table: str | None) -> str:  # noqa: ARG002  chances have one form
        """Lines of topic, intent, chance and type."""
        return self.texts("chances")[""]
