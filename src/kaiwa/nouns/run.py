from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted
from kaiwa.nouns.ids import FloatArray, TopicLists, by_topic, pack, starts_of, unpack
from kaiwa.nouns.noun import INTO_A_FOLDER, Noun, Rows
from kaiwa.show.result import FILE_FORMATS, Description, Table, form_of
from kaiwa.show.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kaiwa.formats.data_frames import Frame
    from kaiwa.formats.fields import Texts
    from kaiwa.show.text import Cell

UNNAMED = "run"
"""The name of a run that nobody named."""


@dataclass(frozen=True, eq=False)
class Run(TopicLists, Noun, Rows):
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
    def from_dict(
        cls, scores: Mapping[str, Mapping[str, float]], name: str | None = None, *, description: str = ""
    ) -> Run:
        """A run from ``{topic: {comment: score}}``; of equal scores the greater id comes first, as in TREC.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c4": 1.5, "c9": 2.0}}, name="T1-C-R1").ranking("q1")
        [('c9', 2.0), ('c4', 1.5)]
        """
        given = by_topic("a run", "score", scores)
        lists = {
            topic: sorted(own.items(), key=lambda row: (row[1], row[0]), reverse=True) for topic, own in given.items()
        }
        return replace(cls.from_lists(name or UNNAMED, lists, description=description), order="score")

    @classmethod
    def from_pandas(
        cls,
        frame: Frame,
        *,
        topic: str | None = None,
        comment: str | None = None,
        score: str | None = None,
        rank: str | None = None,
        name: str | None = None,
    ) -> Run:
        """A run from a data frame of pandas, polars, Arrow or duckdb: a row per comment with topic, comment and score.

        Columns are found by their usual names (topic, qid, query_id; comment, docno, doc_id; score), or named by the
        arguments. Comments are ranked by ``rank`` if there is such a column, else by score.

        >>> import kaiwa, polars
        >>> frame = polars.DataFrame({"qid": [301, 301], "docno": ["a", "b"], "sim": [1.0, 2.0]})
        >>> kaiwa.Run.from_pandas(frame, score="sim", name="BM25").ranking("301")
        [('b', 2.0), ('a', 1.0)]
        """
        from kaiwa.formats.data_frames import PLACE, runs_of

        named = {"topic": topic, "comment": comment, "score": score, "rank": rank}
        found = runs_of(frame, names={kind: column for kind, column in named.items() if column})
        if len(found) > 1:
            names = ", ".join(repr(run.name) for run in found)
            raise InputError.at(PLACE, f"holds {len(found)} runs ({names})", "read them with read_runs")
        return found[0] if name is None else replace(found[0], name=name)

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
        sizes = np.minimum(np.diff(self.starts), min(depth, len(self.comments)))
        return replace(self, starts=starts_of(sizes.tolist()), comments=self.comments[kept], scores=self.scores[kept])

    def unanswered(self) -> list[str]:
        """The topics without an answer.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {}}).unanswered()
        ['q2']
        """
        return [topic for topic, size in zip(self.topics, np.diff(self.starts).tolist(), strict=True) if not size]

    @property
    def rankings(self) -> dict[str, list[tuple[str, float]]]:
        """Each topic's comments with their scores, best first."""
        return {topic: self.ranking(topic) for topic in self.topics}

    def describe(self) -> Description:
        """How many comments answer how many topics, and the topics without an answer; the table has every row."""
        columns = self.columns()
        missing = self.unanswered()
        size = f"{counted(len(self), 'comment')} of {counted(len(self.topics), 'topic')}"
        return Description(
            tables=(Table("ranking", list(columns), list(zip(*columns.values(), strict=True))),),
            text=f"{visible(self.name)}: {size}",
            notes=[f"No comment answers {counted(len(missing), 'topic')}, first {missing[0]!r}."] if missing else [],
            fields={
                "name": self.name,
                "description": self.description,
                "order": self.order,
                "topics": self.topics,
                "rankings": self.rankings,
                "unanswered": missing,
            },
        )

    def columns(self, table: str | None = None) -> dict[str, list[Any]]:  # Any: each column's own type
        """The rows, column by column: topic, comment, rank, score and run.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="R").columns()
        {'topic': ['q1'], 'comment': ['c9'], 'rank': [1], 'score': [2.0], 'run': ['R']}
        """
        if table not in {None, "ranking"}:
            raise UnknownName.among("table", str(table), ["ranking"])
        place = np.arange(len(self)) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1
        return {
            "topic": list(self.topic_per_row()),
            "comment": unpack(self.comments),
            "rank": place.tolist(),
            "score": self.scores.tolist(),
            "run": [self.name] * len(self),
        }

    _in_table = "run"

    def _own_file(self, table: str | None) -> str:  # noqa: ARG002  a run has one form
        """The run's file: NTCIR's form if the run has a description, else TREC's."""
        from kaiwa.formats.runs import run_text

        return run_text(self, form="ntcir" if self.description else "trec")

    def texts(self, format: str) -> Texts:  # noqa: A002  the word that readers know
        r"""The text of its file in a format, ``ntcir-run`` or ``trec-run``; of ``res``, those of a folder.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="R").texts("trec-run")
        {'': 'q1 Q0 c9 1 2.0 R\n'}
        """
        made = Runs([self]).texts(format)
        only = made.get(f"{self.name}.txt") if len(made) == 1 else None
        return made if only is None else {"": only}


