"""Rank confidence sets: between which ranks each run lies, and which runs may be best (Mogstad et al. 2024).

The rank of a run is one plus the number of runs whose mean over all topics, not only those drawn, is better. The claim
that a run is better than another is made if their means differ by more than a critical difference. This is the
1 - alpha quantile of the largest resampled difference over the claims that may still be wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import isfinite
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kaiwa.comparison.allpairs import RangeTest, least_p, topic_resamples
from kaiwa.errors import InputError
from kaiwa.stats.p_values import tie_tolerance
from kaiwa.stats.resampling import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kaiwa.comparison.leaderboard import Leaderboard
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.matrix import Direction

    Largest = Callable[[FloatArray], FloatArray]
    """The largest of some differences in each trial: "trials x runs" in, "trials" out."""


# Tied ranks and group letters, from the significant differences; of two means the higher is the better one.


BoolArray = NDArray[np.bool_]


def best_first(means: FloatArray) -> IntArray:
    """The runs from the highest mean to the lowest; equal means in their listed order."""
    return np.argsort(-means, kind="stable")


def tied_ranks(means: FloatArray, differs: BoolArray) -> list[int]:
    """Each run's rank: one more than the number of runs significantly better.

    >>> differs = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> tied_ranks(np.array([0.9, 0.5, 0.1]), differs)
    [1, 1, 2]
    """
    better = means[:, None] > means
    return [1 + int(count) for count in (better & differs).sum(axis=0)]


def group_letters(means: FloatArray, differs: BoolArray) -> list[str]:
    """Letters such that two runs share one exactly if they do not differ significantly.

    If every difference above a critical one is significant, the sets of runs that do not differ are
    intervals of the ranking, so each maximal interval gets a letter (compact letter display, Piepho 2004).

    >>> differs = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> group_letters(np.array([0.9, 0.5, 0.1]), differs)
    ['a', 'ab', 'b']
    """
    order = best_first(means)
    letters = [""] * len(means)
    end_before = -1
    groups = 0
    for start in range(len(order)):
        end = start
        while end + 1 < len(order) and not differs[order[end + 1], order[start : end + 1]].any():
            end += 1
        if end > end_before:
            for place in range(start, end + 1):
                letters[order[place]] += letter(groups)
            groups += 1
            end_before = end
    return letters


def letter(number: int) -> str:
    """The nth group's letter: a to z, then (aa), (ab) and so on, separated by their brackets.

    >>> [letter(0), letter(25), letter(26)]
    ['a', 'z', '(aa)']
    """
    if number < len(ascii_lowercase):
        return ascii_lowercase[number]
    high, low = divmod(number - len(ascii_lowercase), len(ascii_lowercase))
    return f"({ascii_lowercase[high % len(ascii_lowercase)]}{ascii_lowercase[low]})"


def letter_range(letters: str) -> str:
    """The letters of a run as people read them: more than two that follow each other as a range.

    >>> letter_range("ab"), letter_range("bcdefg"), letter_range("yz(aa)(ab)")
    ('ab', 'b-g', 'y-(ab)')
    """
    each = re.findall(r"\(\w+\)|\w", letters)
    return letters if len(each) <= 2 else f"{each[0]}-{each[-1]}"  # noqa: PLR2004  two letters are short enough


DEFAULT_TRIALS = 5_000


@dataclass(frozen=True, eq=False)
class RankSets:
    """Per run: the best and the worst rank that it may have, and whether it may be best."""

    low: IntArray
    high: IntArray
    may_be_best: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Ordered:
    """Run means, best first, and how they vary over topics: the trials are the same at every reading."""

    means: FloatArray
    resampled: Callable[[], Iterable[FloatArray]]
    alpha: float
    tolerance: float
    least_p: float

    def critical_difference(self, largest: Largest) -> float:
        """The difference above which a claim is made, from the null distribution of the largest difference."""
        drawn = np.sort(np.concatenate([largest(block) for block in self.resampled()]))
        test = RangeTest(self.means, drawn, self.tolerance, least_p=self.least_p)
        return test.critical_difference(self.alpha) + self.tolerance

    def below(self, limits: FloatArray) -> IntArray:
        """How many runs reach each limit: the place from which on every run is below it."""
        return np.searchsorted(-self.means, -limits, side="right")


def rank_sets(
    goodness: FloatArray,
    *,
    alpha: float = 0.05,
    trials: int = DEFAULT_TRIALS,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    clusters: NDArray[np.generic] | None = None,
) -> RankSets:
    """The rank confidence sets of the runs of a topics x runs matrix, whose higher scores are better.

    With probability 1 - alpha the sets of all runs contain their ranks. With probability 1 - alpha ``may_be_best``
    holds for every run than which no other is better (measured: benchmarks/results/calibration/rank_sets.md). Topics
    with the same label in ``clusters`` may be dependent.

    >>> goodness = np.random.default_rng(1).normal([0.1, 0.9, 0.8], 0.2, (20, 3))
    >>> found = rank_sets(goodness, rng=np.random.default_rng(1))
    >>> found.low.tolist(), found.high.tolist(), found.may_be_best.tolist()
    ([3, 1, 1], [3, 2, 2], [False, True, True])
    """
    means = goodness.mean(axis=0)
    order = best_first(means)
    null = topic_resamples(goodness[:, order], rng, workers, clusters=clusters)
    tolerance, least = tie_tolerance(goodness), least_p(goodness, clusters)
    ordered = _Ordered(means[order], lambda: null(trials, 0), alpha, tolerance, least)
    best = np.empty(len(order), dtype=bool)
    best[order] = _may_be_best(ordered)
    return replace(sets_at(means, _all_claims(ordered)), may_be_best=best)


def sets_at(means: FloatArray, critical: float) -> RankSets:
    """The sets that follow from one critical difference of all pairs of means; of two the higher is the better one.

    >>> found = sets_at(np.array([0.1, 0.9, 0.8]), 0.3)
    >>> found.low.tolist(), found.high.tolist(), found.may_be_best.tolist()
    ([3, 1, 1], [3, 2, 2], [False, True, True])
    """
    ordered = -np.sort(-means)
    low = 1 + np.searchsorted(-ordered, -(means + critical), side="left")
    high = np.searchsorted(-ordered, -(means - critical), side="right")
    return RankSets(low, high, low == 1)


def _all_claims(ordered: _Ordered) -> float:
    """The critical difference of the claims "k is better than j" of all ordered pairs, after the last step.

    A step leaves out the claims that the step before made, for if they are right, they cannot be wrong. The claim that
    k is better stays open against the runs from the best to the last that k does not surely beat, so the largest open
    difference of k is its mean minus the least mean of these (Mogstad et al. 2024, section 3.2; Romano & Wolf 2005).
    """
    runs = len(ordered.means)
    last = np.full(runs, runs - 1)
    while True:
        critical = ordered.critical_difference(_largest_open(last))
        narrowed = ordered.below(ordered.means - critical) - 1
        if (narrowed >= last).all():
            return critical
        last = np.minimum(narrowed, last)


def _largest_open(last: IntArray) -> Largest:
    def largest(block: FloatArray) -> FloatArray:
        least = np.minimum.accumulate(block, axis=1)
        found: FloatArray = (block - least[:, last]).max(axis=1)
        return found

    return largest


def _may_be_best(ordered: _Ordered) -> NDArray[np.bool_]:
    """Which runs no other surely beats; a step leaves out the claims about runs that are surely not best.

    These are fewer claims than those of all pairs, so the critical difference is smaller.
    """
    left = len(ordered.means)
    while True:
        critical = ordered.critical_difference(_largest_lead(left))
        narrowed = int(ordered.below(ordered.means[:1] - critical)[0])
        if narrowed >= left:
            return np.arange(len(ordered.means)) < left
        left = narrowed


def _largest_lead(left: int) -> Largest:
    def largest(block: FloatArray) -> FloatArray:
        found: FloatArray = block.max(axis=1) - block[:, :left].min(axis=1)
        return found

    return largest


# The best run of each team, and which of them significantly beat which: the summary of an NTCIR overview.


NTCIR_RUN = r"(?P<team>.+)-[A-Z]-R\d+"


@dataclass(frozen=True)
class TeamBest:
    """A team's best run and the other teams' best runs it significantly outperforms, best first."""

    team: str
    run: str
    beats: tuple[str, ...]


def best_of_teams(comparison: Leaderboard, *, pattern: str | None = None) -> tuple[TeamBest, ...]:
    """Each team's best run, best team first; none if the runs are not named by team.

    ``pattern`` is a regular expression that matches a run's whole name; its group ``team`` (or its first
    group) is the team. The default matches NTCIR's ``TEAM-C-R1``.
    """
    best: dict[str, str] = {}
    for standing in comparison.standings:
        team = team_of(standing.run, pattern)
        if team is None:
            return ()
        best.setdefault(team, standing.run)
    differ = {frozenset((pair.a, pair.b)) for pair in comparison.pairs if pair.significant}
    runs = list(best.values())
    return tuple(
        TeamBest(team, run, tuple(other for other in runs[place + 1 :] if frozenset((run, other)) in differ))
        for place, (team, run) in enumerate(best.items())
    )


def team_of(run: str, pattern: str | None = None) -> str | None:
    """The team in a run's name; None if the name is not one of NTCIR and no pattern is given.

    >>> team_of("T1-C-R2"), team_of("baseline"), team_of("T1_R2", "(.+)_R.")
    ('T1', None, 'T1')
    """
    try:
        found = re.fullmatch(pattern or NTCIR_RUN, run)
    except re.error as fault:
        raise InputError(f"team pattern {pattern!r} is not a regular expression ({fault}); fix it") from None
    if found is None and pattern is None:
        return None
    if found is None or not found.re.groups:
        raise InputError(f"team pattern {pattern!r} finds no team in run {run!r}; give one group that matches it")
    return found["team"] if "team" in found.re.groupindex else found[1]


# Equivalence and non-inferiority: verdicts from the simultaneous intervals of differences and a margin.


Verdict = Literal["better", "worse", "equivalent", "not inferior", "undecided"]


class Difference(Protocol):
    """The difference a - b of two runs, with its interval."""

    @property
    def a(self) -> str: ...  # noqa: D102
    @property
    def low(self) -> float: ...  # noqa: D102
    @property
    def high(self) -> float: ...  # noqa: D102
    @property
    def significant(self) -> bool: ...  # noqa: D102
    @property
    def better(self) -> str | None: ...  # noqa: D102


def require_margin(margin: float | None) -> None:
    """Refuse a margin that is not a number above 0."""
    if margin is not None and not (isfinite(margin) and margin > 0):
        raise InputError(f"margin {margin:g} is not above 0; give the smallest difference that matters, as 0.05")


def verdict_of(low: float, high: float, *, margin: float, sign: int) -> Verdict:
    """What the interval of a difference shows; ``sign`` is 1 or -1 if the difference is significant, else 0.

    A difference inside the margin does not matter, significant or not.

    >>> [verdict_of(*limits, margin=0.1, sign=0) for limits in ((-0.05, 0.08), (-0.05, 0.2), (-0.2, 0.05))]
    ['equivalent', 'not inferior', 'undecided']
    >>> verdict_of(0.02, 0.2, margin=0.1, sign=1), verdict_of(0.02, 0.08, margin=0.1, sign=1)
    ('better', 'equivalent')
    """
    if -margin < low and high < margin:
        return "equivalent"
    if sign:
        return "better" if sign > 0 else "worse"
    return "not inferior" if low > -margin else "undecided"


def pair_verdict(pair: Difference, margin: float, direction: Direction) -> Verdict:
    """The verdict on a against b; the interval of the difference is turned round if lower is better."""
    low, high = (pair.low, pair.high) if direction == "higher" else (-pair.high, -pair.low)
    sign = 0 if not pair.significant else 1 if pair.better == pair.a else -1
    return verdict_of(low, high, margin=margin, sign=sign)
