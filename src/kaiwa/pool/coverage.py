"""Coverage of the judgements: the size of the pool at each depth, and the unjudged items at each rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.ids import codes_of
from kaiwa.pool.depth import depth_pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import IntArray
    from kaiwa.model.run import Run
    from kaiwa.pool.depth import Pool


@dataclass(frozen=True, eq=False)
class Coverage:
    """How many comments a run has at each rank, and how many of them are unjudged."""

    run: str
    returned: IntArray
    unjudged: IntArray


def pool_sizes(runs: Sequence[Run], *, depth: int) -> list[int]:
    """The number of items in a pool of depth 1, 2, ..., ``depth``.

    >>> from kaiwa.model.run import Run
    >>> a = Run.from_lists("A", {"q": [("c1", 2.0), ("c2", 1.0)]})
    >>> b = Run.from_lists("B", {"q": [("c3", 2.0), ("c1", 1.0)]})
    >>> pool_sizes([a, b], depth=3)
    [2, 3, 3]
    """
    pool = depth_pool(runs, depth=depth)
    best = np.where(pool.ranks > 0, pool.ranks, np.iinfo(np.int32).max).min(axis=1)
    sizes: list[int] = np.cumsum(np.bincount(best, minlength=depth + 1))[1 : depth + 1].tolist()
    return sizes


def unjudged_items(pool: Pool, gains: Gains) -> int:
    """How many items of the pool have no judgement, also those of topics that nobody judged."""
    topic = codes_of(pool.topics, gains.topics)[pool.topic]
    known = topic >= 0
    return len(pool) - int((gains.table().find(topic[known], pool.comments[known]) >= 0).sum())


def coverage(run: Run, gains: Gains, *, depth: int) -> Coverage:
    """How much of a run's first ``depth`` ranks was judged, over the judged topics."""
    cut = run.truncated(depth)
    topic = codes_of(cut.topics, gains.topics)[cut.codes()]
    place = np.arange(len(cut)) - np.repeat(cut.starts[:-1], np.diff(cut.starts))
    known = topic >= 0
    unjudged = known & (gains.table().find(topic, cut.comments) < 0)
    return Coverage(
        run=run.name,
        returned=np.bincount(place[known], minlength=depth),
        unjudged=np.bincount(place[unjudged], minlength=depth),
    )
