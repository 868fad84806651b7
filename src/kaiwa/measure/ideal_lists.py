"""The ideal list of each topic, and the scores of that list, computed once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.ids import IntArray

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import FloatArray

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


def ideals_of(gains: Gains, values: FloatArray, top: FloatArray) -> Ideals:
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
