"""Rank confidence sets in words: a cell of the leaderboard, the note below it, and the sentence for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.report.text_tables import few

if TYPE_CHECKING:
    from kaiwa.compare.comparison import Comparison, Standing


def confidence(comparison: Comparison) -> str:
    """The joint confidence of intervals and rank sets: 95%."""
    return f"{100 * (1 - comparison.alpha):g}%"


def ranks_of(standing: Standing, to: str = " to ") -> str:
    """The ranks that a run may have: ``2 to 7``, or ``2``."""
    low, high = standing.rank_low, standing.rank_high
    return f"{low}" if low == high else f"{low}{to}{high}"


def rank_set_note(comparison: Comparison) -> str:
    """What the ranks of the leaderboard mean, with one run as the example, and which runs may be best.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> print(rank_set_note(scores.compare(trials=999)))
    Ranks: over all topics like these A has rank 1 (jointly 95% for all runs). 1 run may be best (95%): A.
    """
    first, run, sure = comparison.standings[0], comparison.axes.run, confidence(comparison)
    ranks = f"{first.run} has rank {ranks_of(first)} (jointly {sure} for all {run}s)"
    best = f"{counted(len(comparison.may_be_best), run)} may be best ({sure}): {few(comparison.may_be_best)}"
    return f"Ranks: over all {comparison.axes.topic}s like these {ranks}. {best}."


def rank_set_methods(comparison: Comparison) -> str:
    """How the rank confidence sets were made, for a paper."""
    topic, run = comparison.axes
    if comparison.family:
        return (
            f"All measures, each divided by its residual standard deviation, have the same "
            f"{counted(comparison.rank_trials, 'sign flip')} of whole {topic}s; intervals and rank confidence sets "
            f"hold jointly for all {run}s and all {len(comparison.family)} measures with {confidence(comparison)} "
            f"confidence."
        )
    return (
        f"Rank confidence sets (Mogstad et al. 2024) hold jointly for all {run}s with {confidence(comparison)} "
        f"confidence, and so does the set of {run}s that may be best. They are step-down sets from "
        f"{counted(comparison.rank_trials, 'sign flip')} of whole {topic}s, which keep the variances and "
        f"correlations of the {run}s."
    )
