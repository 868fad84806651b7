"""What the crossed model found, as people read it: rows of tables, notes, and the paragraph for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.comparison.components import RESIDUAL
from kaiwa.comparison.crossed import CrossedComparison
from kaiwa.errors import counted
from kaiwa.show.text import Rows

if TYPE_CHECKING:
    from kaiwa.comparison.components import CrossedVariance
    from kaiwa.nouns.matrix import Axes
    from kaiwa.show.text import Cell

    Crossed = CrossedVariance | CrossedComparison


# The crossed model of scores: components, leniency of assessors, the effect of more of each, and the runs compared.


COMPONENT_COLUMNS = ["component", "variance", "share", "low", "high"]


def sizes_text(found: Crossed) -> str:
    """How many topics, runs and scores there are, and how many cells are missing."""
    gaps = f", {counted(found.missing, f'{found.axes.topic} x {found.axes.run} cell')} missing" if found.missing else ""
    return ", ".join(found.sizes) + gaps


def term_name(term: str, axes: Axes) -> str:
    """A term in the words of these scores.

    >>> from kaiwa.nouns.matrix import SAMPLES_AND_MODELS
    >>> term_name("topic x run", SAMPLES_AND_MODELS)
    'sample x model'
    """
    return term.replace("topic", axes.topic).replace("run", axes.run)


def component_rows(found: CrossedVariance) -> Rows:
    """A row per variance component."""
    rows: list[list[Cell]] = [
        [term_name(one.name, found.axes), one.variance, f"{one.share:.1%}", one.low, one.high]
        for one in found.components
    ]
    return Rows(COMPONENT_COLUMNS, rows, digits=6)


def leniency_rows(found: CrossedVariance) -> Rows:
    """A row per assessor, the most lenient first."""
    rows: list[list[Cell]] = [[one.assessor, one.effect, one.low, one.high, one.scores] for one in found.leniency]
    return Rows(["assessor", "leniency", "low", "high", "scores" if found.runs else "votes"], rows)


def extra_rows(found: CrossedVariance) -> Rows:
    """A row per larger design."""
    now = found.extras[0].error or 0.0
    rows: list[list[Cell]] = [
        [
            term_name(one.change, found.axes),
            one.error,
            "" if one.error is None or one.change == "now" or not now else f"{one.error / now - 1:+.1%}",
            one.scores,
        ]
        for one in found.extras
    ]
    what = "SE of a difference" if found.runs else "SE of an item's mean"
    return Rows(["design", what, "change", "scores" if found.runs else "votes"], rows, digits=5)


def adjusted_mean_rows(found: CrossedComparison) -> Rows:
    """The leaderboard of adjusted means, best run first."""
    mean = "adjusted mean" + (" (lower is better)" if found.direction == "lower" else "")
    rows: list[list[Cell]] = [
        [one.rank, one.run, one.mean, one.low, one.high, one.groups, one.topics] for one in found.standings
    ]
    return Rows(["rank", found.axes.run, mean, "low", "high", "groups", f"{found.axes.topic}s"], rows)


def crossed_pair_rows(found: CrossedComparison) -> Rows:
    """A row per pair, the better run first."""
    rows: list[list[Cell]] = []
    for pair in found.pairs:
        turned = pair.better == pair.b
        first, second = (pair.b, pair.a) if turned else (pair.a, pair.b)
        low, high = (-pair.high, -pair.low) if turned else (pair.low, pair.high)
        chance = 1 - pair.probability if turned else pair.probability
        mark = "*" if pair.significant else ""
        rows.append([first, second, -pair.diff if turned else pair.diff, low, high, pair.p, f"{chance:.3f}", mark])
    rows.sort(key=lambda row: -abs(float(row[2] or 0)))
    return Rows([found.axes.run, "against", "diff", "low", "high", "p", "P(better)", ""], rows)


def crossed_notes(found: Crossed) -> list[str]:
    """A line on repeats or assessors that never differ."""
    identical = f"The {found.identical} of a {found.axes.topic} never differ; one score of each was used."
    return [identical] if found.identical else []


def crossed_methods(found: Crossed) -> str:
    """The model, and the test if runs were compared, as a paragraph for a paper."""
    topic, run = found.axes
    terms = [term for term in _terms(found) if term != RESIDUAL]
    effects = " and ".join(", ".join(term_name(term, found.axes) for term in terms).rsplit(", ", 1)) or "none"
    runs = len(found.standings) if isinstance(found, CrossedComparison) else found.runs
    if not runs:
        return (
            f"{', '.join(found.sizes)}: the levels were modelled by a linear mixed model fitted by REML: a fixed mean; "
            f"random effects: {effects}. Limits of variances are Satterthwaite's."
        )
    text = (
        f"{counted(found.scores, 'score')} of {counted(runs, run)} on {counted(found.topics, topic)} were modelled "
        f"by a linear mixed model fitted by REML: fixed {run} means; random effects: {effects}. "
        f"Missing scores are assumed to be missing at random"
        + (f" ({found.missing:,} of {found.topics * runs:,} {topic} x {run} cells have none)" if found.missing else "")
        + ". The model takes one variance for all "
        f"{run}s."
    )
    if not isinstance(found, CrossedComparison):
        return f"{text} Limits of variances are Satterthwaite's."
    return (
        f"{text} Adjusted means were compared by Tukey and Kramer's simultaneous intervals with Satterthwaite's "
        f"degrees of freedom at a familywise error of {found.alpha:g} (measured: docs/compare.md); "
        f"{found.significant_pairs} of "
        f"{counted(len(found.pairs), 'pair')} differ significantly. P(better) takes the true means of the {run}s as "
        f"draws from one normal distribution with unknown spread."
    )


def _terms(found: Crossed) -> list[str]:
    if isinstance(found, CrossedComparison):
        return list(found.terms)
    return [one.name for one in found.components]
