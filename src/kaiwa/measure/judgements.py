"""Gains prepared for scoring many runs: the exact join from run to gain, and lists in batches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kaiwa.errors import option
from kaiwa.measure.ideal_lists import Ideals, Which, batches, ideals_of
from kaiwa.measure.judged_lists import Lists, condense

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.measure.intents import Intents
    from kaiwa.measure.judged_lists import RowArray
    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import FloatArray, IdArray, IntArray
    from kaiwa.model.run import Run

_JOIN_ROWS = 1 << 15
_ROUNDING = 1e-12
_LARGEST = 1e100

T = TypeVar("T", "IdArray", "IntArray")


@dataclass(frozen=True, eq=False)
class Judgements:
    """Gains with what scoring needs of them, made once for all runs.

    ``top`` is gmax, per topic; ``levels`` the gain of each level, lowest first, if gains came from levels,
    and levels with the same gain are one level;
    ``votes`` counts votes as judged rows x levels; ``intents`` splits the gains by intent; with ``own_tops``
    each topic's top is its own highest gain.
    """

    gains: Gains
    top: FloatArray
    levels: tuple[float, ...] = ()
    votes: IntArray | None = None
    intents: Intents | None = None
    own_tops: bool = False

    def __post_init__(self) -> None:
        if (negative := self.gains.gains < 0).any():
            row = int(np.flatnonzero(negative)[0])
            what = f"the gain {self.gains.gains[row]:g} is negative"
            raise self.gains.fault(row, what, f"gains start at 0; map such grades with {option('levels')}")
        if (huge := self.gains.gains > _LARGEST).any():
            row = int(np.flatnonzero(huge)[0])
            raise self.gains.fault(row, f"a gain is above {_LARGEST:g}", "scale the gains down")
        if (above := self.gains.gains > np.repeat(self.top, np.diff(self.gains.starts)) * (1 + _ROUNDING)).any():
            row = int(np.flatnonzero(above)[0])
            what = f"the gain {self.gains.gains[row]:g} is above the top of the scale, {self.gains.top:g}"
            own = f"or take each topic's own with {option('top', 'topic')}"
            raise self.gains.fault(row, what, f"declare the top with {option('top')}, {own}")

    @cached_property
    def table(self) -> Table:
        """The index from (topic, comment) to judged row."""
        return Table(self.gains)

    @cached_property
    def ideals(self) -> Ideals:
        """The topics' ideal lists."""
        return ideals_of(self.gains, self.gains.gains, self.top)

    @cached_property
    def row_gains(self) -> FloatArray:
        """The gain of each judged row, and 0 at the end for the row -1."""
        return np.append(self.gains.gains, 0.0)

    @cached_property
    def by_intent(self) -> tuple[Judgements, ...]:
        """The judgements of each intent alone; intent numbers are shared by all topics."""
        gains = () if self.intents is None else self.intents.gains.T
        return tuple(replace(self, gains=replace(self.gains, gains=own), intents=None) for own in gains)

    def revalued(self, values: FloatArray, *, votes: IntArray | None = None) -> Judgements:
        """The same judged items with other gains, on the same scale, and the join kept."""
        gains = replace(self.gains, gains=values)
        again = replace(self, gains=gains, votes=votes, top=highest_gains(gains) if self.own_tops else self.top)
        again.__dict__["table"] = self.table
        return again


def highest_gains(gains: Gains) -> FloatArray:
    """The highest gain of each topic; 0 for a topic without items."""
    highest = np.zeros(len(gains.topics))
    np.maximum.at(highest, gains.codes(), gains.gains)
    return highest


class Table:
    """The index from (topic, comment) to judged row, for whole runs at a time."""

    def __init__(self, gains: Gains) -> None:
        self._rows = gains.table()
        self._topics = gains.topics
        self._place = {topic: code for code, topic in enumerate(gains.topics)}

    def topics_of(self, run: Run) -> IntArray:
        """The judged topic of each list of the run, -1 if the topic was not judged."""
        if run.topics == self._topics:
            return np.arange(len(self._topics))
        return np.array([self._place.get(topic, -1) for topic in run.topics], dtype=np.int64)

    def rows_of(self, groups: IntArray, comments: IdArray) -> RowArray:
        """The judged row of each (topic, comment), -1 if it was not judged."""
        found = np.empty(len(comments), dtype=np.int32)
        for start in range(0, len(comments), _JOIN_ROWS):
            part = slice(start, start + _JOIN_ROWS)
            found[part] = self._rows.find(groups[part], comments[part])
        return found


