"""A whole comparison of runs: every pair, the ranks and groups that follow, and the settings of the test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.allpairs import ALL_PAIRS, KEEPING, AllPairs, Settings, Trials
from kaiwa.compare.equivalence import pair_verdict, require_margin
from kaiwa.compare.groups import best_first, group_letters, tied_ranks
from kaiwa.compare.hsd import AUTO_CAP, require_known_values
from kaiwa.compare.rank_sets import DEFAULT_TRIALS, RankSets, rank_sets
from kaiwa.errors import InputError, counted, option
from kaiwa.model.direction import TOPICS_AND_RUNS, Axes, Direction, Labelled, better_of, oriented
from kaiwa.model.late import verb
from kaiwa.model.shown import Shown
from kaiwa.stats.anova import AnovaTable, require_matrix, two_way_anova
from kaiwa.stats.p_values import PRule, fewest_trials, monte_carlo_error, require_alpha, too_close
from kaiwa.stats.ties import tied_means
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.compare.equivalence import Verdict
    from kaiwa.model.scores import Scores

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
class Comparison(Shown, Labelled):
    """All pairs of runs under one measure, compared; prints as a leaderboard, best run first.

    ``unranked`` are runs that were left out for missing scores. ``direction`` is ``lower`` if lower scores are better.
    ``familywise`` is the estimated error of the test on runs with these variances and correlations. ``family`` are the
    measures over which it is limited together, if there are several.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> result = scores.compare(trials=999)
    >>> result
    Comparison('nG@1', 6 topics, 2 runs, 1 of 1 pair significant)
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

    def __repr__(self) -> str:
        size = f"{counted(self.topics, self.axes.topic)}, {counted(len(self.standings), self.axes.run)}"
        found = f"{self.significant_pairs:,} of {counted(len(self.pairs), 'pair')} significant"
        return f"Comparison({self.measure!r}, {size}, {found})"

    def methods(self) -> str:
        """The methods paragraph for a paper.

        >>> import kaiwa, numpy
        >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
        >>> scores.compare(trials=999).methods().split(" with ")[0]
        '2 runs were compared by mean nG@1 over 6 topics'
        """
        text: str = verb("Comparison.methods")(self)
        return text

    @property
    def ranks(self) -> dict[str, int]:
        """Each run's rank: 1 + the number of runs significantly better."""
        return {standing.run: standing.rank for standing in self.standings}

    @property
    def rank_sets(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that each run may have; all hold together with probability 1 - alpha.

        >>> import kaiwa, numpy
        >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
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
        """The runs that may be best: they contain every best run with probability 1 - alpha."""
        return tuple(standing.run for standing in self.standings if standing.may_be_best)

    @property
    def error_held(self) -> bool:
        """Whether the test limits the familywise error to about alpha on such runs.

        False if the estimate is more than half above alpha; the estimate itself has a standard deviation of a fifth
        of alpha from 20 topics on, and of half of alpha with 10 topics.
        """
        return self.test in KEEPING or self.familywise <= DOUBTFUL * self.alpha

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
    scores: Scores,
    *,
    test: str = "hsd",
    trials: Trials = 5_000,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    cap: int = AUTO_CAP,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    margin: float | None = None,
) -> Comparison:
    """Every pair of runs compared, with ranks and groups.

    >>> from kaiwa.model.scores import Scores
    >>> scores = Scores("nG@1", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))
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


def require_comparable(scores: Scores, test: str, settings: Settings, margin: float | None) -> None:
    """Raise an error for scores or settings with which no test can be run."""
    if len(scores.runs) > MAX_RUNS:
        pairs = len(scores.runs) * (len(scores.runs) - 1) // 2
        what = f"{len(scores.runs):,} runs have {pairs:,} pairs, and at most {MAX_RUNS:,} runs are compared"
        raise InputError(f"{what}; give fewer runs, or compare each with one ({option('baseline')})")
    require_known_values(trials=settings.trials, p_rule=settings.p_rule)
    require_margin(margin)
    _require_settings(scores, test, settings.trials, settings.alpha, settings.p_rule)


def with_verdicts(comparison: Comparison, margin: float) -> Comparison:
    """The comparison with a verdict on each pair: better, worse, equivalent within the margin, or undecided.

    "Not inferior" needs a baseline, so it is undecided here.
    """
    words = [pair_verdict(pair, margin, comparison.direction) for pair in comparison.pairs]
    pairs = tuple(
        replace(pair, verdict="undecided" if word == "not inferior" else word)
        for pair, word in zip(comparison.pairs, words, strict=True)
    )
    return replace(comparison, pairs=pairs, margin=margin)


def assembled(scores: Scores, test: str, settings: Settings, found: AllPairs, sets: RankSets) -> Comparison:
    """The comparison from what the test found, with effect sizes, ranks and groups."""
    anova = two_way_anova(scores.values)
    return Comparison(
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
    )


def _pairs(scores: Scores, found: AllPairs, alpha: float, v_e2: float) -> tuple[PairResult, ...]:
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


def _standings(scores: Scores, found: AllPairs, sets: RankSets, alpha: float) -> tuple[Standing, ...]:
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


def _require_settings(scores: Scores, test: str, trials: Trials, alpha: float, p_rule: PRule) -> None:
    try:
        require_matrix(scores.values, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault.marked}") from None
    require_alpha(alpha)
    if trials != "auto" and test != "tukey" and trials < (fewest := fewest_trials(alpha, p_rule)):
        many = counted(trials, "trial")
        raise InputError(f"{many} cannot make any pair significant at {alpha:g}; give at least {fewest}")
