"""A comparison as tables and sentences: leaderboard, pairs, teams, methods paragraph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kaiwa.compare.groups import letter_range
from kaiwa.errors import counted
from kaiwa.model.direction import BEST, labelled
from kaiwa.report.printed_limits import difference_scale, scale_of
from kaiwa.report.results.margin_text import baseline_margin_methods, margin_methods, shown_verdict
from kaiwa.report.results.rank_set_text import rank_set_methods, ranks_of
from kaiwa.report.text_tables import PValue, Rows, few
from kaiwa.stats.p_values import smallest_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.compare.baseline import BaselineComparison, PlannedPair
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.teams import TeamBest
    from kaiwa.report.text_tables import Cell

COLUMNS = ["rank", "run", "mean", "low", "high", "groups", "rank_low", "rank_high"]
"""The columns of ``leaderboard_rows``, as programs name them."""
TEST_NAMES = {
    "hsd": "the randomised Tukey HSD test",
    "step-down": "the step-down (Westfall-Young) version of the randomised Tukey HSD test",
    "tukey": "Tukey's HSD test on the two-way (topic and run) residual variance",
    "robust": "the studentised range test by sign flips of whole topics (wild bootstrap)",
    "robust-step-down": "the step-down (Romano-Wolf) studentised range test by sign flips of whole topics",
}
EXCHANGEABLE = "if runs are exchangeable (equal variances and correlations)"
CONDITIONS = {
    "hsd": EXCHANGEABLE,
    "step-down": EXCHANGEABLE,
    "tukey": "if scores are normal with equal variances and correlations",
}
"""When a test limits the familywise error; the others keep variances and correlations as they are."""
PAIRED_NAMES = {
    "t": "the paired t-test",
    "randomisation": "Fisher's paired randomisation test",
    "bootstrap": "the paired studentised bootstrap test",
}


def heading(comparison: Comparison) -> list[str]:
    """The heading over ``leaderboard_rows``."""
    rank, _, mean, *rest = COLUMNS
    return [rank, comparison.axes.run, labelled(mean, comparison.direction), *rest]


def leaderboard_rows(comparison: Comparison) -> list[list[Cell]]:
    """One row per run, best mean first; runs that could not be compared come last, without a rank."""
    ranked: list[list[Cell]] = [
        [one.rank, one.run, one.mean, one.low, one.high, one.groups, one.rank_low, one.rank_high]
        for one in comparison.standings
    ]
    return ranked + [[None, run, None, None, None, "", None, None] for run in comparison.unranked]


def printed_leaderboard(comparison: Comparison) -> Rows:
    """The leaderboard as people read it: limits cut at the ends of the scale, letters and ranks as ranges."""
    scale = scale_of(comparison)
    rows: list[list[Cell]] = [
        [
            one.rank,
            one.run,
            one.mean,
            scale.cut(one.low),
            scale.cut(one.high),
            letter_range(one.groups),
            ranks_of(one, "-"),
        ]
        for one in comparison.standings
    ]
    rows += [[None, run, None, None, None, "", ""] for run in comparison.unranked]
    return Rows([*heading(comparison)[:-2], "ranks"], rows)


def cut_note(comparison: Comparison, *, uncut: str) -> list[str]:
    """A sentence on the limits that the printed leaderboard cuts; none if it cuts none."""
    limits = [limit for one in comparison.standings for limit in (one.low, one.high)]
    return scale_of(comparison).note(limits, uncut=uncut)


def difference_note(comparison: Comparison | BaselineComparison, *, uncut: str) -> list[str]:
    """A sentence on the limits of differences that printed tables cut; none if they cut none."""
    limits = [limit for pair in comparison.pairs for limit in (pair.low, pair.high)]
    return [
        note.replace("Limits", "Limits of differences")
        for note in difference_scale(comparison).note(limits, uncut=uncut)
    ]


def first_rank(comparison: Comparison) -> str:
    """Who has rank 1, without calling one of several runs the winner.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> first_rank(scores.compare(trials=999))
    '1 run has rank 1: A'
    """
    first, run = first_runs(comparison), comparison.axes.run
    if len(first) == 1:
        return f"1 {run} has rank 1: {first[0]}"
    best = BEST[comparison.direction]
    return f"{len(first):,} {run}s share rank 1; {best} mean: {few(best_means(comparison))}"


def first_runs(comparison: Comparison) -> list[str]:
    """The runs with rank 1: those than which no run is significantly better."""
    return [standing.run for standing in comparison.standings if standing.rank == 1]


def best_means(comparison: Comparison) -> list[str]:
    """The run with the best mean; several if their means are equal."""
    best = comparison.standings[0].mean
    return [standing.run for standing in comparison.standings if standing.mean == best]


def teams_text(teams: Sequence[TeamBest]) -> str:
    """Each team's run with the highest mean and whom it outperforms, as in an NTCIR overview: ``X > Y, Z``."""
    return "\n".join(f"{team.run} > {', '.join(team.beats)}" for team in teams if team.beats)


