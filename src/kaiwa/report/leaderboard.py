"""A comparison as people read it: leaderboard, pairs, teams, methods paragraph, LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.report.text import latex_table, table

if TYPE_CHECKING:
    from kaiwa.compare.comparison import Comparison
    from kaiwa.report.text import Cell

HEADING = ["rank", "run", "mean", "low", "high", "groups"]
TEST_NAMES = {
    "hsd": "the randomised Tukey HSD test",
    "step-down": "the step-down (Westfall-Young) version of the randomised Tukey HSD test",
    "tukey": "Tukey's HSD test on the two-way (topic and run) residual variance",
}


def leaderboard_rows(comparison: Comparison) -> list[list[Cell]]:
    """One row a run, best first; runs that could not be compared come last, without a rank."""
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


def pairs_text(comparison: Comparison) -> str:
    """Every pair, the smallest p first; the better run stands first."""
    rows: list[list[Cell]] = []
    for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff))):
        better, worse, sign = (pair.a, pair.b, 1.0) if pair.diff >= 0 else (pair.b, pair.a, -1.0)
        low, high = sorted((sign * pair.low, sign * pair.high))
        effect = None if pair.effect_size is None else abs(pair.effect_size)
        mark = ("*" if pair.significant else "") + (" close" if pair.close else "")
        rows.append([better, worse, abs(pair.diff), low, high, pair.p, effect, mark.strip()])
    return table(["run", "against", "diff", "low", "high", "p", "effect", ""], rows)


def anova_text(comparison: Comparison) -> str:
    """The two-way ANOVA table."""
    sources = (comparison.anova.topics, comparison.anova.runs, comparison.anova.residual)
    rows: list[list[Cell]] = [[source.name, source.ss, source.df, source.ms, source.f, source.p] for source in sources]
    return table(["source", "SS", "df", "MS", "F", "p"], rows, digits=5)


def methods_paragraph(comparison: Comparison) -> str:
    """What was done, in words that can stand in a paper."""
    how = f"{comparison.trials:,} trials" if comparison.trials else "the studentised range distribution"
    rule = "(count + 1) / (trials + 1)" if comparison.p_rule == "plus-one" else "count / trials"
    counted = f", p-values estimated as {rule}" if comparison.trials else ""
    return (
        f"{len(comparison.standings)} runs were compared by mean {comparison.measure} over {comparison.topics} topics "
        f"with {TEST_NAMES[comparison.test]} ({how}{counted}), which holds the familywise error over all "
        f"{len(comparison.pairs)} pairs at {comparison.alpha:g}. {comparison.significant_pairs} pairs differ "
        f"significantly. Effect sizes are differences over the residual standard deviation of the two-way ANOVA "
        f"({comparison.anova.v_e2**0.5:.4f}). A run's rank is one plus the number of runs significantly better; "
        f"runs that share a letter do not differ significantly; an interval is the mean give or take half the "
        f"critical difference ({comparison.critical_difference:.4f}), so two runs differ significantly when their "
        f"intervals do not overlap."
    )