class Runs(list[Run], Noun):
    """Several runs, each of another name: a list of them, with files.

    Tables: ``ranking`` (topic, comment, rank, score, run) and ``runs``. ``write`` makes a folder with a file for each
    run; one run is written to a file if the name has an ending, such as ``.txt``.

    >>> import kaiwa
    >>> runs = kaiwa.Runs([kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name=name) for name in ("A", "B")])
    >>> runs
    Runs(2 runs, 1 topic)
    >>> print(runs)
    run  topics  comments
    ---  ------  --------
    A         1         1
    B         1         1
    """

    _in_table = "run"

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        super().__init__(runs)
        names = self.names
        if duplicate := next((name for place, name in enumerate(names) if name in names[:place]), None):
            raise InputError(f"duplicate run name {duplicate!r}; rename one of the runs")

    def __repr__(self) -> str:
        return f"Runs({counted(len(self), 'run')}, {counted(len(self.topics), 'topic')})"

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [run.name for run in self]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of all runs, in order of appearance."""
        return tuple(dict.fromkeys(topic for run in self for topic in run.topics))

    @property
    def rankings(self) -> dict[str, dict[str, list[tuple[str, float]]]]:
        """Each run's comments with their scores, best first, by topic."""
        return {run.name: run.rankings for run in self}

    @property
    def unanswered(self) -> dict[str, list[str]]:
        """The topics without an answer, of each run that has some."""
        return {run.name: run.unanswered() for run in self if run.unanswered()}

    def describe(self) -> Description:
        """How many topics and comments each run has; the main table has every row."""
        columns = self.columns()
        sizes: list[list[Cell]] = [[run.name, len(run.topics), len(run)] for run in self]
        return Description(
            tables=(
                Table("ranking", list(columns), list(zip(*columns.values(), strict=True))),
                Table("runs", ["run", "topics", "comments"], sizes),
            ),
            shown=["runs"],
            notes=[
                f"{name}: no comment answers {counted(len(topics), 'topic')}, first {topics[0]!r}."
                for name, topics in self.unanswered.items()
            ],
            fields={
                "names": self.names,
                "topics": self.topics,
                "rankings": self.rankings,
                "unanswered": self.unanswered,
            },
        )

    def columns(self, table: str | None = None) -> dict[str, Sequence[object]]:
        """The rows of a table, column by column; by default topic, comment, rank, score and run.

        >>> import kaiwa
        >>> kaiwa.Runs([kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="R")]).columns("runs")
        {'run': ['R'], 'topics': [1], 'comments': [1]}
        """
        if table not in {None, "ranking"}:
            return dict(super().columns(table))
        each = [run.columns() for run in self]
        return {name: [cell for own in each for cell in own[name]] for name in _COLUMNS}

    def own_form(self, table: str | None = None) -> str:
        """The file of the one run; of a table what ``print`` shows. Several runs are several files."""
        if table is not None:
            return self._own_file(table)
        if len(self) != 1:
            raise InputError(f"{counted(len(self), 'run')} are {counted(len(self), 'file')}; {INTO_A_FOLDER}")
        return (self[0] if self._format is None else self[0].in_format(self._format)).own_form()

    def write(self, path: Path | str, *, format: str | None = None, table: str | None = None) -> None:  # noqa: A002
        """Write a file for each run into a folder, or another form by the ending or ``format``.

        One run is written to a file if the name has an ending. ``format`` may be ``ntcir-run``, ``trec-run`` or
        ``res``; by default a run with a description is an NTCIR file, and others are TREC files.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> folder = Path(mkdtemp())
        >>> kaiwa.Runs([kaiwa.Run.from_dict({"q1": {"c9": 2.0}}, name="A")]).write(folder, format="trec-run")
        >>> [file.name for file in folder.iterdir()]
        ['A.txt']
        """
        from kaiwa.files.atomic import write_texts
        from kaiwa.formats.fields import file_name

        target, chosen = Path(path), format or self._format
        is_form = table is not None or chosen in FILE_FORMATS or (chosen is None and form_of(target) is not None)
        if is_form:
            super().write(target, format=format, table=table)
        elif len(self) == 1 and chosen != "res" and target.suffix and not target.is_dir():
            self[0].write(target, format=chosen)
        elif chosen is None:
            write_texts(target, {file_name(f"{run.name}.txt"): run.own_form() for run in self})
        else:
            write_texts(target, self.texts(chosen))


_COLUMNS = ("topic", "comment", "rank", "score", "run")


@dataclass(frozen=True)
class Pair:
    """One post and one comment made on it, with their ids in the source.

    ``line`` is where the pair was read in its file (0 if it was not); it is not compared. ``translations`` are further
    texts that the source has of both, such as machine translations.

    >>> Pair("p1", "The first day in Hawaii.", "c1", "Enjoy the beaches!").comment
    'Enjoy the beaches!'
    """

    post_id: str
    post: str
    comment_id: str
    comment: str
    line: int = field(default=0, compare=False, repr=False, kw_only=True)
    translations: tuple[str, ...] = field(default=(), repr=False, kw_only=True)


_STEP = 2.0**-22  # two units of single precision, in which trec_eval stores scores


def distinct_scores(tied: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The ranking, best first; a score that ties, also in single precision, is set just below the one before it.

    Tools break ties by different rules; with distinct scores they all find the same order.

    >>> distinct_scores([("c1", 4.0), ("c2", 4.0), ("c3", 1.0)])
    [('c1', 4.0), ('c2', 3.9999990463256836), ('c3', 1.0)]
    """
    distinct: list[tuple[str, float]] = []
    for comment, score in tied:
        before = distinct[-1][1] if distinct else float("inf")
        distinct.append((comment, min(score, before - _STEP * max(abs(before), 1.0)) if distinct else score))
    return distinct
