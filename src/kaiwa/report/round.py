"""The sections of a round's page: leaderboards, agreement, pool, variance, and the next number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.report.curve import power_curve_svg
from kaiwa.report.design_text import headline
from kaiwa.report.figure import caterpillar_svg, heat_map_svg
from kaiwa.report.html import Section, details, figure, paragraph, table
from kaiwa.report.leaderboard import HEADING, leaderboard_rows, methods_paragraph, teams_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.components import Variance
    from kaiwa.compare.tau import TauResult
    from kaiwa.compare.teams import TeamBest
    from kaiwa.label.agreement import Agreement, Contested
    from kaiwa.model import Scores
    from kaiwa.pool import Share
    from kaiwa.report.text import Cell
    from kaiwa.topicset import Design


def measure_section(comparison: Comparison, teams: Sequence[TeamBest]) -> Section:
    """One measure's leaderboard, drawing of means, differences between teams, and p-values."""
    measure = comparison.measure
    wins = teams_text(teams).replace("\n", "; ")
    sentence = (
        f"Each team's best run and the best runs it significantly outperforms: {wins}."
        if wins
        else "No team's best run is significantly better than another team's."
    )
    heat_map = figure(heat_map_svg(comparison), f"p-values of all pairs of runs under {measure}.")
    parts = [
        table(HEADING, leaderboard_rows(comparison), caption=f"Leaderboard by mean {measure}"),
        figure(caterpillar_svg(comparison), f"Mean {measure}; runs whose intervals do not overlap differ."),
        paragraph(sentence),
        details("p-values of all pairs", heat_map),
        paragraph(methods_paragraph(comparison), kind="methods"),
    ]
    return Section(measure, "".join(parts))


def next_round_section(answers: Mapping[str, Design | None]) -> Section:
    """How many topics the next round needs, by measure."""
    known = {measure: answer for measure, answer in answers.items() if answer is not None}
    rows: list[list[Cell]] = [
        [measure, answer.variance, answer.n, answer.exact_power, answer.published_n]
        for measure, answer in known.items()
    ]
    largest = max(known.values(), key=lambda answer: answer.n, default=None)
    head = ["measure", "variance V_E", "topics needed", "power", "by the published approximation"]
    parts = [paragraph(headline(largest), kind="answer")] if largest else []
    parts.append(table(head, rows, caption="Topics needed for the stated requirement"))
    if largest:
        parts.append(
            figure(power_curve_svg(largest), "Power against the number of topics, for the measure that needs most.")
        )
    if len(known) < len(answers):
        parts.append(paragraph("A measure without variance between topics asks for no number of topics."))
    return Section("Next round", "".join(parts))


def variance_section(rows: Sequence[tuple[str, Variance, Variance]]) -> Section:
    """Each measure's variances, raw and standardised."""
    cells: list[list[Cell]] = [[measure, raw.v_e, raw.v_e2, std_ab.v_e, std_ab.v_e2] for measure, raw, std_ab in rows]
    header = ["measure", "V_E", "V_E2", "V_E, std-AB", "V_E2, std-AB"]
    note = (
        "V_E is the variance of scores within a run, V_E2 what is left after runs and topics; std-AB puts every "
        "topic on one scale (mean 0.5, standard deviation 0.15 over the runs)."
    )
    return Section("Variance", table(header, cells) + paragraph(note, kind="soft"))


def tau_section(taus: Mapping[tuple[str, str], TauResult]) -> Section:
    """How far the measures rank the runs alike."""
    rows: list[list[Cell]] = [[f"{a} / {b}", tau.tau, tau.low, tau.high] for (a, b), tau in taus.items()]
    note = "Kendall's tau between the rankings by mean score, with Hollander-Wolfe-Chicken 95% limits."
    return Section("Rankings compared", table(["measures", "tau", "low", "high"], rows) + paragraph(note, kind="soft"))


def agreement_section(found: Agreement, contested: Sequence[Contested]) -> Section:
    """How far the assessors agree, and what they disagree about most."""
    kappa, alpha = found.fleiss, found.alpha["ordinal"]
    rows: list[list[Cell]] = [
        ["Fleiss' kappa", kappa.value, kappa.low, kappa.high],
        ["Krippendorff's alpha (ordinal)", alpha.value, alpha.low, alpha.high],
    ]
    parts = [
        paragraph(f"{found.items:,} items with {found.votes_per_item:g} votes each; {found.missing:,} votes are NA."),
        table(["statistic", "value", "low", "high"], rows),
    ]
    if contested:
        items: list[list[Cell]] = [[one.topic, one.comment, " ".join(map(str, one.votes))] for one in contested]
        parts.append(table(["topic", "comment", "votes at L0, L1, ..."], items, caption="Most contested items"))
    return Section("Assessors", "".join(parts))


def topics_section(scores: Scores, std_ab: Scores, posts: Mapping[str, str], *, most: int = 15) -> Section:
    """The topics that separate the runs most: the spread of their scores, raw and standardised, best and worst run."""
    spread = scores.values.std(axis=1, ddof=1)
    rows: list[list[Cell]] = []
    for row in np.argsort(-spread, kind="stable")[:most].tolist():
        raw, topic = scores.values[row], scores.topics[row]
        best, worst = int(raw.argmax()), int(raw.argmin())
        ends = [f"{scores.runs[run]} {raw[run]:.2f} ({std_ab.values[row, run]:.2f})" for run in (best, worst)]
        rows.append([topic, posts.get(topic, "-"), float(raw.mean()), float(spread[row]), *ends])
    head = ["topic", "post", "mean", "spread", "best run", "worst run"]
    caption = f"The {len(rows)} topics on which {scores.measure} differs most between runs"
    note = "Spread is the standard deviation over runs; in brackets the std-AB score, on one scale for every topic."
    return Section("Topics", table(head, rows, caption=caption) + paragraph(note, kind="soft"))


def pool_section(items: int, depth: int, shares: Sequence[Share]) -> Section:
    """What was judged, and who contributed it."""
    rows: list[list[Cell]] = [[share.name, share.items, share.unique] for share in shares]
    lead = paragraph(f"{items:,} comments were pooled to depth {depth} and shown to the assessors in random order.")
    return Section("Pool", lead + table(["run", "items", "only this run"], rows))


def systems_section(descriptions: Mapping[str, str]) -> Section:
    """What each run says it is."""
    rows: list[list[Cell]] = [[run, about or "-"] for run, about in descriptions.items()]
    return Section("Systems", table(["run", "description"], rows))
