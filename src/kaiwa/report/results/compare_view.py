"""A comparison of runs: all pairs, or every run with a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.report.results import leaderboard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.teams import TeamBest


@dataclass(frozen=True)
class ComparisonView:
    """All pairs compared; pairs and ANOVA are part of the text when asked for."""

    comparison: Comparison
    teams: Sequence[TeamBest]
    latex: bool = False
    with_pairs: bool = False
    with_anova: bool = False

    def text(self) -> str:
        """The leaderboard, the parts asked for, the teams, undecided pairs, and the methods paragraph."""
        found = self.comparison
        board = leaderboard.leaderboard_latex(found).rstrip() if self.latex else leaderboard.leaderboard_text(found)
        parts = [board]
        parts += [leaderboard.pairs_text(found)] if self.with_pairs else []
        parts += [leaderboard.anova_text(found)] if self.with_anova else []
        parts += [leaderboard.teams_text(self.teams)] if any(team.beats for team in self.teams) else []
        parts += [leaderboard.close_text(found)] if found.close_pairs else []
        parts += [] if self.latex else [leaderboard.methods_paragraph(found)]
        return "\n\n".join(parts)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The comparison as JSON fields."""
        found, anova = self.comparison, self.comparison.anova
        return {
            "measure": found.measure,
            "direction": found.direction,
            "test": found.test,
            "alpha": found.alpha,
            "trials": found.trials,
            "topics": found.topics,
            "pairs": [vars(pair) for pair in found.pairs],
            "ranks": found.ranks,
            "leaderboard": [vars(standing) for standing in found.standings],
            "unranked": list(found.unranked),
            "critical_difference": found.critical_difference,
            "discriminative_power": found.discriminative_power,
            "anova": [vars(source) for source in (anova.topics, anova.runs, anova.residual)],
            "methods": leaderboard.methods_paragraph(found),
            "teams": [vars(team) for team in self.teams],
        }


@dataclass(frozen=True)
class BaselineView:
    """Every run compared with the baseline."""

    comparison: BaselineComparison

    def text(self) -> str:
        """The table of runs and the methods paragraph."""
        return f"{leaderboard.baseline_text(self.comparison)}\n\n{leaderboard.baseline_methods(self.comparison)}"

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The comparison as JSON fields; there are no ranks, because the other runs were not compared."""
        values = {name: value for name, value in vars(self.comparison).items() if name not in {"pairs", "axes"}}
        return {**values, "pairs": [vars(pair) for pair in self.comparison.pairs], "ranks": {}}
