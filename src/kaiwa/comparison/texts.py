"""A comparison as tables and sentences: leaderboard, pairs, teams, methods paragraph."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kaiwa.comparison.allpairs import ALL_PAIRS
from kaiwa.comparison.baseline import ROBUST
from kaiwa.comparison.ranks import letter_range
from kaiwa.errors import InputError, counted
from kaiwa.measures.table import choose
from kaiwa.nouns.matrix import BEST, labelled
from kaiwa.show.text import CORRELATION, UNIT, PValue, Rows, Scale, few, finite
from kaiwa.stats.p_values import smallest_p

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.comparison.baseline import BaselineComparison, PlannedPair
    from kaiwa.comparison.leaderboard import Leaderboard, PairResult, Standing
    from kaiwa.show.text import Cell


# Rank confidence sets in words: a cell of the leaderboard, the note below it, and the sentence for a paper.


def confidence(comparison: Leaderboard) -> str:
    """The joint confidence of intervals and rank sets: 95%."""
    return f"{100 * (1 - comparison.alpha):g}%"


def ranks_of(standing: Standing, to: str = " to ") -> str:
    """The ranks that a run may have: ``2 to 7``, or ``2``."""
    low, high = standing.rank_low, standing.rank_high
    return f"{low}" if low == high else f"{low}{to}{high}"


def rank_set_note(comparison: Leaderboard) -> str:
    """What the ranks of the leaderboard mean, with one run as the example, and which runs may be best.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> print(rank_set_note(scores.compare(trials=999).one))
    Ranks: over all topics like these A has rank 1 (jointly 95% for all runs). 1 run may be best (95%): A.
    """
    first, run, sure = comparison.standings[0], comparison.axes.run, confidence(comparison)
    ranks = f"{first.run} has rank {ranks_of(first)} (jointly {sure} for all {run}s)"
    best = f"{counted(len(comparison.may_be_best), run)} may be best ({sure}): {few(comparison.may_be_best)}"
    return f"Ranks: over all {comparison.axes.topic}s like these {ranks}. {best}."


def rank_set_methods(comparison: Leaderboard) -> str:
    """How the rank confidence sets were made, for a paper."""
    topic, run = comparison.axes
    if comparison.family:
        return (
            f"All measures, each divided by its residual standard deviation, have the same "
            f"{counted(comparison.rank_trials, 'sign flip')} of whole {topic}s; intervals and rank confidence sets "
            f"hold jointly for all {run}s and all {len(comparison.family)} measures with {confidence(comparison)} "
            f"confidence (measured: docs/compare.md)."
        )
    return (
        f"Rank confidence sets (Mogstad et al. 2024) hold jointly for all {run}s with {confidence(comparison)} "
        f"confidence, and so does the set of {run}s that may be best. They are step-down sets from "
        f"{counted(comparison.rank_trials, 'sign flip')} of whole {topic}s, which keep the variances and "
        f"correlations of the {run}s. In simulation with 25 "
        f"{topic}s or more 95% sets held in .93 or more of samples (docs/compare.md)."
    )


# Verdicts within a margin in words: a cell of the table of pairs, the note below it, and the sentence for a paper.


def shown_verdict(pair: PairResult) -> str:
    """The verdict on the run that is listed first, which is the better one."""
    return "better" if pair.verdict == "worse" else pair.verdict or ""


def margin_notes(comparison: Leaderboard | BaselineComparison) -> list[str]:
    """How many verdicts of each kind there are; none without a margin.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> margin_notes(scores.compare(trials=999, margin=0.1).one)
    ['Margin 0.1: 1 pair, 0 equivalent, 1 different, 0 undecided.']
    """
    if comparison.margin is None:
        return []
    found = Counter(pair.verdict for pair in comparison.pairs)
    different = found["better"] + found["worse"]
    apart = [f"{found['equivalent']:,} equivalent", f"{different:,} different"]
    apart += [f"{found['not inferior']:,} not inferior"] if found["not inferior"] else []
    pairs = counted(len(comparison.pairs), "pair")
    return [f"Margin {comparison.margin:g}: {pairs}, {', '.join(apart)}, {found['undecided']:,} undecided."]


def margin_methods(comparison: Leaderboard) -> str:
    """How pairs were judged within a margin, for a paper; empty without a margin."""
    run, margin = comparison.axes.run, comparison.margin
    return (
        ""
        if margin is None
        else f" Two {run}s are equivalent if the simultaneous {confidence(comparison)} interval of their difference "
        f"lies within ±{margin:g}; else they are different if the difference is significant, and undecided if not "
        f"(measured errors: docs/compare.md)."
    )


def baseline_margin_methods(comparison: BaselineComparison) -> str:
    """How runs were judged against the baseline within a margin, for a paper; empty without a margin."""
    run, margin = comparison.axes.run, comparison.margin
    return (
        ""
        if margin is None
        else f" A {run} is equivalent to {comparison.baseline} if the interval of its difference lies within "
        f"±{margin:g}, and not inferior if the whole interval is less than {margin:g} on the worse side of 0 (measured "
        f"errors: docs/compare.md)."
    )


COLUMNS = ["rank", "run", "mean", "low", "high", "groups", "rank_low", "rank_high"]
"""The columns of ``leaderboard_rows``, as programs name them."""
BASELINE_NAMES = {
    "robust": "the range test of differences to the baseline by sign flips of whole topics (wild bootstrap)",
    "t": "the paired t-test",
    "randomisation": "Fisher's paired randomisation test",
    "bootstrap": "the paired studentised bootstrap test",
}
BASELINE_ERRORS = {
    "robust": ".043 to .056, and up to .079 if the baseline had three times the deviation",
    "t": ".038 to .087, and .058 to .192 if the baseline was constant",
    "randomisation": ".044 to .112, and .062 to .155 if the baseline was constant",
    "bootstrap": ".032 to .056, and .037 to .144 if the baseline was constant",
}
"""The familywise errors of the audit, from 10 to 100 topics."""
FAMILY_ERROR = ".04 to .07"


def heading(comparison: Leaderboard) -> list[str]:
    """The heading over ``leaderboard_rows``."""
    rank, _, mean, *rest = COLUMNS
    return [rank, comparison.axes.run, labelled(mean, comparison.direction), *rest]


def leaderboard_rows(comparison: Leaderboard) -> list[list[Cell]]:
    """One row per run, best mean first; runs that could not be compared come last, without a rank."""
    ranked: list[list[Cell]] = [
        [one.rank, one.run, one.mean, finite(one.low), finite(one.high), one.groups, one.rank_low, one.rank_high]
        for one in comparison.standings
    ]
    return ranked + [[None, run, None, None, None, "", None, None] for run in comparison.unranked]


def printed_leaderboard(comparison: Leaderboard) -> Rows:
    """The leaderboard as people read it: limits cut at the ends of the scale, letters and ranks as ranges."""
    scale = scale_of(comparison)
    rows: list[list[Cell]] = [
        [
            one.rank,
            one.run,
            one.mean,
            scale.shown(one.low),
            scale.shown(one.high),
            letter_range(one.groups),
            ranks_of(one, "-"),
        ]
        for one in comparison.standings
    ]
    rows += [[None, run, None, None, None, "", ""] for run in comparison.unranked]
    return Rows([*heading(comparison)[:-2], "ranks"], rows)


def cut_note(comparison: Leaderboard, *, uncut: str) -> list[str]:
    """A sentence on the limits that the printed leaderboard cuts; none if it cuts none."""
    limits = [limit for one in comparison.standings for limit in (one.low, one.high)]
    return scale_of(comparison).note(limits, uncut=uncut)


def difference_note(comparison: Leaderboard | BaselineComparison, *, uncut: str) -> list[str]:
    """A sentence on the limits of differences that printed tables cut; none if they cut none."""
    limits = [limit for pair in comparison.pairs for limit in (pair.low, pair.high)]
    return [
        note.replace("Limits", "Limits of differences")
        for note in difference_scale(comparison).note(limits, uncut=uncut)
    ]


def first_rank(comparison: Leaderboard) -> str:
    """Who has rank 1, without calling one of several runs the winner.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> first_rank(scores.compare(trials=999).one)
    '1 run has rank 1: A'
    """
    first, run = first_runs(comparison), comparison.axes.run
    if len(first) == 1:
        return f"1 {run} has rank 1: {first[0]}"
    best = BEST[comparison.direction]
    return f"{len(first):,} {run}s share rank 1; {best} mean: {few(best_means(comparison))}"


def first_runs(comparison: Leaderboard) -> list[str]:
    """The runs with rank 1: those than which no run is significantly better."""
    return [standing.run for standing in comparison.standings if standing.rank == 1]


def best_means(comparison: Leaderboard) -> list[str]:
    """The run with the best mean; several if their means are equal."""
    best = comparison.standings[0].mean
    return [standing.run for standing in comparison.standings if standing.mean == best]


def baseline_heading(comparison: BaselineComparison) -> list[str]:
    """The heading of a comparison with a baseline."""
    p = ["p"] if comparison.test == ROBUST else ["p", "Holm p"]
    return [f"{comparison.axes.run} - {comparison.baseline}", "diff", "low", "high", *p, "effect", ""]


def _baseline_rows(comparison: BaselineComparison, shown: Callable[[float], float | None]) -> list[list[Cell]]:
    return [
        [pair.a, pair.diff, shown(pair.low), shown(pair.high), *_ps(comparison, pair), pair.effect_size, _verdict(pair)]
        for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff)))
    ]


def _ps(comparison: BaselineComparison, pair: PlannedPair) -> list[PValue]:
    """The raw and the corrected p, of which the second is a limit if the first is; or the one p of the robust test."""
    if pair.raw_p is None:
        return [PValue(pair.p, smallest=comparison.smallest_p)]
    raw = PValue(pair.raw_p, smallest=comparison.smallest_p)
    return [raw, PValue(pair.p, smallest=pair.p if raw.limit else 0.0)]


def _verdict(pair: PlannedPair) -> str:
    """A star and what a significant difference means for the run; the verdict within the margin if there is one."""
    significant = "better" if pair.better == pair.a else "worse"
    word = pair.verdict or (significant if pair.significant else "")
    return f"* {word}" if pair.significant else word


def printed_baseline(comparison: BaselineComparison) -> Rows:
    """The same as people read it: limits cut at the largest possible difference."""
    return Rows(baseline_heading(comparison), _baseline_rows(comparison, difference_scale(comparison).shown))


def baseline_methods(comparison: BaselineComparison) -> str:
    """The comparison with the baseline, as a paragraph for a paper."""
    drawn = f" with {counted(comparison.trials, 'trial')}" if comparison.trials else ""
    found = sum(pair.significant for pair in comparison.pairs)
    topic, run = comparison.axes
    name = BASELINE_NAMES[comparison.test].replace("topics", f"{topic}s")
    return (
        f"{comparison.baseline} was compared with {counted(len(comparison.pairs), run)} by mean {comparison.label} "
        f"over {counted(comparison.topics, topic)}, by {name}{drawn}, two-sided, "
        f"{_corrected(comparison)} for {counted(len(comparison.pairs), 'planned comparison')} at a familywise error of "
        f"{comparison.alpha:g}. On TREC data with equal means, its error at .05 was "
        f"{BASELINE_ERRORS[comparison.test]} (benchmarks/results/audit.md, Familywise error of 9 runs against a "
        f"baseline). The number of significant differences is {found}. Effect sizes are mean differences "
        f"over the standard deviation of the per-{topic} differences; {_baseline_intervals(comparison)}."
        f"{baseline_margin_methods(comparison)}"
    )


def _corrected(comparison: BaselineComparison) -> str:
    return "with one critical difference" if comparison.test == ROBUST else "Holm-corrected"


def _baseline_intervals(comparison: BaselineComparison) -> str:
    """How the intervals were made, and which significant differences they do not show."""
    if not comparison.decidable:
        return f"with so few {comparison.axes.topic}s no difference can be significant, and there are no intervals"
    if comparison.critical_difference is not None:
        return f"intervals are simultaneous: the mean difference ± {comparison.critical_difference:.4f}"
    later = sum(pair.significant and pair.low <= 0 <= pair.high for pair in comparison.pairs)
    more = f", so {later} found by Holm's later steps only contain 0" if later else ""
    return f"intervals are simultaneous (Bonferroni) limits of the same test{more}"


def pair_rows(comparison: Leaderboard) -> Rows:
    """Every pair, the smallest p first; the better run comes first, and ``diff`` is its mean minus the other's."""
    rows: list[list[Cell]] = []
    scale, smallest = difference_scale(comparison), smallest_p(comparison.trials, comparison.p_rule)
    for pair in sorted(comparison.pairs, key=lambda pair: (pair.p, -abs(pair.diff))):
        better, worse, sign = (pair.b, pair.a, -1.0) if pair.better == pair.b else (pair.a, pair.b, 1.0)
        low, high = map(scale.shown, sorted((sign * pair.low, sign * pair.high)))
        effect = None if pair.effect_size is None else sign * pair.effect_size
        mark = ("*" if pair.significant else "") + (" close" if pair.close else "")
        verdict = [] if pair.verdict is None else [shown_verdict(pair)]
        p = PValue(pair.p, smallest=smallest)
        rows.append([better, worse, sign * pair.diff, low, high, p, effect, mark.strip(), *verdict])
    last = [] if comparison.margin is None else ["verdict"]
    return Rows([comparison.axes.run, "against", "diff", "low", "high", "p", "effect", "", *last], rows)


