"""The results' sections: leaderboards, rankings compared, variance, and the next number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.comparison.figures import caterpillar, heat_map
from kaiwa.comparison.notes import REPORT, leaderboard_notes
from kaiwa.comparison.texts import best_means, first_runs, heading, leaderboard_rows, printed_leaderboard
from kaiwa.nouns.matrix import BEST
from kaiwa.show.page import Columns, Data, Details, Drawing, Paragraph, Section, Table
from kaiwa.show.text import PValue, few, finite
from kaiwa.stats.p_values import smallest_p
from kaiwa.topicset.figures import power_curve, power_figure
from kaiwa.topicset.texts import answer_notes, headline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.comparison.leaderboard import Leaderboard
    from kaiwa.comparison.ranks import TeamBest
    from kaiwa.comparison.variance import PooledVariance
    from kaiwa.show.page import Part
    from kaiwa.show.text import Cell
    from kaiwa.stats.kendall import TauResult
    from kaiwa.topicset.sizes import Answer


def summary_section(comparisons: Sequence[Leaderboard]) -> Section:
    """The results by measure: the best mean, the runs that share rank 1, how many pairs differ."""
    rows: list[list[Cell]] = []
    for one in comparisons:
        first, differ = first_runs(one), f"{one.significant_pairs} of {len(one.pairs)}"
        mean = one.standings[0].mean
        rows.append([one.label, few(best_means(one)), mean, f"{len(first)}: {few(first)}", differ])
    header = ["measure", _best_mean(comparisons), "mean", "rank 1", "pairs that differ"]
    note = "A run has rank 1 when no other run is significantly better; several runs can share it."
    return Section("At a glance", (Table("summary", "Results by measure", header, rows), Paragraph(note, "soft")))


def _best_mean(comparisons: Sequence[Leaderboard]) -> str:
    """The words for the best mean: highest or lowest, or best if the measures differ."""
    words = {BEST[one.direction] for one in comparisons}
    return f"{words.pop() if len(words) == 1 else 'best'} mean"


def measure_section(comparison: Leaderboard, teams: Sequence[TeamBest]) -> Section:
    """One measure's leaderboard, drawing of means, differences between teams, and p-values."""
    measure = comparison.measure
    means = (
        f"Mean {comparison.label}. Runs whose intervals do not overlap differ; runs in the colour of the first share "
        f"rank 1."
    )
    shades = f"p-values of all pairs of runs under {measure}, best mean first; a darker shade is a smaller p."
    notes = leaderboard_notes(comparison, REPORT)
    parts: list[Part] = [
        Columns((_leaderboard(comparison), Drawing(f"means-{measure}", means, lambda: caterpillar(comparison)))),
        *(Paragraph(note, "soft") for note in notes),
        *_between_teams(measure, teams),
        Details("p-values of all pairs", (Drawing(f"p-values-{measure}", shades, lambda: heat_map(comparison)),)),
        Data(_pairs_table(comparison)),
        Data(_anova_table(comparison)),
    ]
    return Section(measure, tuple(parts))


def _leaderboard(comparison: Leaderboard) -> Table:
    name, caption = f"leaderboard-{comparison.measure}", f"Leaderboard by mean {comparison.label}"
    printed = printed_leaderboard(comparison)
    return Table(
        name,
        caption,
        heading(comparison),
        leaderboard_rows(comparison),
        printed=printed.rows,
        printed_header=printed.header,
    )


def _between_teams(measure: str, teams: Sequence[TeamBest]) -> list[Part]:
    """The summary of an NTCIR overview, ``X > Y, Z``; empty if the runs are not named by team."""
    rows: list[list[Cell]] = [[team.run, f"> {', '.join(team.beats)}"] for team in teams if team.beats]
    if not rows:
        return (
            [Paragraph("No team's run with the best mean is significantly better than another team's.")]
            if teams
            else []
        )
    caption = "Each team's run with the best mean > those of other teams that it significantly outperforms"
    return [Table(f"teams-{measure}", caption, ["run", "outperforms"], rows)]


def _pairs_table(comparison: Leaderboard) -> Table:
    header = [
        "run",
        "against",
        "difference",
        "low",
        "high",
        "p",
        "Monte Carlo error",
        "effect size",
        "significant",
        "better",
        *(["verdict"] if comparison.margin is not None else []),
    ]
    smallest = smallest_p(comparison.trials, comparison.p_rule)
    rows: list[list[Cell]] = [
        [
            *(one.a, one.b, one.diff, finite(one.low), finite(one.high)),
            *(PValue(one.p, smallest=smallest), one.error, one.effect_size, int(one.significant), one.better),
            *([one.verdict] if comparison.margin is not None else []),
        ]
        for one in comparison.pairs
    ]
    return Table(f"pairs-{comparison.measure}", f"All pairs of runs under {comparison.label}", header, rows)


