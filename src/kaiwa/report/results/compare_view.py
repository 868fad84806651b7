"""A comparison of runs: all pairs, or every run with a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any

from kaiwa.report.results import leaderboard
from kaiwa.report.results.margin_text import margin_notes
from kaiwa.report.results.rank_set_text import rank_set_note
from kaiwa.report.text_tables import Rows, visible
from kaiwa.stats.p_values import smallest_p

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
        with_pairs = self.with_pairs or found.margin is not None
        tables += [leaderboard.pair_rows(found)] if with_pairs else []
        tables += [leaderboard.anova_rows(found)] if self.with_anova else []
        notes = [rank_set_note(found), *leaderboard.cut_note(found, uncut="--json has")]
        notes += leaderboard.difference_note(found, uncut="--json has") if with_pairs else []
        notes += margin_notes(found)
        notes += [leaderboard.close_text(found)] if found.close_pairs else []
        notes += leaderboard.error_note(found, instead="--test robust")
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
            "margin": found.margin,
            "family": found.family,
            "familywise": found.familywise,
            "trials": found.trials,
            "smallest_p": smallest_p(found.trials, found.p_rule) or None,
            "topics": found.topics,
            "pairs": [vars(pair) for pair in found.pairs],
            "ranks": found.ranks,
            "rank_sets": found.rank_sets,
            "may_be_best": found.may_be_best,
            "leaderboard": [vars(standing) for standing in found.standings],
            "unranked": list(found.unranked),
            "critical_difference": found.critical_difference,
            "discriminative_power": found.discriminative_power,
            "anova": [vars(source) for source in (anova.topics, anova.runs, anova.residual)],
            "methods": leaderboard.methods_paragraph(found),
            "teams": [vars(team) for team in self.teams],
        }


@dataclass(frozen=True)
class FamilyView:
    """All pairs compared under several measures as one family."""

    views: Sequence[ComparisonView]

    def text(self) -> str:
        """The text of each measure under its name; LaTeX has it in a comment."""
        mark = "% " if self.views[0].latex else ""
        return "\n\n".join(f"{mark}{visible(one.comparison.label)}\n{one.text()}" for one in self.views)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The family, and the comparison under each measure as JSON fields."""
        first = self.views[0].comparison
        return {
            "family": first.family,
            "alpha": first.alpha,
            "trials": first.trials,
            "measures": {one.comparison.measure: one.fields() for one in self.views},
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
        notes = [*leaderboard.difference_note(found, uncut="--json has"), *margin_notes(found)]
        if self.latex:
            return latex_text([shown], notes)
        return "\n\n".join([shown.text(), *notes, leaderboard.baseline_methods(found)])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The comparison as JSON fields; there are no ranks, because the other runs were not compared."""
        values = {name: value for name, value in vars(self.comparison).items() if name not in {"pairs", "axes"}}
        pairs = [{name: _finite(value) for name, value in vars(pair).items()} for pair in self.comparison.pairs]
        return {**values, "smallest_p": self.comparison.smallest_p or None, "pairs": pairs, "ranks": {}}


def _finite(value: object) -> object:
    """The value, or None for a limit that is infinite: the test has too few topics to reject any difference."""
    return None if isinstance(value, float) and isinf(value) else value


def latex_text(tables: Sequence[Rows], notes: Sequence[str]) -> str:
    """The tables as LaTeX, and nothing that LaTeX would print; notes are comments."""
    from kaiwa.report.latex_tables import APART, latex_table

    made = [latex_table(one.header, one.rows, digits=one.digits).rstrip("\n") for one in tables]
    return "\n".join([APART.join(made), *(f"% {visible(note)}" for note in notes)])
