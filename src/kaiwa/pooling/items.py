"""Which comments to judge: the union of the runs to a depth, or the best of it within a budget."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.nouns.ids import IdArray, IdTable, IntArray, codes_of, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from kaiwa.nouns.qrels import Qrels
    from kaiwa.nouns.run import Run


MAX_DEPTH = 1_000_000
_NUMBERED = re.compile(r"(?P<team>.+?)(?:-[CEJ])?-R(?P<number>\d+)")


@dataclass(frozen=True, eq=False)
class PooledItems:
    """The items to judge: ``comments[i]`` under ``topics[topic[i]]``, and the rank each run gives each item.

    ``ranks`` is items x runs, 0 where a run does not return the item at all.
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    topic: IntArray
    comments: IdArray
    ranks: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.comments)

    def shuffled(self, rng: np.random.Generator) -> PooledItems:
        """The same items in an order independent of the runs: topics, and the items of each topic, are shuffled."""
        topic_place = rng.permutation(len(self.topics))
        order = np.lexsort((rng.random(len(self)), topic_place[self.topic]))
        return self.taken(order)

    def taken(self, rows: IntArray | NDArray[np.bool_]) -> PooledItems:
        """The pool with only these items."""
        return replace(self, topic=self.topic[rows], comments=self.comments[rows], ranks=self.ranks[rows])


def team_of(run: str) -> str:
    """The team of a run, from names such as ``BUPT-C-R2``; the whole name if there is no number.

    >>> team_of("MSRSC-C-R1"), team_of("uwmtCR0")
    ('MSRSC', 'uwmtCR0')
    """
    match = _NUMBERED.fullmatch(run)
    return match["team"] if match else run


def priority_of(run: str) -> int:
    """The team's own priority of a run: the number after ``-R``, 1 if there is none.

    >>> priority_of("MSRSC-C-R3")
    3
    """
    match = _NUMBERED.fullmatch(run)
    return int(match["number"]) if match else 1


def depth_pool(runs: Sequence[Run], *, depth: int) -> PooledItems:
    """Every comment that some run ranks within ``depth``, best ranked first within its topic.

    >>> from kaiwa.nouns.run import Run
    >>> a = Run.from_lists("A", {"q": [("c1", 2.0), ("c2", 1.0)]})
    >>> b = Run.from_lists("B", {"q": [("c3", 2.0), ("c1", 1.0)]})
    >>> pool = depth_pool([a, b], depth=1)
    >>> pool.comments.tolist(), pool.ranks.tolist()
    ([b'c1', b'c3'], [[1, 2], [0, 1]])
    """
    if not runs:
        raise InputError("no run to pool; give at least one")
    if depth < 1:
        raise InputError(f"depth {depth} pools nothing; give at least 1")
    if depth > MAX_DEPTH:
        raise InputError(f"depth {depth} is above {MAX_DEPTH:,}; give {option('depth')} at most so much")
    topics = tuple(dict.fromkeys(topic for run in runs for topic in run.topics))
    topic, comments = _distinct([_rows(run.truncated(depth), topics) for run in runs])
    ranks = np.column_stack([_ranks_in(run, topics, topic, comments) for run in runs])
    pool = PooledItems(topics, tuple(run.name for run in runs), topic, comments, ranks)
    return pool.taken(np.lexsort((_first_place(pool, lambda _: 0), pool.topic)))


def listed_pool(runs: Sequence[Run], items: Sequence[tuple[str, str]]) -> PooledItems:
    """The pool of the given items, topic and comment, with the rank that each run gives each.

    >>> from kaiwa.nouns.run import Run
    >>> a = Run.from_lists("A", {"q": [("c1", 2.0), ("c2", 1.0)]})
    >>> listed_pool([a], [("q", "c2"), ("q", "c7")]).ranks.tolist()
    [[2], [0]]
    """
    topics = tuple(dict.fromkeys([*(topic for topic, _ in items), *(topic for run in runs for topic in run.topics)]))
    topic, comments = codes_of([name for name, _ in items], topics), pack(comment for _, comment in items)
    ranks = np.column_stack([_ranks_in(run, topics, topic, comments) for run in runs])
    return PooledItems(topics, tuple(run.name for run in runs), topic, comments, ranks)


def budget_pool(runs: Sequence[Run], *, items: int, depth: int | None = None) -> PooledItems:
    """At most ``items`` comments, the same number per topic, taken rank by rank and within a rank by team priority.

    First every run's first comment, the runs numbered R1 before those numbered R2, then the second comments,
    and so on. If a topic has fewer comments, the other topics get more.
    """
    deepest = depth or max(int(np.diff(run.starts).max(initial=1)) for run in runs)
    pool = depth_pool(runs, depth=deepest)
    order = np.lexsort((_first_place(pool, priority_of), pool.topic))
    place = np.arange(len(order)) - np.searchsorted(pool.topic[order], pool.topic[order])
    kept = np.lexsort((pool.topic[order], place))[:items]
    return pool.taken(order[np.sort(kept)])


