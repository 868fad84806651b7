"""The sections on methods and limits: what was done, and what the results do not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.comparison.allpairs import ALL_PAIRS
from kaiwa.comparison.texts import error_note, limited_error, rank_set_methods
from kaiwa.errors import counted
from kaiwa.show.page import Bullets, Paragraph, Section, Table
from kaiwa.show.text import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.comparison.leaderboard import Leaderboard
    from kaiwa.labelling.agreement import Agreement
    from kaiwa.show.text import Cell


@dataclass(frozen=True)
class Judging:
    """How answers were pooled, judged, turned into gains and scored; None where it is not recorded."""

    items: int | None
    depth: int | None
    assessors: int | None
    top: int | None
    gains: str | None
    scores: str | None


def methods_section(
    comparisons: Sequence[Leaderboard], judging: Judging, agreement: Agreement | None, *, seed: int
) -> Section:
    """One paragraph for a paper, and the numbers of each measure."""
    first = comparisons[0]
    rows: list[list[Cell]] = [
        [
            one.label,
            one.topics,
            len(one.standings),
            len(one.pairs),
            one.significant_pairs,
            one.discriminative_power,
            finite(one.critical_difference),
            one.anova.v_e2**0.5,
        ]
        for one in comparisons
    ]
    header = ["measure", "topics", "runs", "pairs", "differ", "discriminative power", "critical difference"]
    words = " ".join(part for part in (_judged(judging, agreement), _compared(first, comparisons, seed)) if part)
    table = Table("tests", "The tests, by measure", [*header, "residual sd"], rows)
    return Section("Methods", (Paragraph(words, "methods"), table))


def _judged(judging: Judging, agreement: Agreement | None) -> str:
    """How the scores came about, from the records of the steps."""
    sentences = [_pooled(judging), _voted(judging, agreement)] if judging.assessors is not None else []
    scored = f"were scored with: {judging.scores}" if judging.scores else "were scored in a way that is not recorded"
    sentences.append(f"The runs {scored}.")
    return " ".join(sentences)


def _pooled(judging: Judging) -> str:
    if judging.items is None:
        return "How comments were pooled is not recorded."
    if judging.depth is None:
        return f"{counted(judging.items, 'comment')} were pooled; to which depth is not recorded."
    first = "comment of every run was" if judging.depth == 1 else f"{judging.depth} comments of every run were"
    return f"The first {first} pooled ({counted(judging.items, 'item')})."


def _voted(judging: Judging, agreement: Agreement | None) -> str:
    agreed = (
        f" (Fleiss' kappa {agreement.fleiss.value:.3f}, Krippendorff's ordinal alpha "
        f"{agreement.alpha['ordinal'].value:.3f})"
        if agreement
        else ""
    )
    scale = f"on the levels 0 to {judging.top}" if judging.top is not None else "(the scale is not recorded)"
    gains = f"votes became gains ({judging.gains})" if judging.gains else "how votes became gains is not recorded"
    return f"{counted(judging.assessors or 0, 'assessor')} judged them {scale}{agreed}; {gains}."


def _compared(first: Leaderboard, comparisons: Sequence[Leaderboard], seed: int) -> str:
    rule = "(count + 1) / (trials + 1)" if first.p_rule == "plus-one" else "count / trials"
    drawn = f" ({first.trials:,} trials, p estimated as {rule}, seed {seed})" if first.trials else ""
    names = ", ".join(one.measure for one in comparisons)
    return (
        f"{len(first.standings)} runs were scored by {names} on {first.topics} topics and compared"
        f"{', measure by measure,' if len(comparisons) > 1 else ''} with {ALL_PAIRS[first.test].title}{drawn}, "
        f"{limited_error(first)} A run's rank is one plus the number of "
        f"runs significantly better; runs that share a letter do not differ significantly; an interval is the mean ± "
        f"half the critical difference, so two runs differ significantly when their intervals do not overlap. Effect "
        f"sizes are differences over the residual standard deviation of the two-way analysis of variance. "
        f"{rank_set_methods(first)}"
    )


@dataclass(frozen=True)
class ResultLimits:
    """What limits the results: their notices, the smallest differences found, unjudged comments, and takedowns."""

    notices: Sequence[str]
    smallest: Mapping[str, float]
    power: float
    unjudged: tuple[int, int] | None
    pooled: bool
    condensed: bool
    takedowns: int


def limits_section(comparisons: Sequence[Leaderboard], limits: ResultLimits) -> Section:
    """What these results do not show."""
    first = comparisons[0]
    points = list(limits.notices)
    points += [note for one in comparisons for note in error_note(one, instead='test = "robust" in kaiwa.toml')]
    points.append(_undetected(first, limits))
    if len(comparisons) > 1:
        points.append(
            f"The familywise error of {first.alpha:g} is that of one measure (measured: docs/compare.md). "
            f"Over all {len(comparisons)} measures "
            f"the probability of a false difference is up to {min(1.0, len(comparisons) * first.alpha):g}; choose "
            f"the main measure before you see the results."
        )
    if close := sum(len(one.close_pairs) for one in comparisons):
        points.append(
            f"More trials could change the significance of {counted(close, 'p-value')} close to {first.alpha:g}."
        )
    points += _judgements(limits)
    points += [
        (
            "The test generalises to other topics like these. It does not generalise to other assessors, users, "
            "languages, or systems that learned from these judgements."
        ),
        "std-AB scores place a run among the runs of this round; with other runs the same answers get other scores.",
    ]
    if limits.takedowns:
        points.append(
            f"{counted(limits.takedowns, 'id')} of the takedown list occurred in this round. This report and its files "
            f"do not show them; the numbers still include them."
        )
    return Section("Limits", (Paragraph("What these results do not show:"), Bullets(tuple(points))))


def _undetected(first: Leaderboard, limits: ResultLimits) -> str:
    if not limits.smallest:
        return f"{first.topics} topics with {len(first.standings)} runs do not show that two runs are equal."
    found = ", ".join(f"{least:.2f} in {measure}" for measure, least in limits.smallest.items())
    return (
        f"No significant difference does not mean equal. With {first.topics} topics, differences between the best and "
        f"the worst of {len(first.standings)} runs below {found} are found with a probability below {limits.power:.0%} "
        f"(by {ALL_PAIRS[first.test].title}, from the residual variance V_E2)."
    )


def _judgements(limits: ResultLimits) -> list[str]:
    if limits.unjudged is None:
        return ["The share of judged answers is not known: the task folder does not hold both runs and qrels."]
    gaps, items = limits.unjudged
    whole = "items of the pool" if limits.pooled else "comments at the first ranks of the runs"
    if not gaps:
        return [
            (
                f"All {items:,} {whole} are judged; a system that did not take part may return others, "
                "and would be scored too low."
            )
        ]
    scored = "The scores are of condensed lists, without them," if limits.condensed else "They count as not relevant,"
    scored += " and topics without any judgement are not scored."
    return [
        (
            f"{gaps:,} of the {items:,} {whole} ({gaps / items:.1%}) {'is' if gaps == 1 else 'are'} "
            f"not judged. {scored} A system that did not take part would have more of them."
        )
    ]
