"""The leaderboard with and without the votes of some assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.errors import counted
from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import score
from kaiwa.show.result import Table
from kaiwa.show.text import CORRELATION
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.p_values import tied_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.comparison.leaderboard import Standing
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.show.text import Cell


_PAIR = 2


@dataclass(frozen=True)
class Testing:
    """How the runs are compared."""

    test: str
    alpha: float
    trials: int
    seed: int

    def compared(self, scores: Matrix) -> Leaderboard:
        """The runs compared, each time from the same seed."""
        rng = np.random.default_rng(self.seed)
        return compare_runs(scores, test=self.test, alpha=self.alpha, trials=self.trials, rng=rng)


@dataclass(frozen=True)
class LeaderboardChange:
    """One measure by all votes and by the votes that are left: both comparisons, and tau between the rankings.

    ``tau`` is None if one of the two boards has only ties.
    """

    measure: str
    before: Leaderboard
    after: Leaderboard
    tau: TauResult | None

    @property
    def moved(self) -> list[str]:
        """The runs whose rank changes, in the order of the board before."""
        return [run for run, rank in self.before.ranks.items() if self.after.ranks[run] != rank]


def leaderboard_changes(
    runs: Sequence[Run], before: Qrels, after: Qrels, measures: Sequence[str], testing: Testing
) -> list[LeaderboardChange]:
    """Each measure's leaderboard by both gains; none if there is one run only."""
    if len(runs) < _PAIR:
        return []
    boards = [score(runs, judge(gains), measures) for gains in (before, after)]
    changes = []
    for measure in measures:
        one, two = (board.matrix(measure) for board in boards)
        means = [tied_means(scores.oriented) for scores in (one, two)]
        tau = kendall_tau(*means) if all(np.ptp(mean) > 0 for mean in means) else None
        changes.append(LeaderboardChange(measure, testing.compared(one), testing.compared(two), tau))
    return changes


# What changes in the leaderboard without some assessors: a line per run and measure.


def change_table(changes: Sequence[LeaderboardChange]) -> Table:
    """Rank and mean of each run before and after, under each measure."""
    columns = ["measure", "run", "rank_before", "rank_after", "mean_before", "mean_after"]
    rows: list[list[Cell]] = [
        [change.measure, run, *_place(before, after).values()]
        for change in changes
        for run, before, after in _both(change)
    ]
    return Table("leaderboard", columns, rows, ["measure", "run", "rank", "rank after", "mean", "mean after"])


def change_note(change: LeaderboardChange, without: Sequence[str]) -> str:
    """How far the rankings agree, and how many ranks change."""
    runs = counted(len(change.before.standings), "run")
    moved = f"{len(change.moved):,} of {runs}" if change.moved else "no run"
    return f"{change.before.label} without {', '.join(without)}: {_tau_text(change)}; another rank: {moved}"


def _both(change: LeaderboardChange) -> list[tuple[str, Standing, Standing]]:
    after = {one.run: one for one in change.after.standings}
    return [(one.run, one, after[one.run]) for one in change.before.standings]


def _place(before: Standing, after: Standing) -> dict[str, int | float]:
    return {
        "rank_before": before.rank,
        "rank_after": after.rank,
        "mean_before": before.mean,
        "mean_after": after.mean,
    }


def _tau_text(change: LeaderboardChange) -> str:
    if change.tau is None:
        return "tau n/a (all runs tie)"
    low, high = map(CORRELATION.cut, (change.tau.low, change.tau.high))
    return f"tau {change.tau.tau:.4f} [{low:.4f}, {high:.4f}]"


def change_fields(changes: Sequence[LeaderboardChange]) -> dict[str, Any]:  # Any: JSON values
    """By measure: tau, and of each run rank and mean before and after."""
    return {change.measure: _board_fields(change) for change in changes}


def _board_fields(change: LeaderboardChange) -> dict[str, Any]:  # Any: JSON values
    tau = change.tau
    return {
        "tau": tau.tau if tau else None,
        "low": tau.low if tau else None,
        "high": tau.high if tau else None,
        "runs": {run: _place(before, after) for run, before, after in _both(change)},
    }