@dataclass(frozen=True, eq=False)
class Answers:
    """The lists of some runs in the order of the judged topics, run after run, as judged rows; missing lists are empty.

    ``rows[starts[t]:starts[t] + lengths[t]]`` is the list of the first run for judged topic ``t``; the lists of
    the second run follow, and so on. ``unknown`` names each run's topics that were not judged.
    """

    rows: RowArray
    starts: IntArray
    lengths: IntArray
    topics: int
    unknown: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, runs: Sequence[Run], table: Table, topics: int) -> Answers:
        """The runs joined to the judgements."""
        starts = np.zeros((len(runs), topics), dtype=np.int64)
        lengths = np.zeros((len(runs), topics), dtype=np.int64)
        groups: list[IntArray] = []
        unknown: list[tuple[str, ...]] = []
        first = 0
        for place, run in enumerate(runs):
            codes, sizes = table.topics_of(run), np.diff(run.starts)
            known = codes >= 0
            starts[place, codes[known]] = run.starts[:-1][known] + first
            lengths[place, codes[known]] = sizes[known]
            groups.append(np.repeat(codes, sizes))
            unknown.append(tuple(run.topics[topic] for topic in np.flatnonzero(~known).tolist()))
            first += len(run)
        rows = table.rows_of(_joined(groups), _joined([run.comments for run in runs]))
        return cls(rows, starts.ravel(), lengths.ravel(), topics, tuple(unknown))

    def batches(self, truncate: int | None) -> Iterator[tuple[slice, Which, RowArray]]:
        """The lists as matrices of judged rows, lists x ranks, -1 for unjudged and missing, with their topics."""
        lengths = self.lengths if truncate is None else np.minimum(self.lengths, truncate)
        alone = len(lengths) == self.topics
        for lists in batches(lengths):
            topics = lists if alone else np.arange(lists.start, lists.stop) % self.topics
            yield lists, topics, self._matrix(lists, lengths[lists])

    def _matrix(self, lists: slice, lengths: IntArray) -> RowArray:
        width = max(1, int(lengths.max()))
        starts = self.starts[lists]
        first = int(starts[0])
        if (lengths == width).all() and (starts[1:] - starts[:-1] == width).all():
            return self.rows[first : first + width * len(starts)].reshape(-1, width)
        ranks = np.arange(width)
        place = starts[:, None] + ranks
        absent = ranks >= lengths[:, None]
        place[absent] = 0
        made: RowArray = self.rows[place] if len(self.rows) else np.zeros(place.shape, dtype=np.int32)
        made[absent] = -1
        return made


def _joined(parts: list[T]) -> T:
    joined: T = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return joined


@dataclass(frozen=True, eq=False)
class Batch:
    """Some lists: judged rows as lists x ranks, the topic of each, and the judgements they point into."""

    judgements: Judgements
    topics: Which
    rows: RowArray
    _made: dict[int | None, Lists] = field(default_factory=dict, repr=False)

    @cached_property
    def condensed(self) -> Batch:
        """The same lists without unjudged items."""
        return replace(self, rows=condense(self.rows), _made={})

    def lists(self, cutoff: int | None = None) -> Lists:
        """The lists as gains, cut at the cutoff; made once and shared by all measures."""
        if None not in self._made:
            known = self.judgements
            self._made[None] = Lists(known.row_gains[self.rows], known.ideals, self.topics, levels=known.levels)
        if cutoff not in self._made:
            self._made[cutoff] = self._made[None].cut(cutoff)
        return self._made[cutoff]

    def of_intent(self, intent: int) -> Batch:
        """The same lists, judged for one intent only."""
        return replace(self, judgements=self.judgements.by_intent[intent], _made={})
