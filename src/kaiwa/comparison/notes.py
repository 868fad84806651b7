"""The notes below a comparison: the same lines in the command's text and JSON, in Python, and in the report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import ceil, log2
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.comparison.allpairs import KEEPING
from kaiwa.comparison.baseline import ROBUST, BaselineComparison, differences_from
from kaiwa.comparison.crossed import CrossedComparison
from kaiwa.comparison.crossed_texts import adjusted_mean_rows, crossed_methods, crossed_notes, crossed_pair_rows
from kaiwa.comparison.leaderboard import FEW_TOPICS, FOUND_SHARES, FOUND_TOPICS, FewTopics, Leaderboard, share_found
from kaiwa.comparison.texts import (
    COLUMNS,
    anova_rows,
    baseline_methods,
    close_text,
    cut_note,
    difference_note,
    error_note,
    leaderboard_rows,
    margin_notes,
    methods_paragraph,
    pair_rows,
    printed_baseline,
    printed_leaderboard,
    rank_set_note,
)
from kaiwa.errors import DesignError, InputError, counted, in_python, option
from kaiwa.show.result import Description, Table
from kaiwa.show.text import few, finite
from kaiwa.stats.p_values import smallest_p
from kaiwa.topicset.power_functions import estimated_variance
from kaiwa.topicset.requirement import Requirement, completed
from kaiwa.topicset.sizes import answered
from kaiwa.topicset.tests import range_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.comparison.baseline import PlannedPair
    from kaiwa.comparison.crossed import CrossedPair
    from kaiwa.comparison.leaderboard import PairResult
    from kaiwa.comparison.ranks import TeamBest
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.scores import Scores
    from kaiwa.show.text import Cell, Rows

    Compared = Leaderboard | BaselineComparison


ODD_RUN, ODD_BASELINE = ".11", ".10"
"""The familywise error of ``robust`` that 6 to 24 topics may have if one run, or the baseline, has three times the
deviation of the others: the tables on few topics of benchmarks/results/audit.md, and the independent audit's .11."""
HEAVY_TAIL, HEAVY_TAIL_ELSE = ".13", ".15"
"""The largest familywise error of ``robust`` and of other tests with log-normal scores of which one run has a heavier
tail: the table under "Where robust fails" of docs/compare.md."""


@dataclass(frozen=True)
class Place:
    """Where notes are read: what has limits uncut, and how a test is named there."""

    uncut: str
    choosing: Callable[[str], str]


RESULT = Place("JSON has", partial(option, "test"))
REPORT = Place("the data files have", 'test = "{}" in kaiwa.toml'.format)


def comparison_notes(found: Leaderboard, place: Place, *, with_pairs: bool = False) -> list[str]:
    """Every note of a comparison of all pairs."""
    notes = leaderboard_notes(found, place, with_pairs=with_pairs)
    notes += [close_text(found)] if found.close_pairs else []
    return notes + error_note(found, instead=place.choosing("robust"))


def leaderboard_notes(found: Leaderboard, place: Place, *, with_pairs: bool = False) -> list[str]:
    """Those that stand below a leaderboard; a report has the others among its limits."""
    notes = [rank_set_note(found), *cut_note(found, uncut=place.uncut)]
    notes += difference_note(found, uncut=place.uncut) if with_pairs else []
    return [*notes, *margin_notes(found), *few_notes(found), *_step_down_note(found, place), *unbounded_note(found)]


def baseline_notes(found: BaselineComparison, place: Place) -> list[str]:
    """Every note of a comparison with a baseline."""
    cut = difference_note(found, uncut=place.uncut)
    return [*cut, *margin_notes(found), *few_notes(found), *unbounded_note(found)]


def few_notes(found: Compared) -> list[str]:
    """What so few topics can show; none if there are more than 24.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("12345"), ("A", "B"), numpy.array([[1.0, 0.0]] * 5))
    >>> few_notes(scores.compare(trials=999).one)
    ['5 topics: no difference can be significant (smallest p .0625).']
    """
    if not found.decidable:
        least = f"{_least_p(found):.4g}".removeprefix("0")
        return [f"{counted(found.topics, found.axes.topic)}: no difference can be significant (smallest p {least})."]
    few, topics = found.few_topics, counted(found.topics, found.axes.topic)
    if few is None:
        return []
    parts = [f"{topics}: the critical difference is {found.critical_difference:.4f}."]
    if few.found is not None:
        parts.append(
            f"With {topics} about {few.found:.0%} of the pairs of 10 TREC runs are found at .05, with "
            f"{FOUND_TOPICS[-1]} about {FOUND_SHARES[-1]:.0%} (benchmarks/results/audit.md)."
        )
    if few.needed is not None and few.difference is not None:
        which = "the margin" if found.margin else "the largest difference here"
        parts.append(
            f"To find {which} ({few.difference:.4f}) with {few.power:.0%} power takes about "
            f"{counted(few.needed, found.axes.topic)} (kaiwa design)."
        )
    run = "the baseline" if isinstance(found, BaselineComparison) else f"one {found.axes.run}"
    error = ODD_BASELINE if isinstance(found, BaselineComparison) else ODD_RUN
    parts.append(
        f"The familywise error may reach {error} instead of .05 if {run} varies far more than the other "
        f"{found.axes.run}s (docs/compare.md)."
    )
    return [" ".join(parts)]


