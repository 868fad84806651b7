"""A pool and what an organiser asks of it: shares, sizes at other depths, coverage, and each team left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.pool import (
    Coverage,
    Pool,
    Share,
    budget_pool,
    coverage,
    depth_pool,
    pool_sizes,
    run_shares,
    team_shares,
)
from kaiwa.studies.leave_one_team_out import LeftOut, leave_teams_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run


@dataclass(frozen=True, eq=False)
class PoolReport:
    """A pool and what an organiser asks of it; coverage and teams left out are empty without judgements."""

    pool: Pool
    depth: int
    runs: list[Share]
    teams: list[Share]
    sizes: list[int]
    coverage: list[Coverage]
    left_out: list[LeftOut]


def pool_report(
    runs: Sequence[Run],
    gains: Gains | None,
    *,
    depth: int,
    budget: int | None,
    measure: str,
    rng: np.random.Generator,
    on_progress: Callable[[int, int], None],
) -> PoolReport:
    """The shuffled pool, shares and sizes at other depths; with judgements, coverage and each team left out."""
    pool = budget_pool(runs, items=budget, depth=depth) if budget is not None else depth_pool(runs, depth=depth)
    left_out = (
        leave_teams_out(runs, gains, pool, depth=depth, measure=measure, on_progress=on_progress) if gains else []
    )
    return PoolReport(
        pool=pool.shuffled(rng),
        depth=depth,
        runs=run_shares(pool, depth=depth),
        teams=team_shares(pool, depth=depth),
        sizes=pool_sizes(runs, depth=2 * depth),
        coverage=[coverage(run, gains, depth=depth) for run in runs] if gains else [],
        left_out=left_out,
    )