def team_rows(teams: Sequence[TeamBest]) -> Rows:
    """The same as a table; without rows if no team outperforms another."""
    return Rows(["run", "outperforms"], [[team.run, ", ".join(team.beats)] for team in teams if team.beats])


def baseline_heading(comparison: BaselineComparison) -> list[str]:
    """The heading over ``baseline_rows``."""
    return [f"{comparison.axes.run} - {comparison.baseline}", "diff", "low", "high", "p", "Holm p", "effect", ""]


def baseline_rows(comparison: BaselineComparison) -> list[list[Cell]]:
    """Every run against the baseline, the smallest p first."""
    return [
        [pair.a, pair.diff, pair.low, pair.high, *_ps(comparison, pair), pair.effect_size, _verdict(pair)]
        for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff)))
    ]


def _ps(comparison: BaselineComparison, pair: PlannedPair) -> tuple[PValue, PValue]:
    """The raw and the corrected p; the corrected one is a limit if the raw one is."""
    raw = PValue(pair.raw_p, smallest=comparison.smallest_p)
    return raw, PValue(pair.p, smallest=pair.p if raw.limit else 0.0)


def _verdict(pair: PlannedPair) -> str:
    """A star and what a significant difference means for the run; the verdict within the margin if there is one."""
    significant = "better" if pair.better == pair.a else "worse"
    word = pair.verdict or (significant if pair.significant else "")
    return f"* {word}" if pair.significant else word


def printed_baseline(comparison: BaselineComparison) -> Rows:
    """The same as people read it: limits cut at the largest possible difference."""
    scale = difference_scale(comparison)
    cut = [replace(pair, low=scale.cut(pair.low), high=scale.cut(pair.high)) for pair in comparison.pairs]
    return Rows(baseline_heading(comparison), baseline_rows(replace(comparison, pairs=tuple(cut))))


def baseline_methods(comparison: BaselineComparison) -> str:
    """The comparison with the baseline, as a paragraph for a paper."""
    drawn = f" with {counted(comparison.trials, 'trial')}" if comparison.trials else ""
    found = sum(pair.significant for pair in comparison.pairs)
    later = sum(pair.significant and pair.low <= 0 <= pair.high for pair in comparison.pairs)
    more = f", so {later} found by Holm's later steps only contain 0" if later else ""
    topic, run = comparison.axes
    return (
        f"{comparison.baseline} was compared with {counted(len(comparison.pairs), run)} by mean {comparison.label} "
        f"over {counted(comparison.topics, topic)}, by {PAIRED_NAMES[comparison.test]}{drawn}, two-sided, "
        f"Holm-corrected for {counted(len(comparison.pairs), 'planned comparison')} at a familywise error of "
        f"{comparison.alpha:g}. The number of significant differences is {found}. Effect sizes are mean differences "
        f"over the standard deviation of the per-{topic} differences; intervals are simultaneous (Bonferroni) limits "
        f"of the same test{more}.{baseline_margin_methods(comparison)}"
    )


def pair_rows(comparison: Comparison) -> Rows:
    """Every pair, the smallest p first; the better run comes first, and ``diff`` is its mean minus the other's."""
    rows: list[list[Cell]] = []
    scale, smallest = difference_scale(comparison), smallest_p(comparison.trials, comparison.p_rule)
    for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff))):
        better, worse, sign = (pair.b, pair.a, -1.0) if pair.better == pair.b else (pair.a, pair.b, 1.0)
        low, high = map(scale.cut, sorted((sign * pair.low, sign * pair.high)))
        effect = None if pair.effect_size is None else sign * pair.effect_size
        mark = ("*" if pair.significant else "") + (" close" if pair.close else "")
        verdict = [] if pair.verdict is None else [shown_verdict(pair)]
        p = PValue(pair.p, smallest=smallest)
        rows.append([better, worse, sign * pair.diff, low, high, p, effect, mark.strip(), *verdict])
    last = [] if comparison.margin is None else ["verdict"]
    return Rows([comparison.axes.run, "against", "diff", "low", "high", "p", "effect", "", *last], rows)


