"""A comparison of runs: all pairs, or every run with a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.report.results import leaderboard
from kaiwa.report.text_tables import Rows, visible

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
        tables = [leaderboard.printed_leaderboard(found)]
        tables += [leaderboard.pair_rows(found)] if self.with_pairs else []
        tables += [leaderboard.anova_rows(found)] if self.with_anova else []
        notes = leaderboard.cut_note(found, uncut="--json has")
        notes += leaderboard.difference_note(found, uncut="--json has") if self.with_pairs else []
        notes += [leaderboard.close_text(found)] if found.close_pairs else []
        beaten = leaderboard.team_rows(self.teams)
        if self.latex:
            return latex_text([*tables, *([beaten] if beaten.rows else [])], notes)
        teams = [leaderboard.teams_text(self.teams)] if beaten.rows else []
        return "\n\n".join([*(one.text() for one in tables), *teams, *notes, leaderboard.methods_paragraph(found)])

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
    latex: bool = False

    def text(self) -> str:
        """The table of runs and the methods paragraph; or the table alone as LaTeX."""
        found = self.comparison
        shown = leaderboard.printed_baseline(found)
        notes = leaderboard.difference_note(found, uncut="--json has")
        if self.latex:
            return latex_text([shown], notes)
        return "\n\n".join([shown.text(), *notes, leaderboard.baseline_methods(found)])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The comparison as JSON fields; there are no ranks, because the other runs were not compared."""
        values = {name: value for name, value in vars(self.comparison).items() if name not in {"pairs", "axes"}}
        return {**values, "pairs": [vars(pair) for pair in self.comparison.pairs], "ranks": {}}


def latex_text(tables: Sequence[Rows], notes: Sequence[str]) -> str:
    """The tables as LaTeX, and nothing that LaTeX would print; notes are comments."""
    from kaiwa.report.latex_tables import APART, latex_table

    made = [latex_table(one.header, one.rows, digits=one.digits).rstrip("\n") for one in tables]
    return "\n".join([APART.join(made), *(f"% {visible(note)}" for note in notes)])
