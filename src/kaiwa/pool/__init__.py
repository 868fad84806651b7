"""Pooling: runs in, the items to judge and their contributors out."""

from kaiwa.pool.coverage import Coverage, coverage, pool_sizes, unjudged_items
from kaiwa.pool.depth import MAX_DEPTH, Pool, budget_pool, depth_pool, listed_pool, team_of
from kaiwa.pool.share import Share, run_shares, team_shares, without_team

__all__ = [
    "MAX_DEPTH",
    "Coverage",
    "Pool",
    "Share",
    "budget_pool",
    "coverage",
    "depth_pool",
    "listed_pool",
    "pool_sizes",
    "run_shares",
    "team_of",
    "team_shares",
    "unjudged_items",
    "without_team",
]
