"""What was pooled and how much of it is judged, from the pool file, its record, the runs and the qrels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.formats.pool_files import read_pool
from kaiwa.formats.readers import read_qrels
from kaiwa.pool import (
    Coverage,
    Share,
    coverage,
    depth_pool,
    listed_pool,
    pool_sizes,
    run_shares,
    team_shares,
    unjudged_items,
)

if TYPE_CHECKING:
    from kaiwa.model.run import Run
    from kaiwa.task.task_folder import Task


@dataclass(frozen=True)
class PoolFacts:
    """The items of each topic, shares of runs and teams, sizes at each depth, and what is unjudged.

    The items are those of ``pool.tsv`` if there is one (``pooled``), else the first comments of the runs.
    ``depth`` is that of the record of the pool, None if there is none.
    """

    pooled: bool
    depth: int | None
    per_topic: list[int]
    sizes: list[int]
    runs: list[Share]
    teams: list[Share]
    coverage: list[Coverage]
    unjudged: int | None

    @property
    def items(self) -> int:
        """How many items there are."""
        return sum(self.per_topic)


def pool_facts(runs: list[Run], task: Task, *, depth: int | None) -> PoolFacts:
    """The facts of the task's pool; ``depth`` is the recorded one."""
    shown = depth or task.settings.depth
    pooled = task.pool.exists()
    pool = listed_pool(runs, read_pool(task.pool)) if pooled else depth_pool(runs, depth=shown)
    reach = max(int(pool.ranks.max(initial=1)), shown) if pooled and depth is None else shown
    gains = read_qrels(task.qrels) if task.qrels.exists() else None
    per_topic = np.bincount(pool.topic, minlength=len(pool.topics))
    return PoolFacts(
        pooled=pooled,
        depth=depth if pooled else None,
        per_topic=per_topic[per_topic > 0].tolist(),
        sizes=pool_sizes(runs, depth=shown),
        runs=run_shares(pool, depth=reach),
        teams=team_shares(pool, depth=reach),
        coverage=[coverage(run, gains, depth=shown) for run in runs] if gains else [],
        unjudged=unjudged_items(pool, gains) if gains else None,
    )
