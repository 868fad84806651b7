"""A whole comparison of runs: every pair, the ranks and groups that follow, and the settings of the test."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.allpairs import (
    ALL_PAIRS,
    AUTO_CAP,
    DEFAULT_TEST,
    KEEPING,
    AllPairs,
    Settings,
    Trials,
    require_known_values,
)
from kaiwa.comparison.ranks import (
    DEFAULT_TRIALS,
    RankSets,
    best_first,
    group_letters,
    pair_verdict,
    rank_sets,
    require_margin,
    tied_ranks,
)
from kaiwa.errors import InputError, counted, option
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Direction, Labelled, better_of, oriented
from kaiwa.stats.anova import AnovaTable, require_matrix, two_way_anova
from kaiwa.stats.p_values import PRule, fewest_trials, monte_carlo_error, require_alpha, tied_means, too_close
from kaiwa.stats.resampling import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.comparison.ranks import Verdict
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix


# What to know of scores before a test is believed: few topics, and scores without an upper limit.


FEW_TOPICS = 24
"""Up to so many topics, the little that a test finds is said beside its result."""
FOUND_TOPICS = (6, 8, 10, 12, 15, 20, 24, 50)
FOUND_SHARES = (0.043, 0.069, 0.093, 0.110, 0.141, 0.184, 0.220, 0.354)
"""The share of all pairs of 10 TREC runs that ``robust`` finds with so many topics (benchmarks/results/audit.md)."""
UNBOUNDED = frozenset(
    {
        *("perplexity", "ppl", "latency", "latencies", "length", "lengths", "duration", "durations", "runtime"),
        *("seconds", "milliseconds", "ms", "tokens", "words", "characters", "chars", "bytes", "cost", "costs"),
    }
)
"""Words in the names of measures that have no upper limit."""
LOGARITHMS = frozenset({"log", "logarithm", "logarithms", "bits"})
FAR = 5.0
"""A score is far above the others if it is more than so many medians."""


@dataclass(frozen=True)
class FewTopics:
    """What a comparison with few topics can find.

    ``found`` is the share of the pairs of 10 real runs that ``robust`` finds with so many topics; None where the
    question is another one. ``needed`` is the number of topics that a design asks for ``difference`` with ``power``;
    None if there is no such number.
    """

    found: float | None
    difference: float | None
    needed: int | None
    power: float


def share_found(topics: int) -> float:
    """The share of all pairs of 10 real TREC runs that ``robust`` finds; between the table's topics, interpolated.

    >>> [round(share_found(topics), 3) for topics in (6, 11, 24)]
    [0.043, 0.102, 0.22]
    """
    return float(np.interp(topics, FOUND_TOPICS, FOUND_SHARES))


def unbounded(measure: str, values: FloatArray) -> bool:
    """Whether the scores look like a measure without an upper limit, whose few largest scores decide the means.

    All are above 0, and either the measure's name says so (``word_perplexity``, ``latency``), or the largest is above
    1 and more than five times the median. A pass rate, a measure of Kaiwa, or a grade has no such scores.

    >>> unbounded("time", np.array([[2.0, 3.0], [2.5, 40.0]])), unbounded("grade", np.array([[1.0, 3.0], [2.0, 5.0]]))
    (True, False)
    """
    if values.size == 0 or values.min() <= 0:
        return False
    words = set(re.findall("[a-z]+", measure.lower()))
    if words & LOGARITHMS:
        return False
    return bool(words & UNBOUNDED) or bool(values.max() > max(1.0, FAR * float(np.median(values))))


MAX_RUNS = 3000
"""Runs that are compared with each other; a pair takes some 530 bytes."""
DOUBTFUL = 1.5
"""An estimated familywise error above alpha times this is reported as not held."""


@dataclass(frozen=True)
class PairResult:
    """One pair of runs: the difference a - b with its interval, its p and the Monte-Carlo error of p.

    ``better`` is the run with the better mean, None if the means are equal; it need not be significantly better.
    ``effect_size`` is ES_HSD, the difference over the residual standard deviation; None if that is 0.
    ``close`` marks a p that more trials could move to the other side of alpha. ``verdict`` is that of a on b if a
    margin was given: ``better``, ``worse``, ``equivalent`` or ``undecided``.
    """

    a: str
    b: str
    diff: float
    low: float
    high: float
    p: float
    error: float
    effect_size: float | None
    significant: bool
    close: bool
    better: str | None
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Standing:
    """One run's line of the leaderboard; two runs whose intervals do not overlap differ significantly.

    ``rank_low`` to ``rank_high`` is its rank confidence set, jointly with those of the other runs.
    """

    run: str
    mean: float
    low: float
    high: float
    rank: int
    groups: str
    rank_low: int
    rank_high: int
    may_be_best: bool


@dataclass(frozen=True)
class Leaderboard(Labelled):
    """All pairs of runs under one measure, compared; prints as a leaderboard, best run first.

    ``unranked`` are runs that were left out for missing scores. ``direction`` is ``lower`` if lower scores are better.
    ``familywise`` is the estimated error of the test on runs with these variances and correlations. ``family`` are the
    measures over which it is limited together, if there are several. ``more_by_steps`` is how many pairs more
    ``robust-step-down`` finds than ``robust``, None for another test. ``unbounded`` marks scores of a measure without
    an upper limit, and ``few_topics`` has what can be found with few topics.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> result = scores.compare(trials=999).one
    >>> result
    Leaderboard('nG@1', 6 topics, 2 runs, 1 of 1 pair significant)
    >>> [(pair.a, pair.b, pair.diff) for pair in result.pairs]
    [('A', 'B', 1.0)]
    """

    measure: str
    test: str
    alpha: float
    trials: int | None
    p_rule: PRule
    topics: int
    pairs: tuple[PairResult, ...]
    standings: tuple[Standing, ...]
    critical_difference: float
    anova: AnovaTable
    familywise: float
    unranked: tuple[str, ...] = ()
    direction: Direction = "higher"
    axes: Axes = TOPICS_AND_RUNS
    margin: float | None = None
    family: tuple[str, ...] = ()
    more_by_steps: int | None = None
    unbounded: bool = False
    few_topics: FewTopics | None = None

    def __repr__(self) -> str:
        size = f"{counted(self.topics, self.axes.topic)}, {counted(len(self.standings), self.axes.run)}"
        found = f"{self.significant_pairs:,} of {counted(len(self.pairs), 'pair')} significant"
        return f"Leaderboard({self.measure!r}, {size}, {found})"

    @property
    def ranks(self) -> dict[str, int]:
        """Each run's rank: 1 + the number of runs significantly better."""
        return {standing.run: standing.rank for standing in self.standings}

    @property
    def rank_sets(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that each run may have; all hold together with probability 1 - alpha.

        Measured in benchmarks/results/calibration/rank_sets.md.

        >>> import kaiwa, numpy
        >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
        >>> scores.compare(trials=999).rank_sets
        {'A': (1, 1), 'B': (2, 2)}
        """
        return {standing.run: (standing.rank_low, standing.rank_high) for standing in self.standings}

    @property
    def rank_trials(self) -> int:
        """How many times whole topics were resampled for the rank confidence sets."""
        return self.trials or DEFAULT_TRIALS

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The runs that may be best: they contain every best run with probability 1 - alpha.

        Measured in benchmarks/results/calibration/rank_sets.md.
        """
        return tuple(standing.run for standing in self.standings if standing.may_be_best)

    @property
    def error_held(self) -> bool:
        """Whether the test limits the familywise error to about alpha on such runs.

        False if the estimate is more than half above alpha; the estimate itself has a standard deviation of a fifth
        of alpha from 20 topics on, and of half of alpha with 10 topics.
        """
        return self.test in KEEPING or self.familywise <= DOUBTFUL * self.alpha

    @property
    def decidable(self) -> bool:
        """Whether any difference can be significant; with too few topics the critical difference is infinite."""
        return isfinite(self.critical_difference)

    @property
    def significant_pairs(self) -> int:
        """How many pairs differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    @property
    def discriminative_power(self) -> float:
        """The share of pairs that differ significantly (Sakai 2006)."""
        return self.significant_pairs / len(self.pairs)

    @property
    def close_pairs(self) -> tuple[PairResult, ...]:
        """The pairs whose p is too close to alpha for this number of trials."""
        return tuple(pair for pair in self.pairs if pair.close)


def compare_runs(
    scores: Matrix,
    *,
    test: str = DEFAULT_TEST,
    trials: Trials = 5_000,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    cap: int = AUTO_CAP,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    margin: float | None = None,
) -> Leaderboard:
    """Every pair of runs compared, with ranks and groups.

    >>> from kaiwa.nouns.matrix import Matrix
    >>> scores = Matrix("nG@1", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))
    >>> compare_runs(scores, trials=999, rng=np.random.default_rng(1)).ranks
    {'A': 1, 'B': 2}
    """
    all_pairs = ALL_PAIRS[test]
    settings = Settings(trials, alpha, rng, p_rule, cap, workers, progress)
    require_comparable(scores, test, settings, margin)
    found = all_pairs(scores.values, settings)
    sets = rank_sets(
        scores.oriented,
        alpha=alpha,
        trials=found.trials or DEFAULT_TRIALS,
        rng=rng.spawn(1)[0],
        workers=workers,
    )
    compared = assembled(scores, test, settings, found, sets)
    return compared if margin is None else with_verdicts(compared, margin)


def require_comparable(scores: Matrix, test: str, settings: Settings, margin: float | None) -> None:
    """Raise an error for scores or settings with which no test can be run."""
    if len(scores.runs) > MAX_RUNS:
        pairs = len(scores.runs) * (len(scores.runs) - 1) // 2
        what = f"{len(scores.runs):,} runs have {pairs:,} pairs, and at most {MAX_RUNS:,} runs are compared"
        raise InputError(f"{what}; give fewer runs, or compare each with one ({option('baseline')})")
    require_known_values(trials=settings.trials, p_rule=settings.p_rule)
    require_margin(margin)
    _require_settings(scores, test, settings.trials, settings.alpha, settings.p_rule)


def with_verdicts(comparison: Leaderboard, margin: float) -> Leaderboard:
    """The comparison with a verdict on each pair: better, worse, equivalent within the margin, or undecided.

    "Not inferior" needs a baseline, so it is undecided here.
    """
    words = [pair_verdict(pair, margin, comparison.direction) for pair in comparison.pairs]
    pairs = tuple(
        replace(pair, verdict="undecided" if word == "not inferior" else word)
        for pair, word in zip(comparison.pairs, words, strict=True)
    )
    return replace(comparison, pairs=pairs, margin=margin)


def assembled(scores: Matrix, test: str, settings: Settings, found: AllPairs, sets: RankSets) -> Leaderboard:
    """The comparison from what the test found, with effect sizes, ranks and groups."""
    anova = two_way_anova(scores.values)
    return Leaderboard(
        measure=scores.measure,
        test=test,
        alpha=settings.alpha,
        trials=found.trials,
        p_rule=settings.p_rule,
        topics=len(scores.topics),
        pairs=_pairs(scores, found, settings.alpha, anova.v_e2),
        standings=_standings(scores, found, sets, settings.alpha),
        critical_difference=found.critical_difference,
        anova=anova,
        familywise=found.familywise,
        direction=scores.direction,
        axes=scores.axes,
        more_by_steps=found.more_by_steps,
        unbounded=unbounded(scores.measure, scores.values),
    )


def _pairs(scores: Matrix, found: AllPairs, alpha: float, v_e2: float) -> tuple[PairResult, ...]:
    means = tied_means(scores.values)
    first, second = np.triu_indices(len(means), 1)
    p = found.p[first, second]
    error = monte_carlo_error(p, found.trials) if found.trials else np.zeros(len(p))
    close = too_close(p, alpha, found.trials) if found.trials else np.zeros(len(p), dtype=bool)
    rows = zip(first.tolist(), second.tolist(), p.tolist(), error.tolist(), close.tolist(), strict=True)
    return tuple(
        PairResult(
            a=scores.runs[a],
            b=scores.runs[b],
            diff=(diff := float(means[a] - means[b])),
            low=diff - found.critical_difference,
            high=diff + found.critical_difference,
            p=p_ab,
            error=error_ab,
            effect_size=diff / v_e2**0.5 if v_e2 else None,
            significant=p_ab <= alpha,
            close=bool(close_ab),
            better=better_of(scores.runs[a], scores.runs[b], diff, scores.direction),
        )
        for a, b, p_ab, error_ab, close_ab in rows
    )


def _standings(scores: Matrix, found: AllPairs, sets: RankSets, alpha: float) -> tuple[Standing, ...]:
    means = tied_means(scores.values)
    differs = found.p <= alpha
    goodness = oriented(means, scores.direction)
    ranks = tied_ranks(goodness, differs)
    letters = group_letters(goodness, differs)
    reach = found.critical_difference / 2
    return tuple(
        Standing(
            run=scores.runs[run],
            mean=(mean := float(means[run])),
            low=mean - reach,
            high=mean + reach,
            rank=ranks[run],
            groups=letters[run],
            rank_low=int(sets.low[run]),
            rank_high=int(sets.high[run]),
            may_be_best=bool(sets.may_be_best[run]),
        )
        for run in best_first(goodness).tolist()
    )


def _require_settings(scores: Matrix, test: str, trials: Trials, alpha: float, p_rule: PRule) -> None:
    try:
        require_matrix(scores.values, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault.marked}") from None
    require_alpha(alpha)
    if trials != "auto" and test != "tukey" and trials < (fewest := fewest_trials(alpha, p_rule)):
        many = counted(trials, "trial")
        raise InputError(f"{many} cannot make any pair significant at {alpha:g}; give at least {fewest}")
