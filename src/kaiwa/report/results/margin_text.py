"""Verdicts within a margin in words: a cell of the table of pairs, the note below it, and the sentence for a paper."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.report.results.rank_set_text import confidence

if TYPE_CHECKING:
    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison, PairResult


def shown_verdict(pair: PairResult) -> str:
    """The verdict on the run that is listed first, which is the better one."""
    return "better" if pair.verdict == "worse" else pair.verdict or ""


def margin_notes(comparison: Comparison | BaselineComparison) -> list[str]:
    """How many verdicts of each kind there are; none without a margin.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> margin_notes(scores.compare(trials=999, margin=0.1))
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


def margin_methods(comparison: Comparison) -> str:
    """How pairs were judged within a margin, for a paper; empty without a margin."""
    run, margin = comparison.axes.run, comparison.margin
    return (
        ""
        if margin is None
        else f" Two {run}s are equivalent if the simultaneous {confidence(comparison)} interval of their difference "
        f"lies within ±{margin:g}; else they are different if the difference is significant, and undecided if not."
    )


def baseline_margin_methods(comparison: BaselineComparison) -> str:
    """How runs were judged against the baseline within a margin, for a paper; empty without a margin."""
    run, margin = comparison.axes.run, comparison.margin
    return (
        ""
        if margin is None
        else f" A {run} is equivalent to {comparison.baseline} if the interval of its difference lies within "
        f"±{margin:g}, and not inferior if the whole interval is less than {margin:g} on the worse side of 0."
    )