def _rows(run: Run, topics: tuple[str, ...]) -> tuple[IntArray, IdArray]:
    return codes_of(run.topics, topics)[run.codes()], run.comments


def _distinct(rows: list[tuple[IntArray, IdArray]]) -> tuple[IntArray, IdArray]:
    topic = np.concatenate([codes for codes, _ in rows])
    comments = np.concatenate([ids for _, ids in rows])
    first = IdTable(topic, comments).find(topic, comments)
    kept = np.unique(first)
    return topic[kept], comments[kept]


def _ranks_in(run: Run, topics: tuple[str, ...], topic: IntArray, comments: IdArray) -> NDArray[np.int32]:
    codes, ids = _rows(run, topics)
    place = np.arange(len(run)) - np.repeat(run.starts[:-1], np.diff(run.starts)) + 1
    row = IdTable(codes, ids).find(topic, comments)
    return np.where(row >= 0, place[row], 0).astype(np.int32)


def _first_place(pool: PooledItems, priority: Callable[[str], int]) -> IntArray:
    """The order key of each item: its best rank, then the priority and the position of the run that returned it."""
    order = np.argsort([priority(run) for run in pool.runs], kind="stable")
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order))
    turns = np.where(pool.ranks > 0, pool.ranks.astype(np.int64) * len(order) + turn, np.iinfo(np.int64).max)
    first: IntArray = turns.min(axis=1)
    return first


# Coverage of the judgements: the size of the pool at each depth, and the unjudged items at each rank.


@dataclass(frozen=True, eq=False)
class Coverage:
    """How many comments a run has at each rank, and how many of them are unjudged."""

    run: str
    returned: IntArray
    unjudged: IntArray


def pool_sizes(runs: Sequence[Run], *, depth: int) -> list[int]:
    """The number of items in a pool of depth 1, 2, ..., ``depth``.

    >>> from kaiwa.nouns.run import Run
    >>> a = Run.from_lists("A", {"q": [("c1", 2.0), ("c2", 1.0)]})
    >>> b = Run.from_lists("B", {"q": [("c3", 2.0), ("c1", 1.0)]})
    >>> pool_sizes([a, b], depth=3)
    [2, 3, 3]
    """
    pool = depth_pool(runs, depth=depth)
    best = np.where(pool.ranks > 0, pool.ranks, np.iinfo(np.int32).max).min(axis=1)
    sizes: list[int] = np.cumsum(np.bincount(best, minlength=depth + 1))[1 : depth + 1].tolist()
    return sizes


def unjudged_items(pool: PooledItems, gains: Qrels) -> int:
    """How many items of the pool have no judgement, also those of topics that nobody judged."""
    topic = codes_of(pool.topics, gains.topics)[pool.topic]
    known = topic >= 0
    return len(pool) - int((gains.table().find(topic[known], pool.comments[known]) >= 0).sum())


def coverage(run: Run, gains: Qrels, *, depth: int) -> Coverage:
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


# Contributions to the pool: the items of each run and team, and those that no other returned.


@dataclass(frozen=True)
class Share:
    """How many pooled items a contributor has within the depth, and how many only it has."""

    name: str
    items: int
    unique: int


def run_shares(pool: PooledItems, *, depth: int) -> list[Share]:
    """Each run's share of the pool."""
    return _shares(_within(pool, depth), list(pool.runs))


def team_shares(pool: PooledItems, *, depth: int) -> list[Share]:
    """Each team's share of the pool, its runs taken together."""
    within = _within(pool, depth)
    teams = list(dict.fromkeys(map(team_of, pool.runs)))
    owner = np.array([team_of(run) for run in pool.runs])
    by_team = np.column_stack([within[:, owner == team].any(axis=1) for team in teams])
    return _shares(by_team, teams)


def without_team(pool: PooledItems, team: str, *, depth: int) -> NDArray[np.bool_]:
    """Which items are in the pool without this team: those that another team ranks within the depth."""
    others = np.array([team_of(run) != team for run in pool.runs])
    kept: NDArray[np.bool_] = np.any(_within(pool, depth)[:, others], axis=1)
    return kept


def _within(pool: PooledItems, depth: int) -> NDArray[np.bool_]:
    return (pool.ranks > 0) & (pool.ranks <= depth)


def _shares(held: NDArray[np.bool_], names: list[str]) -> list[Share]:
    alone = held & (held.sum(axis=1) == 1)[:, None]
    return [
        Share(name, int(items), int(unique))
        for name, items, unique in zip(names, held.sum(axis=0), alone.sum(axis=0), strict=True)
    ]