def close_text(comparison: Leaderboard) -> str:
    """The pairs whose significance more trials could change."""
    shown = [f"{pair.a} / {pair.b} (p = {pair.p:.4f} ± {pair.error:.4f})" for pair in comparison.close_pairs]
    return f"Too close to {comparison.alpha:g} to decide with {counted(comparison.trials or 0, 'trial')}: {few(shown)}."


def anova_rows(comparison: Leaderboard) -> Rows:
    """The two-way ANOVA table."""
    anova = comparison.anova
    rows: list[list[Cell]] = [
        [f"{name}s", source.ss, source.df, source.ms, source.f, None if source.p is None else PValue(source.p)]
        for name, source in zip(comparison.axes, (anova.topics, anova.runs), strict=True)
    ]
    rows.append([anova.residual.name, anova.residual.ss, anova.residual.df, anova.residual.ms, "", ""])
    return Rows(["source", "SS", "df", "MS", "F", "p"], rows, digits=5)


def methods_paragraph(comparison: Leaderboard) -> str:
    """The method of the comparison, as a paragraph for a paper."""
    how = counted(comparison.trials, "trial") if comparison.trials else "the studentised range distribution"
    rule = "(count + 1) / (trials + 1)" if comparison.p_rule == "plus-one" else "count / trials"
    estimate = f", p-values estimated as {rule}" if comparison.trials else ""
    topic, run = comparison.axes
    name = ALL_PAIRS[comparison.test].title.replace("topics", f"{topic}s")
    return (
        f"{len(comparison.standings)} {run}s were compared by mean {comparison.label} over {comparison.topics} "
        f"{topic}s with {name} ({how}{estimate}), {limited_error(comparison)} "
        f"The number of significant differences is "
        f"{comparison.significant_pairs} (discriminative power {comparison.discriminative_power:.1%}). Effect sizes "
        f"are differences over the residual standard deviation of the two-way ANOVA "
        f"({comparison.anova.v_e2**0.5:.4f}). A {run}'s rank is one plus the number of {run}s significantly better "
        f"({comparison.direction} {comparison.measure} is better); "
        f"{run}s that share a letter do not differ significantly; {_intervals(comparison)}."
        f"{margin_methods(comparison)} {rank_set_methods(comparison)}"
    )