def _anova_table(comparison: Leaderboard) -> Table:
    anova = comparison.anova
    rows: list[list[Cell]] = [[one.name, one.ss, one.df, one.ms, one.f, one.p] for one in (anova.topics, anova.runs)]
    rows.append([anova.residual.name, anova.residual.ss, anova.residual.df, anova.residual.ms, None, None])
    header = ["source", "SS", "df", "MS", "F", "p"]
    return Table(f"anova-{comparison.measure}", f"Two-way analysis of variance of {comparison.measure}", header, rows)


def next_round_section(answers: Mapping[str, tuple[Answer | None, Answer | None]]) -> Section:
    """How many topics the next round needs, by measure: for the test of the comparison, and by one-way ANOVA."""
    known = {measure: answer for measure, (answer, _) in answers.items() if answer is not None}
    rows: list[list[Cell]] = [
        [
            measure,
            answer.variance,
            answer.n,
            answer.plug_in_n,
            answer.exact_power,
            one_way.n if (one_way := answers[measure][1]) else None,
        ]
        for measure, answer in known.items()
    ]
    largest = max(known.values(), key=lambda answer: answer.n, default=None)
    error = largest.asked.kind.error if largest else "variance"
    head = ["measure", f"variance {error}", "topics needed", "plug-in", "power", "by one-way ANOVA"]
    parts: list[Part] = [Paragraph(headline(largest), "answer")] if largest else []
    parts += [Paragraph(note) for note in answer_notes(largest)] if largest else []
    parts.append(Table("next-round", "Topics needed for the stated requirement", head, rows))
    if largest:
        about = "Power against the number of topics, for the measure that needs most."
        parts.append(Drawing("power", about, lambda: power_figure(largest)))
        parts += [Data(_curve_table(measure, answer)) for measure, answer in known.items()]
    if len(known) < len(answers):
        parts.append(Paragraph("A measure without variance between topics has no design."))
    return Section("Next round", tuple(parts))


def _curve_table(measure: str, answer: Answer) -> Table:
    n, power = power_curve(answer)
    rows: list[list[Cell]] = [[int(size), chance] for size, chance in zip(n.tolist(), power.tolist(), strict=True)]
    return Table(f"power-{measure}", f"Power against topics, {measure}", ["topics", "power"], rows)


def variance_section(results: Sequence[tuple[str, PooledVariance, PooledVariance]]) -> Section:
    """Each measure's variances, raw and standardised, with limits, and the components behind them."""
    rows: list[list[Cell]] = [
        [measure, kind, one.v_e, *(one.v_e_limits or (None, None)), one.v_e2, *(one.v_e2_limits or (None, None))]
        for measure, raw, std_ab in results
        for kind, one in (("raw", raw), ("std-AB", std_ab))
    ]
    header = ["measure", "scores", "V_E", "low", "high", "V_E2", "low", "high"]
    parts: list[Cell] = ["measure", "topic", "run", "residual", "generalisability", "dependability"]
    shares: list[list[Cell]] = [
        [measure, *(getattr(raw.components, str(part)) for part in parts[1:])]
        for measure, raw, _ in results
        if raw.components
    ]
    note = (
        "V_E is the variance of scores within a run, V_E2 the residual variance after runs and topics, each with 95% "
        "bootstrap limits over topics; std-AB puts every topic on one scale (mean 0.5, standard deviation 0.15 over "
        "the runs). Generalisability is how well the order of the runs would repeat on as many other topics, "
        "dependability how well their scores would."
    )
    return Section(
        "Variance",
        (
            Table("variance", "Variances for topic set size design", header, rows),
            Table("components", "Variance components of the raw scores", list(map(str, parts)), shares),
            Paragraph(note, "soft"),
        ),
    )


def tau_section(taus: Mapping[tuple[str, str], TauResult]) -> Section:
    """The agreement of the measures in ranking the runs."""
    rows: list[list[Cell]] = [[f"{a} / {b}", tau.tau, tau.low, tau.high, tau.runs] for (a, b), tau in taus.items()]
    note = (
        "Kendall's tau-b between the rankings by mean score, best first, with Hollander-Wolfe-Chicken 95% limits as "
        "computed: they may pass 1."
    )
    header = ["measures", "tau", "low", "high", "runs"]
    shown = Table("tau", "Rank correlation between measures", header, rows)
    return Section("Rankings compared", (shown, Paragraph(note, "soft")))
