from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.model.ids import IdArray, IntArray, pack, repeated_row, unpack
from kaiwa.model.late import verb
from kaiwa.model.shown import Noun
from kaiwa.model.simulated import is_simulated, mixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kaiwa.compare.crossed_variance import CrossedVariance
    from kaiwa.label.agreement import Agreement, AssessorPair, Contested
    from kaiwa.label.assessor_quality import PanelQuality
    from kaiwa.model.gains import Gains

NA = -1
"""The level of a vote that the assessor declined to give: counted, never averaged."""
HIGHEST_UNDECLARED = 9
_WIDEST_GAP = 2


@dataclass(frozen=True, eq=False)
class Votes(Noun):
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
            raise InputError(f"a vote is outside 0..{self.top}; fix it, or declare the scale with {option('top')}")
        if repeated_row(self.item, self.assessor.astype("S20")):
            raise InputError("duplicate vote of an assessor on an item; keep one")
        if what := mixed(self.assessors):
            raise InputError(f"{what}; keep them apart")

    def __repr__(self) -> str:
        votes = f"{counted(len(self.level), 'vote')}{f' of which {self.missing:,} NA' if self.missing else ''}"
        return f"Votes({counted(self.items, 'item')}, {counted(len(self.assessors), 'assessor')}, {votes})"

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, str, int | None]], *, top: int | None = None) -> Votes:
        """Votes from rows of topic, comment, assessor and level (None: not given); the top is the highest level.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 0)]).by_assessor()
        array([[2, 0]])
        """
        listed = list(rows)
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
            top=found_top(levels) if top is None else top,
        )

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

    def gains(self, *, scheme: str = "mean", p: float = 0.2, levels: Mapping[int, float] | None = None) -> Gains:
        """One gain for each item that has a vote; ``gains.without_votes`` counts the others.

        ``scheme`` is ``levels``, ``mean``, ``sum``, ``unanimity`` (weight ``p``), ``weighted``, ``majority`` or
        ``median``; ``levels`` gives the gain of each level.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 1)]).gains(scheme="mean").of("q1")
        {'c9': 2.0}
        """
        made: Gains = verb("Votes.gains")(self, scheme, p=p, levels=levels).gains
        return made

    def agree(self, *, merge: str | None = None, samples: int = 1_000, seed: int = 1) -> Agreement:
        """Fleiss' kappa, Krippendorff's alpha and raw agreement, with intervals over topics.

        ``merge`` counts levels as one class, like ``L1+L2``.

        >>> import kaiwa
        >>> rows = [("q1", "c9", "ann", 2), ("q1", "c9", "bob", 2), ("q1", "c4", "ann", 0), ("q1", "c4", "bob", 0)]
        >>> kaiwa.Votes.from_rows(rows).agree().fleiss.value
        1.0
        """
        rng = np.random.default_rng(seed)
        found: Agreement = verb("Votes.agree")(self, merge=merge, samples=samples, rng=rng)
        return found

    def contested(self, number: int = 10) -> list[Contested]:
        """The items whose votes agree least, at most ``number``.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 0)]).contested()[0].comment
        'c9'
        """
        found: list[Contested] = verb("Votes.contested")(self, number)
        return found

    def assessor_pairs(self) -> list[AssessorPair]:
        """Cohen's kappa, plain and weighted, of every two assessors who share an item.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2), ("q1", "c9", "bob", 0)]).assessor_pairs()[0].agreement
        0.0
        """
        found: list[AssessorPair] = verb("Votes.assessor_pairs")(self)
        return found

    def assessor_quality(self, *, samples: int = 1_000, seed: int = 1) -> PanelQuality:
        """Each assessor's severity with interval, shares of levels, agreement with the others, and confusion of levels.

        >>> import kaiwa
        >>> rows = [(f"q{i}", "c", name, i % 2 + (name == "ann")) for i in range(4) for name in ("ann", "bob")]
        >>> kaiwa.Votes.from_rows(rows).assessor_quality()["bob"].agreement
        0.0
        """
        found: PanelQuality = verb("Votes.assessor_quality")(self, samples=samples, rng=np.random.default_rng(seed))
        return found

    def variance(self, *, confidence: float = 0.95) -> CrossedVariance:
        """The variance components of the levels, the leniency of each assessor, and the effect of one more vote.

        >>> import kaiwa
        >>> rows = [(f"q{i % 4}", f"c{i}", who, i % 3 // 2 + k) for i in range(12) for k, who in enumerate("ab")]
        >>> kaiwa.Votes.from_rows(rows).variance().leniency[0].assessor
        'b'
        """
        found: CrossedVariance = verb("Votes.variance")(self, confidence=confidence)
        return found

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column: topic, comment, assessor, level (None: NA) and further criteria.

        >>> import kaiwa
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2)]).columns()
        {'topic': ['q1'], 'comment': ['c9'], 'assessor': ['ann'], 'level': [2]}
        """
        topics, comments = unpack(self.topics), unpack(self.comments)
        items = self.item.tolist()
        levels = {"level": self.level, **self.criteria}
        return {
            "topic": [topics[item] for item in items],
            "comment": [comments[item] for item in items],
            "assessor": [self.assessors[assessor] for assessor in self.assessor.tolist()],
            **{name: [None if one == NA else one for one in column.tolist()] for name, column in levels.items()},
        }

    def write(self, path: Path | str, *, format: str = "votes-csv") -> None:  # noqa: A002  the word that readers know
        """Write the votes as ``votes-csv``: tidy CSV, one vote per row, NA kept.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "votes.csv")
        >>> kaiwa.Votes.from_rows([("q1", "c9", "ann", 2)]).write(path)
        >>> print(path.read_text(), end="")
        topic,comment,assessor,level
        q1,c9,ann,2
        """
        verb("Votes.write")(self, path, format=format)


def found_top(levels: Iterable[int]) -> int:
    """The highest level, for votes whose scale is not declared; an outlier is an error, because it may be mistyped.

    >>> found_top([0, 2, NA])
    2
    """
    given = set(levels)
    if what := outlier(given):
        raise InputError(f"{what}; fix it, or declare the scale with {option('top')}")
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