def _intervals(comparison: Leaderboard) -> str:
    """What the intervals are; with too few topics there are none."""
    topic, run = comparison.axes
    if not comparison.decidable:
        return f"with so few {topic}s no difference can be significant, and there are no intervals"
    return (
        f"an interval is the mean ± half the critical difference ({comparison.critical_difference:.4f}), so two "
        f"{run}s differ significantly when their intervals do not overlap"
    )


def limited_error(comparison: Leaderboard) -> str:
    """What the test limits, under which condition, and its estimated error on such runs: the end of a sentence."""
    run = comparison.axes.run
    limited = f"which limits the familywise error {over_pairs(comparison)} to {comparison.alpha:g}"
    condition = ALL_PAIRS[comparison.test].condition.replace("runs", f"{run}s")
    where = "over three to six measures" if comparison.family else "with equal means"
    error = FAMILY_ERROR if comparison.family else ALL_PAIRS[comparison.test].error
    table = f"On TREC data {where}, its error at .05 was {error} (docs/compare.md)."
    if not condition:
        return f"{limited} and keeps the variances and correlations of the {run}s. {table}"
    found = f"On {run}s with these variances and correlations its error is estimated at {comparison.familywise:.3f}."
    return f"{limited} {condition}. {table} {found}"


def error_note(comparison: Leaderboard, *, instead: str) -> list[str]:
    """A sentence on a familywise error that the test does not hold on such runs; none if it does."""
    if comparison.error_held:
        return []
    note = (
        f"On {comparison.axes.run}s like these the familywise error of the test {comparison.test} is about "
        f"{comparison.familywise:.2f} in {comparison.measure}, not {comparison.alpha:g}, because their variances or "
        f"correlations are not equal; {instead} holds it ({ALL_PAIRS['robust'].error} on TREC data, docs/compare.md)."
    )
    return [note]


def over_pairs(comparison: Leaderboard) -> str:
    """How many pairs an error is limited over: two runs have one pair."""
    pairs, family = len(comparison.pairs), comparison.family
    if family:
        return f"over all {pairs * len(family):,} comparisons under {', '.join(family)} together"
    return "of the one comparison" if pairs == 1 else f"over all {pairs:,} pairs"


def scale_of(comparison: Leaderboard) -> Scale:
    """The scale of the means: from 0 to 1 for a measure of Kaiwa, unbounded for scores of any other name."""
    return _known(comparison.measure, UNIT, [standing.mean for standing in comparison.standings])


def difference_scale(comparison: Leaderboard | BaselineComparison) -> Scale:
    """The scale of differences between means: from -1 to 1 for a measure of Kaiwa, else unbounded."""
    return _known(comparison.measure, CORRELATION, [pair.diff for pair in comparison.pairs])


def _known(measure: str, scale: Scale, values: Sequence[float]) -> Scale:
    """The scale, if the measure is known and every value is inside it; z-scores keep their measure's name."""
    try:
        choose(measure)
    except InputError:
        return Scale()
    return scale if all(scale.cut(value) == value for value in values) else Scale()
