"""A pool and its statistics: shares, sizes at other depths, coverage, and the ranking without each team."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.model.progress_callback import Progress, no_progress
from kaiwa.model.run import Run
from kaiwa.model.shown import Shown
from kaiwa.pool import (
    MAX_DEPTH,
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
    from collections.abc import Collection, Sequence

    import numpy as np

    from kaiwa.model.gains import Gains


@dataclass(frozen=True, eq=False)
class PoolReport(Shown):
    """A pool and its statistics; coverage and teams left out are empty without judgements.

    >>> import kaiwa
    >>> run = kaiwa.Run.from_dict({"q1": {"c9": 2.0, "c4": 1.0}}, name="A-C-R1")
    >>> kaiwa.pool_runs([run], depth=1)
    PoolReport(1 item, 1 topic, 1 run, depth 1)
    """

    pool: Pool
    depth: int
    runs: list[Share]
    teams: list[Share]
    sizes: list[int]
    coverage: list[Coverage]
    left_out: list[LeftOut]

    def __repr__(self) -> str:
        size = f"{counted(len(self.pool.topics), 'topic')}, {counted(len(self.pool.runs), 'run')}"
        return f"PoolReport({counted(len(self.pool), 'item')}, {size}, depth {self.depth})"


def pool_report(
    runs: Sequence[Run],
    gains: Gains | None,
    *,
    depth: int,
    budget: int | None,
    measure: str,
    takedown: Collection[str],
    rng: np.random.Generator,
    on_progress: Progress = no_progress,
) -> PoolReport:
    """The shuffled pool, shares and sizes at other depths; with judgements, coverage and each team left out."""
    runs = [without_takedown(run, frozenset(takedown)) for run in runs] if takedown else runs
    pool = budget_pool(runs, items=budget, depth=depth) if budget is not None else depth_pool(runs, depth=depth)
    left_out = (
        leave_teams_out(runs, gains, pool, depth=depth, measure=measure, on_progress=on_progress) if gains else []
    )
    return PoolReport(
        pool=pool.shuffled(rng),
        depth=depth,
        runs=run_shares(pool, depth=depth),
        teams=team_shares(pool, depth=depth),
        sizes=pool_sizes(runs, depth=min(2 * depth, MAX_DEPTH)),
        coverage=[coverage(run, gains, depth=depth) for run in runs] if gains else [],
        left_out=left_out,
    )


def without_takedown(run: Run, takedown: frozenset[str]) -> Run:
    """The run without the topics and comments of a takedown; the comments below them move up."""
    lists = {
        topic: [(comment, score) for comment, score in run.ranking(topic) if comment not in takedown]
        for topic in run.topics
        if topic not in takedown
    }
    return replace(Run.from_lists(run.name, lists, description=run.description), order=run.order)
