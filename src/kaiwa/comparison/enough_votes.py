"""Whether the votes are enough: pairs of runs that are decided, those that more votes can decide, and the others.

The variance of the difference of two mean scores has a part that comes from the choice of topics and a part that comes
from the votes; the second is measured by resampling the votes, and shrinks as N / (N + m) with m more votes. The
critical difference of the test shrinks with the standard error, and with the root of the number of topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.measures.judgements import Answers
from kaiwa.measures.scoring import Reading, score, values_of
from kaiwa.measures.table import choose
from kaiwa.measures.vote_resampling import resample_votes
from kaiwa.stats.p_values import tie_tolerance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.measures.score import Judged
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.run import Run


MORE = 100
"""The votes whose effect is predicted."""
_SEVERAL = 2

Outcome = Literal["decided", "soon", "votes", "topics", "equal"]


@dataclass(frozen=True)
class PairOutlook:
    """A pair of runs: the difference of means, its p, what would decide it, and how many votes or topics that takes.

    ``outcome`` is ``decided``; ``soon`` if about ``MORE`` votes are enough, ``votes`` if more are; ``topics`` if no
    vote on these topics is enough; ``equal`` without a difference. ``votes`` is None if no number is enough or if it
    is unknown how much votes vary, ``topics`` if there are too few for any test.
    """

    a: str
    b: str
    diff: float
    p: float
    outcome: Outcome
    votes: int | None
    topics: int | None


@dataclass(frozen=True)
class Outlook:
    """The pairs of runs under one measure, and the share of the variance that comes from the votes.

    ``vote_share`` is None if no item has two votes.
    """

    measure: str
    test: str
    alpha: float
    topics: int
    votes: int
    vote_share: float | None
    critical_difference: float
    pairs: tuple[PairOutlook, ...]

    def critical_with(self, more: int) -> float:
        """The critical difference that is expected with so many more votes."""
        shrinking = (self.vote_share or 0.0) * more / max(self.votes + more, 1)
        return self.critical_difference * sqrt(1 - shrinking)

    def number(self, *outcomes: Outcome) -> int:
        """How many pairs have one of these outcomes."""
        return sum(pair.outcome in outcomes for pair in self.pairs)


def outlook(
    runs: Sequence[Run],
    judged: Judged,
    measure: str,
    *,
    test: str = "robust",
    alpha: float = 0.05,
    trials: int = 2000,
    samples: int = 100,
    condensed: bool = False,
    rng: np.random.Generator,
) -> Outlook:
    """What more votes or topics would decide, from the runs and the votes so far.

    ``condensed`` leaves unjudged items out of the lists, for a round that is not judged to the end.
    """
    reading = Reading(condensed=condensed)
    scores = score(runs, judged.judgements, [measure], reading=reading).matrix()
    compared = compare_runs(scores, test=test, alpha=alpha, trials=trials, rng=rng)
    counts = judged.judgements.votes
    number = 0 if counts is None else int(counts.sum())
    panels = _panel_means(runs, judged, measure, reading, samples=samples, rng=rng)
    share = _vote_share(judged, panels, scores.values)
    critical, tolerance = compared.critical_difference, tie_tolerance(scores.values)
    pairs = tuple(
        _pair_outlook(
            (pair.a, pair.b),
            diff=0.0 if abs(pair.diff) <= tolerance else pair.diff,
            p=pair.p,
            significant=pair.significant,
            needs=_Needs(critical, number, share, compared.topics),
        )
        for pair in compared.pairs
    )
    return Outlook(measure, test, alpha, compared.topics, number, share, critical, pairs)


@dataclass(frozen=True)
class _Needs:
    """The critical difference now, with so many votes and topics, and the share of the variance of the votes."""

    critical: float
    number: int
    share: float | None
    topics: int

    def votes(self, diff: float) -> int | None:
        """The further votes with which the critical difference is below this one; None if no number is enough.

        With m more votes the variance is 1 - share * m / (N + m) of what it is.

        >>> _Needs(0.2, 300, 0.5, 25).votes(0.15), _Needs(0.2, 300, 0.5, 25).votes(0.1)
        (2100, None)
        """
        lacking = 1 - (diff / self.critical) ** 2
        if self.share is None or self.share <= lacking:
            return None
        return ceil(self.number * lacking / (self.share - lacking) - 1e-9)

    def more_topics(self, diff: float) -> int:
        """The topics with which the critical difference is below this one.

        >>> _Needs(0.2, 300, 0.5, 25).more_topics(0.1)
        100
        """
        return ceil(self.topics * (self.critical / diff) ** 2 - 1e-9)


def _pair_outlook(names: tuple[str, str], *, diff: float, p: float, significant: bool, needs: _Needs) -> PairOutlook:
    size = abs(diff)
    if significant:
        return PairOutlook(*names, diff, p, "decided", None, None)
    if size == 0:
        return PairOutlook(*names, diff, p, "equal", None, None)
    if not np.isfinite(needs.critical):  # so few topics that no difference is significant
        return PairOutlook(*names, diff, p, "topics", None, None)
    size = min(size, needs.critical)
    votes = needs.votes(size)
    outcome: Outcome = "topics" if votes is None else "soon" if votes <= MORE else "votes"
    return PairOutlook(*names, diff, p, outcome, votes, needs.more_topics(size))


def _vote_share(judged: Judged, panel_means: FloatArray | None, by_topic: FloatArray) -> float | None:
    """The share of the variance of differences of mean scores that comes from the votes; None if it is unknown."""
    counts = judged.judgements.votes
    if counts is None or panel_means is None or len(panel_means) < _SEVERAL or len(by_topic) < _SEVERAL:
        return None
    number = counts.sum(axis=1)
    several = number[number >= _SEVERAL]
    whole = _spread_between_runs(by_topic) / len(by_topic)
    if not len(several) or whole <= 0:
        return None
    inside = _spread_between_runs(panel_means) * float((several / (several - 1)).mean())
    return min(inside / whole, 1.0)


def _panel_means(
    runs: Sequence[Run], judged: Judged, measure: str, reading: Reading, *, samples: int, rng: np.random.Generator
) -> FloatArray | None:
    """The mean score of each run from resampled votes, "samples x runs"; None without votes."""
    judgements, weighing = judged.judgements, judged.weighing
    if judgements.votes is None or weighing is None:
        return None
    answers = Answers.of(runs, judgements.table, len(judgements.gains.topics))
    defined = judgements.ideals.relevant > 0
    means = []
    for _ in range(samples):
        drawn = resample_votes(judgements.votes, rng=rng)
        again = judgements.revalued(weighing.gain(drawn), votes=drawn)
        kept = defined & (again.ideals.relevant > 0)
        if kept.any():
            means.append(values_of(answers, again, [choose(measure)], reading)[0][:, kept].mean(axis=1))
    return np.array(means)


def _spread_between_runs(values: FloatArray) -> float:
    """The mean over pairs of runs of the variance of their difference, over the rows of "rows x runs".

    The variance of each row about its own mean says it for all pairs at once.

    >>> _spread_between_runs(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))
    1.0
    """
    centred = values - values.mean(axis=1, keepdims=True)
    per_run = centred.var(axis=0, ddof=1).sum()
    return float(2 * per_run / (values.shape[1] - 1))
