"""Gains prepared for scoring many runs: the exact join from run to gain, and lists in batches."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measures.lists import Ideals, Lists, Which, batches, condense, ideals_of
from kaiwa.nouns.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from kaiwa.measures.lists import BoolArray, RowArray
    from kaiwa.nouns.ids import FloatArray, IdArray, IntArray
    from kaiwa.nouns.run import Run


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

    gains: Qrels
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
            own = f"or take each topic's own with {option('max_gain', 'topic')}"
            raise self.gains.fault(row, what, f"declare the top with {option('max_gain')}, {own}")

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


def highest_gains(gains: Qrels) -> FloatArray:
    """The highest gain of each topic; 0 for a topic without items."""
    highest = np.zeros(len(gains.topics))
    np.maximum.at(highest, gains.codes(), gains.gains)
    return highest


class Table:
    """The index from (topic, comment) to judged row, for whole runs at a time."""

    def __init__(self, gains: Qrels) -> None:
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


# Scales: the gain of each grade, and gmax, the top of the scale.


_PAIR = re.compile(r"L?(?P<grade>-?\d{1,6}(?:\.\d+)?)=(?P<gain>\d{1,12}(?:\.\d+)?)")


@dataclass(frozen=True)
class Scale:
    """The gain of each grade, and the top.

    Without ``levels`` the gain is the grade. ``top`` is a declared gmax; ``by_topic`` takes the highest gain of each
    topic instead, as NTCIREVAL does with direct gains.
    """

    levels: Mapping[float, float] | None = None
    top: float | None = None
    by_topic: bool = False

    def __post_init__(self) -> None:
        if self.top is not None and not 0 < self.top < float("inf"):
            raise InputError(f"the top of the scale, {self.top:g}, is not a gain above 0; see {option('max_gain')}")
        if self.levels is not None and max(self.levels.values(), default=0.0) <= 0:
            example = option("levels", "L1=1,L2=3", python="{1: 1, 2: 3}")
            raise InputError(f"no level has a gain above 0; give at least one, as {example}")

    def of(self, gains: Qrels) -> Qrels:
        """The gains on this scale, grades mapped and the top declared."""
        mapped = gains if self.levels is None else _mapped(gains, self.levels)
        return mapped if self.top is None else replace(mapped, top=self.top)

    def gmax_text(self, gains: Qrels) -> str:
        """The value of gmax and its source, as text."""
        if self.by_topic:
            return "each topic's own highest gain"
        source = "max_gain" if self.top is not None else "levels" if self.levels is not None else gains.how
        return f"{gains.top:g} ({'the largest grade' if source == 'grades' else source})"


def parse_levels(text: str) -> dict[float, float]:
    """The gain of each level.

    >>> parse_levels("L1=1,L2=3")
    {1.0: 1.0, 2.0: 3.0}
    """
    levels: dict[float, float] = {}
    for part in text.split(","):
        pair = _PAIR.fullmatch(part.strip())
        if not pair:
            what = f"{option('levels')}: {part.strip()!r} is not a level and its gain"
            raise InputError(f"{what}; write it like L1=1,L2=3")
        if float(pair["grade"]) in levels:
            raise InputError(f"{option('levels')}: duplicate level {pair['grade']}; give each level one gain")
        levels[float(pair["grade"])] = float(pair["gain"])
    return levels


def scale_of(levels: Mapping[int, float] | str | None, max_gain: float | str | None) -> Scale:
    """The scale from the gain of each level and the highest gain, as numbers or as the command's texts.

    >>> scale_of("L1=1,L2=3", "topic").by_topic, scale_of({1: 1, 2: 3}, "5").top
    (True, 5.0)
    """
    if isinstance(levels, str):
        by_level: dict[float, float] | None = parse_levels(levels)
    else:
        by_level = None if levels is None else {float(level): float(gain) for level, gain in levels.items()}
    if max_gain is None or max_gain == "topic":
        return Scale(levels=by_level, by_topic=max_gain == "topic")
    try:
        return Scale(levels=by_level, top=float(max_gain))
    except (TypeError, ValueError):
        what = f"{option('max_gain', repr(max_gain), python=repr(max_gain))} is neither a gain nor 'topic'"
        raise InputError(f"{what}; write it like {option('max_gain', '3')}") from None


def judge(
    gains: Qrels, scale: Scale | None = None, *, votes: IntArray | None = None, intents: Intents | None = None
) -> Judgements:
    """The gains ready for scoring, on a scale."""
    scale = scale or Scale()
    scaled = scale.of(gains)
    levels = () if scale.levels is None else tuple(sorted({gain for gain in scale.levels.values() if gain > 0}))
    top = highest_gains(scaled) if scale.by_topic else np.full(len(scaled.topics), scaled.top)
    return Judgements(scaled, top, levels, votes, intents, own_tops=scale.by_topic)


def _mapped(gains: Qrels, levels: Mapping[float, float]) -> Qrels:
    known = {0.0: 0.0, **levels}
    grades = np.array(sorted(known))
    spot = np.minimum(np.searchsorted(grades, gains.gains), len(grades) - 1)
    if (off := grades[spot] != gains.gains).any():
        row = int(off.argmax())
        shown = ", ".join(f"{grade:g}" for grade in grades)
        raise gains.fault(
            row, f"grade {gains.gains[row]:g} is not on the scale {shown}", f"give it a gain with {option('levels')}"
        )
    values = np.array([known[grade] for grade in grades.tolist()])
    return replace(gains, gains=values[spot], top=float(values.max()), how="levels")


# Topics with several intents: the gain of an item for each intent, and the probability of each intent.


@dataclass(frozen=True, eq=False)
class Intents:
    """Gains split by intent. Intent i of one topic and intent i of another have nothing in common.

    ``gains`` is judged rows x intents; ``chances`` is P(i|q), topics x intents, 0 where a topic has no such
    intent; ``navigational`` marks intents that one item satisfies, topics x intents.
    """

    gains: FloatArray
    chances: FloatArray
    navigational: BoolArray

    def __post_init__(self) -> None:
        if self.chances.shape != self.navigational.shape or self.gains.shape[1:] != self.chances.shape[1:]:
            raise InputError("intents need gains as rows x intents, chances and types as topics x intents")
        if not np.isfinite(self.chances).all() or (self.chances < 0).any():
            raise InputError("the probability of an intent is not a number from 0; fix the intent file")


@dataclass(frozen=True, eq=False)
class DiverseGains:
    """Global gains, sum_i P(i|q) g_i(d) (Sakai and Song, SIGIR 2011), with the intents they are made of."""

    gains: Qrels
    intents: Intents


def combine(
    by_intent: Mapping[str, Qrels],
    *,
    chances: Mapping[tuple[str, str], float],
    navigational: Container[tuple[str, str]],
) -> DiverseGains:
    """The gains of several intents as one.

    ``chances`` gives P(i|q) by (topic, intent); if no intent of a topic has one, all are equally likely.
    An intent without a relevant item is left out, and the probabilities of the others are scaled to sum to 1.
    """
    names = list(by_intent)
    topics = next(iter(by_intent.values())).topics
    places: dict[tuple[int, bytes], int] = {}
    cells = [
        (places.setdefault((topic, comment), len(places)), intent, gain)
        for intent, gains in enumerate(by_intent.values())
        for topic, comment, gain in zip(gains.codes().tolist(), gains.comments.tolist(), gains.gains, strict=True)
    ]
    intent_gains = np.zeros((len(places), len(names)))
    for row, intent, gain in cells:
        intent_gains[row, intent] = gain
    topic_of = np.array([topic for topic, _ in places], dtype=np.int64)
    order = np.argsort(topic_of, kind="stable")
    intent_gains, topic_of = intent_gains[order], topic_of[order]
    likely = _chances(intent_gains, topic_of, topics, names, chances)
    gains = Qrels(
        topics=topics,
        starts=np.searchsorted(topic_of, np.arange(len(topics) + 1)).astype(np.int64),
        comments=np.array([comment for _, comment in places])[order],
        gains=(intent_gains * likely[topic_of]).sum(axis=1),
        top=max(gains.top for gains in by_intent.values()),
        how="global gains",
    )
    kinds = np.array([[(topic, name) in navigational for name in names] for topic in topics])
    return DiverseGains(gains, Intents(intent_gains, likely, kinds))


def _chances(
    intent_gains: FloatArray,
    topic_of: IntArray,
    topics: Sequence[str],
    names: Sequence[str],
    given: Mapping[tuple[str, str], float],
) -> FloatArray:
    has_relevant = np.zeros((len(topics), len(names)), dtype=bool)
    np.logical_or.at(has_relevant, topic_of, intent_gains > 0)
    weights = np.array([[given.get((topic, name), 0.0) for name in names] for topic in topics])
    weights[~(weights > 0).any(axis=1)] = 1.0
    weights = np.where(has_relevant, weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    chances: FloatArray = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return chances