def _least_p(found: Compared) -> float:
    """The smallest p that the signs of so few topics allow; paired tests are corrected for all comparisons."""
    least = 2.0 ** (1 - found.topics)
    if isinstance(found, BaselineComparison) and found.test != ROBUST:
        return min(1.0, least * len(found.pairs))
    return least


def _step_down_note(found: Leaderboard, place: Place) -> list[str]:
    if not found.more_by_steps:
        return []
    more = counted(found.more_by_steps, "pair")
    return [f"robust-step-down finds {more} more ({place.choosing('robust-step-down')})."]


def unbounded_note(found: Compared) -> list[str]:
    """What to do with scores that have no upper limit; none for other scores."""
    if not found.unbounded:
        return []
    if isinstance(found, BaselineComparison):
        measured = "the error of the tests is not held"
    else:
        error = HEAVY_TAIL if found.test in KEEPING else HEAVY_TAIL_ELSE
        measured = f"the familywise error was up to {error} instead of .05"
    looks = f"{found.measure} looks like a measure without an upper limit"
    tail = f"If one {found.axes.run} has a heavier tail than the others, {measured}"
    return [f"{looks}. {tail} (docs/compare.md, Where robust fails); compare logarithms of the scores."]


def gap_notes(scores: Scores, measure: str) -> list[str]:
    """What was left out or counted as 0 for missing scores."""
    left_out = ((scores.axes.topic, scores.topics_left_out), (scores.axes.run, scores.runs_left_out))
    notes = [
        f"{counted(len(names), noun)} left out for missing scores: {few(names)}."
        for noun, by_measure in left_out
        if (names := by_measure.get(measure, ()))
    ]
    filled = scores.filled.get(measure, 0)
    return [*notes, f"{counted(filled, 'missing score')} counted as 0."] if filled else notes


def least_p(found: Compared | CrossedComparison) -> float | None:
    """The smallest p that so many trials can give; None if it is 0 or nothing is drawn."""
    if isinstance(found, BaselineComparison):
        return found.smallest_p or None
    if isinstance(found, CrossedComparison):
        return None
    return smallest_p(found.trials, found.p_rule) or None


# What each kind of comparison shows: tables, notes, JSON fields.


def _anova_table(printed: Rows) -> Table:
    """The ANOVA table; the residual has neither F nor p."""
    rows = [[None if cell == "" else cell for cell in row] for row in printed.rows]
    columns = ["source", "ss", "df", "ms", "f", "p"]
    return Table("anova", columns, rows, printed.header, printed.rows, digits=printed.digits)


def leaderboard_description(found: Leaderboard, teams: Sequence[TeamBest], remarks: Sequence[str]) -> Description:
    """All pairs: the leaderboard, the pairs, the ANOVA table, and the best runs of teams."""
    board, pairs, anova = printed_leaderboard(found), pair_rows(found), anova_rows(found)
    beaten = [f"{team.run} > {', '.join(team.beats)}" for team in teams if team.beats]
    own = comparison_notes(found, RESULT, with_pairs=found.margin is not None)
    notes, methods = [*remarks, *beaten, *own], methods_paragraph(found)
    return Description(
        tables=(
            Table("leaderboard", COLUMNS, leaderboard_rows(found), board.header, board.rows),
            _pairs_table(found.pairs, pairs),
            _anova_table(anova),
        ),
        shown=("leaderboard", "pairs") if found.margin is not None else ("leaderboard",),
        notes=notes,
        methods=methods,
        fields={
            "measure": found.measure,
            "direction": found.direction,
            "test": found.test,
            "alpha": found.alpha,
            "margin": found.margin,
            "family": found.family,
            "familywise": found.familywise,
            "trials": found.trials,
            "smallest_p": least_p(found),
            "topics": found.topics,
            "pairs": [vars(pair) for pair in found.pairs],
            "ranks": found.ranks,
            "rank_sets": found.rank_sets,
            "may_be_best": found.may_be_best,
            "leaderboard": [vars(standing) for standing in found.standings],
            "unranked": found.unranked,
            "critical_difference": found.critical_difference,
            "discriminative_power": found.discriminative_power,
            "anova": [vars(source) for source in (found.anova.topics, found.anova.runs, found.anova.residual)],
            "more_by_steps": found.more_by_steps,
            "few_topics": None if found.few_topics is None else vars(found.few_topics),
            "notes": list(map(in_python, notes)),
            "methods": methods,
            "teams": [vars(team) for team in teams],
        },
    )


