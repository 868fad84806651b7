"""Pooling: runs in, the items to judge and their contributors out."""

from kaiwa.pool.coverage import Coverage, coverage, pool_sizes
from kaiwa.pool.depth import Pool, budget_pool, depth_pool, team_of
from kaiwa.pool.share import Share, run_shares, team_shares, without_team

__all__ = [
    "Coverage",
    "Pool",
    "Share",
    "budget_pool",
    "coverage",
    "depth_pool",
    "pool_sizes",
    "run_shares",
    "team_of",
    "team_shares",
    "without_team",
]
