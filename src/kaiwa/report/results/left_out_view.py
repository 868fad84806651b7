"""What changes in the leaderboard without some assessors: a line per run and measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.report.printed_limits import CORRELATION
from kaiwa.report.text_tables import Cell, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.studies.left_out_assessors import LeaderboardChange


def change_text(changes: Sequence[LeaderboardChange], without: Sequence[str]) -> str:
    """A table per measure: rank and mean of each run before and after, then tau and the ranks that change."""
    return "\n\n".join(_board_text(change, without) for change in changes)


def _board_text(change: LeaderboardChange, without: Sequence[str]) -> str:
    after = {one.run: one for one in change.after.standings}
    rows: list[list[Cell]] = [
        [one.run, one.rank, after[one.run].rank, one.mean, after[one.run].mean] for one in change.before.standings
    ]
    header = [change.before.label, "rank", "rank after", "mean", "mean after"]
    moved = f"{len(change.moved):,} of {counted(len(rows), 'run')}" if change.moved else "no run"
    return f"{table(header, rows)}\nwithout {', '.join(without)}: {_tau_text(change)}; another rank: {moved}"


def _tau_text(change: LeaderboardChange) -> str:
    if change.tau is None:
        return "tau n/a (all runs tie)"
    low, high = map(CORRELATION.cut, (change.tau.low, change.tau.high))
    return f"tau {change.tau.tau:.4f} [{low:.4f}, {high:.4f}]"


def change_fields(changes: Sequence[LeaderboardChange]) -> dict[str, Any]:  # Any: JSON values
    """By measure: tau, and of each run rank and mean before and after."""
    return {change.measure: _board_fields(change) for change in changes}


def _board_fields(change: LeaderboardChange) -> dict[str, Any]:  # Any: JSON values
    after = {one.run: one for one in change.after.standings}
    tau = change.tau
    return {
        "tau": tau.tau if tau else None,
        "low": tau.low if tau else None,
        "high": tau.high if tau else None,
        "runs": {
            one.run: {
                "rank_before": one.rank,
                "rank_after": after[one.run].rank,
                "mean_before": one.mean,
                "mean_after": after[one.run].mean,
            }
            for one in change.before.standings
        },
    }
