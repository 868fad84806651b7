"""Contributions to the pool: the items of each run and team, and those that no other returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.pool.depth import Pool, team_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Share:
    """How many pooled items a contributor has within the depth, and how many only it has."""

    name: str
    items: int
    unique: int


def run_shares(pool: Pool, *, depth: int) -> list[Share]:
    """Each run's share of the pool."""
    return _shares(_within(pool, depth), list(pool.runs))


def team_shares(pool: Pool, *, depth: int) -> list[Share]:
    """Each team's share of the pool, its runs taken together."""
    within = _within(pool, depth)
    teams = list(dict.fromkeys(map(team_of, pool.runs)))
    owner = np.array([team_of(run) for run in pool.runs])
    by_team = np.column_stack([within[:, owner == team].any(axis=1) for team in teams])
    return _shares(by_team, teams)


def without_team(pool: Pool, team: str, *, depth: int) -> NDArray[np.bool_]:
    """Which items are in the pool without this team: those that another team ranks within the depth."""
    others = np.array([team_of(run) != team for run in pool.runs])
    kept: NDArray[np.bool_] = np.any(_within(pool, depth)[:, others], axis=1)
    return kept


def _within(pool: Pool, depth: int) -> NDArray[np.bool_]:
    return (pool.ranks > 0) & (pool.ranks <= depth)


def _shares(held: NDArray[np.bool_], names: list[str]) -> list[Share]:
    alone = held & (held.sum(axis=1) == 1)[:, None]
    return [
        Share(name, int(items), int(unique))
        for name, items, unique in zip(names, held.sum(axis=0), alone.sum(axis=0), strict=True)
    ]
