"""The leaderboard with and without the votes of some assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.comparison import Comparison, compare_runs
from kaiwa.measure.gain_scale import judge
from kaiwa.measure.scoring import score
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.ties import tied_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.gains import Gains
    from kaiwa.model.run import Run
    from kaiwa.model.scores import Scores

_PAIR = 2


@dataclass(frozen=True)
class Testing:
    """How the runs are compared."""

    test: str
    alpha: float
    trials: int
    seed: int

    def compared(self, scores: Scores) -> Comparison:
        """The runs compared, each time from the same seed."""
        rng = np.random.default_rng(self.seed)
        return compare_runs(scores, test=self.test, alpha=self.alpha, trials=self.trials, rng=rng)


@dataclass(frozen=True)
class LeaderboardChange:
    """One measure by all votes and by the votes that are left: both comparisons, and tau between the rankings.

    ``tau`` is None if one of the two boards has only ties.
    """

    measure: str
    before: Comparison
    after: Comparison
    tau: TauResult | None

    @property
    def moved(self) -> list[str]:
        """The runs whose rank changes, in the order of the board before."""
        return [run for run, rank in self.before.ranks.items() if self.after.ranks[run] != rank]


def leaderboard_changes(
    runs: Sequence[Run], before: Gains, after: Gains, measures: Sequence[str], testing: Testing
) -> list[LeaderboardChange]:
    """Each measure's leaderboard by both gains; none if there is one run only."""
    if len(runs) < _PAIR:
        return []
    boards = [score(runs, judge(gains), measures) for gains in (before, after)]
    changes = []
    for measure in measures:
        one, two = (board[measure] for board in boards)
        means = [tied_means(scores.oriented) for scores in (one, two)]
        tau = kendall_tau(*means) if all(np.ptp(mean) > 0 for mean in means) else None
        changes.append(LeaderboardChange(measure, testing.compared(one), testing.compared(two), tau))
    return changes
