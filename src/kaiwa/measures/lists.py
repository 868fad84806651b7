"""Returned lists as matrices of gains, from which every measure is computed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kaiwa.nouns.ids import IntArray

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.qrels import Qrels


BoolArray = NDArray[np.bool_]
RowArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class RelevantOnly:
    """The gains and ranks of each list's relevant items, "lists x relevant items"; after the last, gains are 0."""

    gains: FloatArray
    ranks: FloatArray


@dataclass(frozen=True, eq=False)
class Lists:
    """The gains of returned items as "lists x ranks", one list per topic, with the topics' ideal lists.

    ``gains`` is 0 for an item that is nonrelevant, unjudged or missing. ``topics`` are the topics of ``ideals``
    that the lists answer. ``cutoff`` is the depth at which the lists were cut; ``levels`` is the gain of each level
    if gains came from levels.
    """

    gains: FloatArray
    ideals: Ideals
    topics: Which
    cutoff: int | None = None
    levels: tuple[float, ...] = ()

    def cut(self, cutoff: int | None) -> Lists:
        """The same lists, truncated."""
        if cutoff is None:
            return self
        return replace(self, gains=self.gains[:, :cutoff], cutoff=cutoff)

    @cached_property
    def ranks(self) -> FloatArray:
        """1, 2, ... to the width of the matrix."""
        return np.arange(1.0, self.gains.shape[1] + 1.0)

    @cached_property
    def relevant(self) -> BoolArray:
        """I(r): whether the item at each rank is relevant; lists x ranks."""
        return self.gains > 0

    @cached_property
    def found(self) -> FloatArray:
        """C(r): how many relevant items are at or above each rank; lists x ranks."""
        return np.cumsum(self.relevant, axis=1, dtype=np.float64)

    @cached_property
    def cumulative(self) -> FloatArray:
        """cg(r): the cumulative gain at each rank; lists x ranks."""
        return np.cumsum(self.gains, axis=1)

    @cached_property
    def ideal_cumulative(self) -> FloatArray:
        """cg*(r): the cumulative gain of the ideal list; lists x ranks."""
        return np.cumsum(self.ideals.matrix(self.topics, self.gains.shape[1]), axis=1)

    @cached_property
    def precision(self) -> FloatArray:
        """C(r) / r at each rank; lists x ranks."""
        return self.found / self.ranks

    @cached_property
    def stopping(self) -> FloatArray:
        """The probability that the reader stops at each rank (cascade, p(r) = g(r)/(gmax+1)); lists x ranks."""
        satisfied = self.gains / (self.top[:, None] + 1.0)
        reached = np.ones_like(satisfied)
        np.cumprod(1.0 - satisfied[:, :-1], axis=1, out=reached[:, 1:])
        return satisfied * reached

    @cached_property
    def relevant_only(self) -> RelevantOnly:
        """The relevant items alone, in order, for measures of pairs of items."""
        width = max(1, int(self.relevant.sum(axis=1).max(initial=0)))
        order = np.argsort(~self.relevant, axis=1, kind="stable")[:, :width]
        return RelevantOnly(np.take_along_axis(self.gains, order, axis=1), (order + 1).astype(np.float64))

    @property
    def possible(self) -> IntArray:
        """R, or the cutoff if that is smaller; per list."""
        return self.total_relevant if self.cutoff is None else np.minimum(self.total_relevant, self.cutoff)

    @property
    def total_relevant(self) -> IntArray:
        """R; per list."""
        return self.ideals.relevant[self.topics]

    @property
    def total_nonrelevant(self) -> IntArray:
        """N, the judged nonrelevant items; per list."""
        return self.ideals.nonrelevant[self.topics]

    @property
    def top(self) -> FloatArray:
        """gmax; per list."""
        return self.ideals.top[self.topics]

    def blended_ratio(self, beta: float) -> FloatArray:
        """BR(r) = (C(r) + beta cg(r)) / (r + beta cg*(r)) at each rank (Sakai 2007); lists x ranks."""
        return (self.found + beta * self.cumulative) / (self.ranks + beta * self.ideal_cumulative)

    def ideal_score(self, measure: Callable[..., FloatArray], **options: Any) -> FloatArray:  # Any: as the measure
        """The measure's score of the ideal lists, at the same cutoff; per list."""

        def of_batch(topics: slice, width: int) -> FloatArray:
            ideal = replace(self, gains=self.ideals.matrix(topics, width), topics=topics)
            return measure(ideal, **options)

        key = (measure, self.cutoff, self.levels, tuple(sorted(options.items())))
        return self.ideals.scores(key, of_batch, self.cutoff)[self.topics]


