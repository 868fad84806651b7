"""A comparison as text: leaderboard, pairs, teams, methods paragraph, LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.report.latex_tables import latex_table
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.teams import TeamBest
    from kaiwa.report.text_tables import Cell

HEADING = ["rank", "run", "mean", "low", "high", "groups"]
TEST_NAMES = {
    "hsd": "the randomised Tukey HSD test",
    "step-down": "the step-down (Westfall-Young) version of the randomised Tukey HSD test",
    "tukey": "Tukey's HSD test on the two-way (topic and run) residual variance",
}
PAIRED_NAMES = {
    "t": "the paired t-test",
    "randomisation": "Fisher's paired randomisation test",
    "bootstrap": "the paired studentised bootstrap test",
}


def leaderboard_rows(comparison: Comparison) -> list[list[Cell]]:
    """One row per run, best first; runs that could not be compared come last, without a rank."""
    ranked: list[list[Cell]] = [
        [standing.rank, standing.run, standing.mean, standing.low, standing.high, standing.groups]
        for standing in comparison.standings
    ]
    return ranked + [[None, run, None, None, None, ""] for run in comparison.unranked]


def leaderboard_text(comparison: Comparison) -> str:
    """The leaderboard for a terminal."""
    return table(HEADING, leaderboard_rows(comparison))


def leaderboard_latex(comparison: Comparison) -> str:
    """The leaderboard as a LaTeX tabular with booktabs rules."""
    return latex_table(HEADING, leaderboard_rows(comparison))


def teams_text(teams: Sequence[TeamBest]) -> str:
    """The best run of each team and whom it significantly outperforms, as in an NTCIR overview: ``X > Y, Z``."""
    return "\n".join(f"{team.run} > {', '.join(team.beats)}" for team in teams if team.beats)


def baseline_heading(comparison: BaselineComparison) -> list[str]:
    """The heading over ``baseline_rows``."""
    return [f"run - {comparison.baseline}", "diff", "low", "high", "p", "Holm p", "effect", ""]


def baseline_rows(comparison: BaselineComparison) -> list[list[Cell]]:
    """Every run against the baseline, the smallest p first."""
    return [
        [pair.a, pair.diff, pair.low, pair.high, pair.raw_p, pair.p, pair.effect_size, "*" if pair.significant else ""]
        for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff)))
    ]


def baseline_text(comparison: BaselineComparison) -> str:
    """Every run against the baseline, for a terminal."""
    return table(baseline_heading(comparison), baseline_rows(comparison))


def baseline_methods(comparison: BaselineComparison) -> str:
    """The comparison with the baseline, as a paragraph for a paper."""
    drawn = f" with {comparison.trials:,} trials" if comparison.trials else ""
    found = sum(pair.significant for pair in comparison.pairs)
    return (
        f"{comparison.baseline} was compared with {counted(len(comparison.pairs), 'run')} by mean {comparison.measure} "
        f"over {counted(comparison.topics, 'topic')}, by {PAIRED_NAMES[comparison.test]}{drawn}, two-sided, "
        f"Holm-corrected for {counted(len(comparison.pairs), 'planned comparison')} at a familywise error of "
        f"{comparison.alpha:g}. The number of significant differences is {found}. Effect sizes are mean differences "
        f"over the standard deviation of the per-topic differences; intervals are simultaneous (Bonferroni) paired t "
        f"intervals."
    )


def pairs_text(comparison: Comparison) -> str:
    """Every pair, the smallest p first; the better run comes first."""
    rows: list[list[Cell]] = []
    for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff))):
        better, worse, sign = (pair.a, pair.b, 1.0) if pair.diff >= 0 else (pair.b, pair.a, -1.0)
        low, high = sorted((sign * pair.low, sign * pair.high))
        effect = None if pair.effect_size is None else abs(pair.effect_size)
        mark = ("*" if pair.significant else "") + (" close" if pair.close else "")
        rows.append([better, worse, abs(pair.diff), low, high, pair.p, effect, mark.strip()])
    return table(["run", "against", "diff", "low", "high", "p", "effect", ""], rows)


def close_text(comparison: Comparison) -> str:
    """The pairs whose significance more trials could change."""
    shown = [f"{pair.a} / {pair.b} (p = {pair.p:.4f} ± {pair.error:.4f})" for pair in comparison.close_pairs]
    more = f" and {len(shown) - 10} more" if len(shown) > 10 else ""  # noqa: PLR2004
    return (
        f"Too close to {comparison.alpha:g} to decide with {comparison.trials:,} trials: {', '.join(shown[:10])}{more}."
    )


def anova_text(comparison: Comparison) -> str:
    """The two-way ANOVA table."""
    anova = comparison.anova
    rows: list[list[Cell]] = [
        [source.name, source.ss, source.df, source.ms, source.f, source.p] for source in (anova.topics, anova.runs)
    ]
    rows.append([anova.residual.name, anova.residual.ss, anova.residual.df, anova.residual.ms, "", ""])
    return table(["source", "SS", "df", "MS", "F", "p"], rows, digits=5)


def methods_paragraph(comparison: Comparison) -> str:
    """The method of the comparison, as a paragraph for a paper."""
    how = f"{comparison.trials:,} trials" if comparison.trials else "the studentised range distribution"
    rule = "(count + 1) / (trials + 1)" if comparison.p_rule == "plus-one" else "count / trials"
    estimate = f", p-values estimated as {rule}" if comparison.trials else ""
    return (
        f"{len(comparison.standings)} runs were compared by mean {comparison.measure} over {comparison.topics} topics "
        f"with {TEST_NAMES[comparison.test]} ({how}{estimate}), which limits the familywise error over all "
        f"{len(comparison.pairs)} pairs to {comparison.alpha:g}. The number of significant differences is "
        f"{comparison.significant_pairs} (discriminative power {comparison.discriminative_power:.1%}). Effect sizes "
        f"are differences over the residual standard deviation of the two-way ANOVA "
        f"({comparison.anova.v_e2**0.5:.4f}). A run's rank is one plus the number of runs significantly better; "
        f"runs that share a letter do not differ significantly; an interval is the mean ± half the "
        f"critical difference ({comparison.critical_difference:.4f}), so two runs differ significantly when their "
        f"intervals do not overlap."
    )
