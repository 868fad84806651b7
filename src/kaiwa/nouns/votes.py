"""The mark of simulated assessors: their names, and the notice on all that follows from their votes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.nouns.ids import IdArray, IntArray, id_text, pack, repeated_row, unpack
from kaiwa.nouns.noun import Noun, Rows
from kaiwa.show.result import Description, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kaiwa.comparison.variance import Variance
    from kaiwa.formats.data_frames import Frame
    from kaiwa.labelling.agreement import Agreement
    from kaiwa.labelling.voted_qrels import VotedQrels


# The mark of simulated assessors: their names, and the notice on all that follows from their votes.


SIMULATED = "SIMULATED-"
"""The name of a simulated assessor begins with this, in any case of letters: nobody read the comments."""
SIMULATED_NOTICE = "SIMULATED ASSESSORS: a program drew these votes, nobody read the comments. This is not a result."


def is_simulated(assessor: str) -> bool:
    """Whether the name is that of a simulated assessor.

    >>> is_simulated("SIMULATED-1"), is_simulated("ann")
    (True, False)
    """
    return assessor[: len(SIMULATED)].upper() == SIMULATED


def mixed(assessors: Iterable[str]) -> str:
    """What is wrong if some assessors are simulated and others are not; else empty.

    >>> mixed(["ann", "SIMULATED-1"])
    "mixes votes of simulated assessors ('SIMULATED-1') with votes of people ('ann')"
    """
    names = list(assessors)
    simulated, people = ([name for name in names if is_simulated(name) is kind] for kind in (True, False))
    if not simulated or not people:
        return ""
    return f"mixes votes of simulated assessors ({simulated[0]!r}) with votes of people ({people[0]!r})"


NA = -1
"""The level of a vote that the assessor declined to give: counted, never averaged."""
HIGHEST_UNDECLARED = 9
_WIDEST_GAP = 2
_COLUMNS = 4
_USUAL = [[str, str, str, int], [str, str, str, type(None)]]
"""The types of a row that is taken as it is."""


@dataclass(frozen=True, eq=False)
class Votes(Noun, Rows):
    """One row per vote: which item, which assessor, which level.

    Items are (topic, comment) pairs, ``topics[i]`` and ``comments[i]``; a vote refers to its item and its
    assessor by number. ``level`` runs from 0 to ``top``, or is NA. ``criteria`` holds further judgements
    of the same vote (fluent, coherent, ...), one array per criterion. Votes are ``anonymous`` if an assessor's number
    need not be the same person on every item, as a column of an STC label file. ``keys`` has the key of each vote in
    the tool that it comes from, so that a file can be imported twice; empty if there are none. Votes of simulated
    assessors and of people are never mixed.

    >>> import kaiwa
    >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", None)])
    Votes(1 item, 2 assessors, 2 votes of which 1 NA)
    """

    topics: IdArray
    comments: IdArray
    assessors: tuple[str, ...]
    item: IntArray
    assessor: IntArray
    level: IntArray
    top: int
    criteria: Mapping[str, IntArray] = field(default_factory=dict)
    anonymous: bool = False
    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.topics) != len(self.comments):
            raise InputError(f"{len(self.topics)} topics for {len(self.comments)} comments; give one topic per comment")
        lengths = {len(column) for column in (self.assessor, self.level, *self.criteria.values())}
        if (lengths | ({len(self.keys)} if self.keys else set())) != {len(self.item)}:
            raise InputError("the columns of votes differ in length; give each vote an item, an assessor and a level")
        if ((self.level < NA) | (self.level > self.top)).any():
            raise InputError(
                f"a vote is outside 0..{self.top}; fix it, or declare the scale with {option('max_level')}"
            )
        if repeated_row(self.item, self.assessor.astype("S20")):
            raise InputError("duplicate vote of an assessor on an item; keep one")
        if what := mixed(self.assessors):
            raise InputError(f"{what}; keep them apart")

    def __repr__(self) -> str:
        votes = f"{counted(len(self.level), 'vote')}{f' of which {self.missing:,} NA' if self.missing else ''}"
        return f"Votes({counted(self.items, 'item')}, {counted(len(self.assessors), 'assessor')}, {votes})"

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]], *, max_level: int | None = None) -> Votes:
        """Votes from rows of topic, comment, assessor and level (None: not given).

        ``max_level`` is the scale's highest level; by default the highest that was given.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 0)]).by_assessor()
        array([[2, 0]])
        """
        listed = [_row(place, row) for place, row in enumerate(rows, start=1)]
        items: dict[tuple[str, str], int] = {}
        people: dict[str, int] = {}
        item = [items.setdefault((topic, comment), len(items)) for topic, comment, _, _ in listed]
        assessor = [people.setdefault(name, len(people)) for _, _, name, _ in listed]
        levels = [NA if level is None else level for _, _, _, level in listed]
        return cls(
            topics=pack(topic for topic, _ in items),
            comments=pack(comment for _, comment in items),
            assessors=tuple(people),
            item=np.array(item, dtype=np.int64),
            assessor=np.array(assessor, dtype=np.int64),
            level=np.array(levels, dtype=np.int64),
            top=found_top(levels) if max_level is None else max_level,
        )

    @classmethod
    def from_pandas(
        cls,
        frame: Frame,
        *,
        topic: str | None = None,
        comment: str | None = None,
        assessor: str | None = None,
        level: str | None = None,
        max_level: int | None = None,
    ) -> Votes:
        """Votes from a data frame of pandas, polars, Arrow or duckdb: a row per vote; an empty level is not given.

        Columns are found by their usual names (topic, qid, query_id; comment, docno, doc_id; assessor, annotator;
        level, label), or named by the arguments. ``max_level`` is the scale's highest level, by default the highest
        of the frame.

        >>> import kaiwa, polars
        >>> frame = polars.DataFrame({"qid": ["q1"], "docno": ["c9"], "person": ["ann"], "label": [2]})
        >>> kaiwa.Votes.from_pandas(frame, assessor="person")
        Votes(1 item, 1 assessor, 1 vote)
        """
        from kaiwa.formats.data_frames import votes_of

        named = {"topic": topic, "comment": comment, "assessor": assessor, "level": level}
        return votes_of(frame, top=max_level, names={kind: column for kind, column in named.items() if column})

    @classmethod
    def together(cls, each: Sequence[Votes]) -> Votes:
        """The votes of several, with the highest of their scales; an assessor's name is the same person in all of them.

        >>> import kaiwa
        >>> ann, bob = (kaiwa.Votes.from_rows([("q1", "c9", name, 2)]) for name in ("ann", "bob"))
        >>> kaiwa.Votes.together([ann, bob])
        Votes(1 item, 2 assessors, 2 votes)
        """
        if any(votes.anonymous for votes in each):
            raise InputError("votes without the names of assessors cannot be taken together; give one source of votes")
        names = dict.fromkeys(name for votes in each for name in votes.criteria)
        columns = [votes.columns() for votes in each]
        rows = [
            row
            for own in columns
            for row in zip(own["topic"], own["comment"], own["assessor"], own["level"], strict=True)
        ]
        made = cls.from_rows(rows, max_level=max(votes.top for votes in each))
        criteria = {
            name: np.concatenate([votes.criteria.get(name, np.full(len(votes.level), NA)) for votes in each])
            for name in names
        }
        return replace(made, criteria=criteria)

    @property
    def items(self) -> int:
        """How many (topic, comment) items were voted on."""
        return len(self.comments)

    @property
    def missing(self) -> int:
        """How many votes are NA."""
        return int((self.level == NA).sum())

    @property
    def simulated(self) -> bool:
        """Whether the assessors are simulated, so that nothing that follows from the votes is a result.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "SIMULATED-1", 2)]).simulated
        True
        """
        return any(map(is_simulated, self.assessors))

    def without(self, *assessors: str) -> Votes:
        """The votes of the other assessors; the items stay.

        >>> import kaiwa
        >>> votes = kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 0)])
        >>> votes.without("bob")
        Votes(1 item, 1 assessor, 1 vote)
        """
        if unknown := [name for name in assessors if name not in self.assessors]:
            raise UnknownName.among("assessor", unknown[0], self.assessors)
        others = tuple(name for name in self.assessors if name not in assessors)
        place = np.array([others.index(name) if name in others else NA for name in self.assessors], dtype=np.int64)
        kept = place[self.assessor] != NA
        return replace(self._of_rows(kept), assessors=others, assessor=place[self.assessor[kept]])

    def _of_rows(self, kept: np.ndarray) -> Votes:
        """These votes only, on the same items."""
        return replace(
            self,
            item=self.item[kept],
            assessor=self.assessor[kept],
            level=self.level[kept],
            criteria={name: column[kept] for name, column in self.criteria.items()},
            keys=tuple(compress(self.keys, kept)),
        )

    def by_assessor(self) -> IntArray:
        """The levels as an items x assessors matrix, NA (-1) where there is no vote.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c4", "bob", 0)]).by_assessor().tolist()
        [[2, -1], [-1, 0]]
        """
        matrix = np.full((self.items, len(self.assessors)), NA, dtype=np.int64)
        matrix[self.item, self.assessor] = self.level
        return matrix

    def of_items(self, items: IntArray) -> Votes:
        """The votes on these items, numbered in this order.

        >>> import kaiwa, numpy
        >>> votes = kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c4", "ann", 0), ("q1", "c4", "bob", 1)])
        >>> votes.of_items(numpy.array([1])).counts().tolist()
        [[1, 1, 0]]
        """
        place = np.full(self.items, -1)
        place[items] = np.arange(len(items))
        kept = place[self.item] >= 0
        return replace(
            self._of_rows(kept), topics=self.topics[items], comments=self.comments[items], item=place[self.item[kept]]
        )

    def counts(self) -> IntArray:
        """How many votes each item has at each level: items x levels, NA left out.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 2)]).counts().tolist()
        [[0, 0, 2]]
        """
        given = self.level != NA
        cell = self.item[given] * (self.top + 1) + self.level[given]
        return np.bincount(cell, minlength=self.items * (self.top + 1)).reshape(self.items, self.top + 1)

    def gains(
        self,
        *,
        scheme: str = "mean",
        p: float = 0.2,
        levels: str | Mapping[int, float] | None = None,
        without: str | Sequence[str] = (),
        task: Path | str | None = None,
    ) -> VotedQrels:
        """One gain for each item that has a vote, as ``kaiwa.gains``.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 1)]).gains(scheme="mean").of("q1")
        {'c9': 2.0}
        """
        from kaiwa.labelling.voted_qrels import gains

        return gains(self, scheme=scheme, p=p, levels=levels, without=without, task=task)

    def agree(
        self,
        *,
        merge: str | None = None,
        pairs: bool = False,
        assessors: bool = False,
        contested: int = 5,
        confidence: float = 0.95,
        trials: int = 1_000,
        seed: int = 1,
    ) -> Agreement:
        """Fleiss' kappa, Krippendorff's alpha and raw agreement, with intervals over topics, as ``kaiwa.agree``.

        >>> import kaiwa
        >>> rows = [("q1", "c9", "ann", 2), ("q1", "c9", "bob", 2), ("q1", "c4", "ann", 0), ("q1", "c4", "bob", 0)]
        >>> kaiwa.Votes.from_rows(rows).agree().fleiss_kappa
        1.0
        """
        from kaiwa.labelling.agreement import agree

        return agree(
            self,
            merge=merge,
            pairs=pairs,
            assessors=assessors,
            contested=contested,
            confidence=confidence,
            trials=trials,
            seed=seed,
        )

    def variance(self, *, confidence: float = 0.95) -> Variance:
        """The variance components of the levels, the leniency of each assessor, and the effect of one more vote.

        >>> import kaiwa
        >>> rows = [(f"q{i % 4}", f"c{i}", who, i % 3 // 2 + k) for i in range(12) for k, who in enumerate("ab")]
        >>> kaiwa.Votes.from_rows(rows).variance().leniency[0].assessor
        'b'
        """
        from kaiwa.comparison.variance import variance

        return variance(self, crossed=True, confidence=confidence)

    @property
    def max_level(self) -> int:
        """The highest level of the scale."""
        return self.top

    @property
    def levels(self) -> dict[str, int]:
        """How many votes each level has; NA is not given."""
        counts = {f"L{level}": count for level, count in enumerate(self.counts().sum(axis=0).tolist())}
        return {**counts, "NA": self.missing}

    def describe(self) -> Description:
        """How many votes each level has; the main table has every vote.

        >>> import kaiwa
        >>> print(kaiwa.Votes.from_rows([("q1", "c9", "ann", 1), ("q1", "c9", "bob", None)]))
        2 votes of 2 assessors on 1 item
        <BLANKLINE>
        level  votes
        -----  -----
        L0         0
        L1         1
        NA         1
        """
        columns = self.columns()
        people = counted(len(self.assessors), "assessor")
        return Description(
            title=f"{counted(len(self.level), 'vote')} of {people} on {counted(self.items, 'item')}",
            tables=[
                Table("votes", list(columns), list(zip(*columns.values(), strict=True))),
                Table("levels", ["level", "votes"], list(self.levels.items())),
            ],
            shown=["levels"],
            notes=[SIMULATED_NOTICE] if self.simulated else [],
            fields={
                "items": self.items,
                "assessors": self.assessors,
                "max_level": self.max_level,
                "levels": self.levels,
                "missing": self.missing,
                "simulated": self.simulated,
            },
        )

    def columns(self, table: str | None = None) -> dict[str, Sequence[object]]:
        """The rows of a table, column by column; by default topic, comment, assessor, level and further criteria.

        A level that was not given is None.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2)]).columns()
        {'topic': ['q1'], 'comment': ['c9'], 'assessor': ['ann'], 'level': [2]}
        """
        if table not in {None, "votes"}:
            return dict(super().columns(table))
        topics, comments = unpack(self.topics), unpack(self.comments)
        items = self.item.tolist()
        levels = {"level": self.level, **self.criteria}
        return {
            "topic": [topics[item] for item in items],
            "comment": [comments[item] for item in items],
            "assessor": [self.assessors[assessor] for assessor in self.assessor.tolist()],
            **{name: [None if one == NA else one for one in column.tolist()] for name, column in levels.items()},
        }

    _in_table = "votes"

    def _own_file(self, table: str | None) -> str:
        """Tidy CSV, one vote per row, NA kept; another table as ``print`` shows it."""
        from kaiwa.formats.votes import votes_text

        return votes_text(self) if table in {None, "votes"} else super()._own_file(table)

    def _written(self, form: str | None, table: str | None) -> str:
        """What a file of this form holds; CSV is its own file."""
        return self._own_file(table) if form == "csv" and table in {None, "votes"} else super()._written(form, table)


def _row(place: int, row: Sequence[object]) -> tuple[str, str, str, int | None]:
    """One row as topic, comment, assessor and level."""
    if type(row) is tuple and [*map(type, row)] in _USUAL:
        return row  # no name needs a look
    if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != _COLUMNS:
        what = f"{row!r} is not a vote"
        raise InputError.at(f"row {place}", what, "give topic, comment, assessor, level (None: not given)")
    topic, comment = (id_text(*pair, f"row {place}") for pair in zip(("topic", "comment"), row[:2], strict=True))
    assessor, level = str(row[2]), row[3]
    if level is None or (isinstance(level, int | np.integer) and not isinstance(level, bool)):
        return topic, comment, assessor, None if level is None else int(level)
    raise InputError.at(f"row {place}", f"the level {level!r} is not a whole number", "give 0, 1, 2, ..., or None")


def found_top(levels: Iterable[int]) -> int:
    """The highest level, for votes whose scale is not declared; an outlier is an error, because it may be mistyped.

    >>> found_top([0, 2, NA])
    2
    """
    given = set(levels)
    if what := outlier(given):
        raise InputError(f"{what}; fix it, or declare the scale with {option('max_level')}")
    return max([1, *given])


def outlier(levels: Iterable[int]) -> str:
    """What is wrong with the highest level if it cannot be the top of a scale that nobody declared; else empty.

    >>> outlier([0, 1, 2, 22])
    'level 22 is far above the others (next: 2)'
    >>> outlier([0, 1, 2, 3])
    ''
    """
    highest, *lower = sorted({NA, *levels}, reverse=True)
    if len(lower) > 1 and highest - lower[0] > _WIDEST_GAP:
        return f"level {highest} is far above the others (next: {lower[0]})"
    return f"level {highest} is above {HIGHEST_UNDECLARED}" if highest > HIGHEST_UNDECLARED else ""