def condense(rows: RowArray) -> RowArray:
    """The lists with unjudged items (row -1) removed and the rest moved up (Sakai 2007).

    >>> condense(np.array([[4, -1, 7, -1]])).tolist()
    [[4, 7, -1, -1]]
    """
    order = np.argsort(rows < 0, axis=1, kind="stable")
    return np.take_along_axis(rows, order, axis=1)


def share(part: FloatArray, whole: NDArray[np.floating[Any]] | IntArray) -> FloatArray:
    """The part over the whole, undefined (NaN) if the whole is 0.

    >>> share(np.array([1.0, 1.0]), np.array([4, 0]))
    array([0.25,  nan])
    """
    shares: FloatArray = np.divide(part, whole, out=np.full(part.shape, np.nan), where=np.asarray(whole) > 0)
    return shares


# The ideal list of each topic, and the scores of that list, computed once.


Which = slice | IntArray
"""Some of the topics: a slice, or topic numbers in any order, repeats allowed."""

CELLS = 1 << 18
"""The largest number of cells of a batch, lists x ranks: it limits memory whatever the number of topics."""


@dataclass(frozen=True, eq=False)
class Ideals:
    """Every topic's positive gains, largest first, one topic after the other, and its number of nonrelevant items.

    ``gains[starts[t]:starts[t + 1]]`` is the ideal list of topic ``t``; ``top`` is gmax, per topic.
    """

    starts: IntArray
    gains: FloatArray
    nonrelevant: IntArray
    top: FloatArray
    _scores: dict[Hashable, FloatArray] = field(default_factory=dict, repr=False)

    @cached_property
    def relevant(self) -> IntArray:
        """R: how many relevant items each topic has."""
        return np.diff(self.starts)

    @cached_property
    def _padded(self) -> FloatArray:
        return np.append(self.gains, 0.0)

    @cached_property
    def _whole(self) -> dict[int, FloatArray]:
        return {}

    def matrix(self, topics: Which, width: int) -> FloatArray:
        """The first ``width`` ranks of the ideal lists of some topics, as topics x ranks, 0 after the last."""
        everything = isinstance(topics, slice) and topics == slice(0, len(self.relevant))
        if everything and width in self._whole:
            return self._whole[width]
        ranks = np.arange(width)
        place = self.starts[:-1][topics, None] + ranks
        place[ranks >= self.relevant[topics, None]] = -1
        made: FloatArray = self._padded[place]
        if everything and made.size <= CELLS:
            self._whole[width] = made
        return made

    def scores(self, key: Hashable, of_batch: Callable[[slice, int], FloatArray], cutoff: int | None) -> FloatArray:
        """A measure's score of every topic's ideal list, computed when first asked for."""
        if key not in self._scores:
            depth = self.relevant if cutoff is None else np.minimum(self.relevant, cutoff)
            parts = [of_batch(topics, max(1, int(depth[topics].max()))) for topics in batches(depth)]
            self._scores[key] = np.concatenate(parts) if parts else np.zeros(0)
        return self._scores[key]


def ideals_of(gains: Qrels, values: FloatArray, top: FloatArray) -> Ideals:
    """The ideal lists of the judged items with gains ``values``, one value per row of ``gains``."""
    codes = gains.codes()
    kept = np.flatnonzero(values > 0)
    order = kept[np.lexsort((-values[kept], codes[kept]))]
    topics = len(gains.topics)
    relevant = np.bincount(codes[kept], minlength=topics)
    starts = np.concatenate(([0], np.cumsum(relevant))).astype(np.int64)
    return Ideals(starts, values[order], np.diff(gains.starts) - relevant, top)


def batches(depths: IntArray) -> Iterator[slice]:
    """Slices of consecutive lists whose padded matrix has at most ``CELLS`` cells.

    >>> list(batches(np.array([3, 2, 5])))
    [slice(0, 3, None)]
    """
    total = len(depths)
    if total * int(depths.max(initial=1)) <= CELLS:
        if total:
            yield slice(0, total)
        return
    start = widest = 0
    for place, depth in enumerate(depths.tolist()):
        widest = max(widest, depth)
        if place > start and (place - start + 1) * widest > CELLS:
            yield slice(start, place)
            start, widest = place, depth
    yield slice(start, total)