def baseline_description(found: BaselineComparison, remarks: Sequence[str]) -> Description:
    """Every run with the baseline; there are no ranks, because the other runs were not compared."""
    printed, notes = printed_baseline(found), baseline_notes(found, RESULT)
    methods = baseline_methods(found)
    own = {name: value for name, value in vars(found).items() if name not in {"pairs", "axes", "few_topics"}}
    return Description(
        tables=(_pairs_table(found.pairs, printed),),
        notes=[*remarks, *notes],
        methods=methods,
        fields={
            **own,
            "smallest_p": least_p(found),
            "pairs": [vars(pair) for pair in found.pairs],
            "ranks": {},
            "few_topics": None if found.few_topics is None else vars(found.few_topics),
            "notes": [in_python(note) for note in (*remarks, *notes)],
            "methods": methods,
        },
    )


def crossed_description(found: CrossedComparison, remarks: Sequence[str]) -> Description:
    """All pairs by the crossed model: adjusted means and pairs."""
    board, pairs, notes = adjusted_mean_rows(found), crossed_pair_rows(found), crossed_notes(found)
    left_out = {"sizes", "axes", "pairs", "standings"}
    methods = crossed_methods(found)
    return Description(
        tables=(
            Table(
                "leaderboard",
                ["rank", "run", "mean", "low", "high", "groups", "topics"],
                board.rows,
                board.header,
            ),
            _pairs_table(found.pairs, pairs),
        ),
        notes=[*remarks, *notes],
        methods=methods,
        fields={
            **{name: value for name, value in vars(found).items() if name not in left_out},
            "test": "crossed",
            "pairs": [vars(pair) for pair in found.pairs],
            "ranks": found.ranks,
            "leaderboard": [vars(standing) for standing in found.standings],
            "notes": [in_python(note) for note in (*remarks, *notes)],
            "methods": methods,
        },
    )


def _pairs_table(pairs: Sequence[PairResult] | Sequence[PlannedPair] | Sequence[CrossedPair], printed: Rows) -> Table:
    """The pairs with every field as a column, and as people read them."""
    columns = list(vars(pairs[0]))
    rows = [[_cell(value) for value in vars(pair).values()] for pair in pairs]
    return Table("pairs", columns, rows, printed.header, printed.rows)


def _cell(value: Any) -> Cell:  # Any: a field of a pair
    return finite(value) if isinstance(value, float) else value


# What a comparison with few topics can find: the share of pairs, and the topics that its largest difference needs.


POWER = 0.8

Noted = TypeVar("Noted", Leaderboard, BaselineComparison)


def with_few_topics(compared: Noted, scores: Matrix) -> Noted:
    """The comparison of these scores; by a robust test of few topics, with what it can find.

    >>> import numpy as np, kaiwa
    >>> values = np.random.default_rng(1).normal([0.0, 0.3], 0.4, (10, 2))
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("abcdefghij"), ("A", "B"), values)
    >>> found = scores.compare(trials=999).few_topics
    >>> found.found, round(found.difference, 4), found.needed
    (0.093, 0.3719, 12)
    """
    if compared.test not in KEEPING or not compared.decidable or compared.topics > FEW_TOPICS:
        return compared
    difference = compared.margin or max(abs(pair.diff) for pair in compared.pairs)
    found, needed = None, None
    if isinstance(compared, BaselineComparison):
        needed = _topics(_planned_pair(compared, scores), difference)
    elif not compared.family:
        found, needed = share_found(compared.topics), _topics(_all_pairs(compared, scores), difference)
    return replace(compared, few_topics=FewTopics(found, difference or None, needed, POWER))


def _all_pairs(compared: Leaderboard, scores: Matrix) -> Requirement:
    """The design of the robust test for as many runs like these."""
    systems, alpha = len(scores.runs), compared.alpha
    found = estimated_variance([scores.values], shared_topics=True)
    ratio = range_ratio([scores.values], systems=systems, alpha=alpha)
    return Requirement(
        found.variance, systems=systems, alpha=alpha, power=POWER, test=ROBUST, range_ratio=ratio, df=found.df
    )


def _planned_pair(compared: BaselineComparison, scores: Matrix) -> Requirement:
    """The design of a paired t-test of one of the runs, at its share of alpha; a difference varies twice as V_E2."""
    differences = differences_from(scores.values, scores.runs.index(compared.baseline))
    variance = float(differences.var(axis=0, ddof=1).mean()) / 2
    return Requirement(variance, alpha=compared.alpha / len(compared.pairs), power=POWER, test="paired-t")


def _topics(asked: Requirement, difference: float) -> int | None:
    """The topics of the design, and at least so many that a difference can be significant: 2^(1 - n) <= alpha."""
    try:
        n = answered(completed(replace(asked, min_diff=difference, scale=max(1.0, 2 * difference)))).n
        return max(n, ceil(1 - log2(asked.alpha or 1)))
    except (InputError, DesignError):
        return None  # no variance, no difference, or more topics than a design has