def close_text(comparison: Comparison) -> str:
    """The pairs whose significance more trials could change."""
    shown = [f"{pair.a} / {pair.b} (p = {pair.p:.4f} ± {pair.error:.4f})" for pair in comparison.close_pairs]
    return f"Too close to {comparison.alpha:g} to decide with {counted(comparison.trials or 0, 'trial')}: {few(shown)}."


def anova_rows(comparison: Comparison) -> Rows:
    """The two-way ANOVA table."""
    anova = comparison.anova
    rows: list[list[Cell]] = [
        [f"{name}s", source.ss, source.df, source.ms, source.f, None if source.p is None else PValue(source.p)]
        for name, source in zip(comparison.axes, (anova.topics, anova.runs), strict=True)
    ]
    rows.append([anova.residual.name, anova.residual.ss, anova.residual.df, anova.residual.ms, "", ""])
    return Rows(["source", "SS", "df", "MS", "F", "p"], rows, digits=5)


def methods_paragraph(comparison: Comparison) -> str:
    """The method of the comparison, as a paragraph for a paper."""
    how = counted(comparison.trials, "trial") if comparison.trials else "the studentised range distribution"
    rule = "(count + 1) / (trials + 1)" if comparison.p_rule == "plus-one" else "count / trials"
    estimate = f", p-values estimated as {rule}" if comparison.trials else ""
    topic, run = comparison.axes
    return (
        f"{len(comparison.standings)} {run}s were compared by mean {comparison.label} over {comparison.topics} "
        f"{topic}s with {TEST_NAMES[comparison.test]} ({how}{estimate}), {limited_error(comparison)} "
        f"The number of significant differences is "
        f"{comparison.significant_pairs} (discriminative power {comparison.discriminative_power:.1%}). Effect sizes "
        f"are differences over the residual standard deviation of the two-way ANOVA "
        f"({comparison.anova.v_e2**0.5:.4f}). A {run}'s rank is one plus the number of {run}s significantly better "
        f"({comparison.direction} {comparison.measure} is better); "
        f"{run}s that share a letter do not differ significantly; an interval is the mean ± half the "
        f"critical difference ({comparison.critical_difference:.4f}), so two {run}s differ significantly when their "
        f"intervals do not overlap.{margin_methods(comparison)} {rank_set_methods(comparison)}"
    )


def limited_error(comparison: Comparison) -> str:
    """What the test limits, under which condition, and its estimated error on such runs: the end of a sentence."""
    run = comparison.axes.run
    limited = f"which limits the familywise error {over_pairs(comparison)} to {comparison.alpha:g}"
    condition = CONDITIONS.get(comparison.test, "").replace("runs", f"{run}s")
    if not condition:
        return f"{limited} and keeps the variances and correlations of the {run}s."
    found = f"On {run}s with these variances and correlations its error is estimated at {comparison.familywise:.3f}."
    return f"{limited} {condition}. {found}"


def error_note(comparison: Comparison, *, instead: str) -> list[str]:
    """A sentence on a familywise error that the test does not hold on such runs; none if it does."""
    if comparison.error_held:
        return []
    note = (
        f"On {comparison.axes.run}s like these the familywise error of the test {comparison.test} is about "
        f"{comparison.familywise:.2f} in {comparison.measure}, not {comparison.alpha:g}, because their variances or "
        f"correlations are not equal; {instead} holds it."
    )
    return [note]


def over_pairs(comparison: Comparison) -> str:
    """How many pairs an error is limited over: two runs have one pair."""
    pairs, family = len(comparison.pairs), comparison.family
    if family:
        return f"over all {pairs * len(family):,} comparisons under {', '.join(family)} together"
    return "of the one comparison" if pairs == 1 else f"over all {pairs:,} pairs"
