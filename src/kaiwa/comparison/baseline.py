"""Runs against one baseline: planned pairs, fewer than all pairs, so that the correction is smaller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.comparison.allpairs import RangeTest, deviation_ratio, least_p, require_known_values, require_trials
from kaiwa.comparison.leaderboard import unbounded
from kaiwa.comparison.ranks import pair_verdict, require_margin
from kaiwa.errors import InputError, Names, UnknownName, counted, option
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Direction, Labelled, better_of
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import (
    TOLERANCE,
    PRule,
    allowed_counts,
    enough_trials,
    fewest_trials,
    holm,
    p_from_counts,
    require_alpha,
    smallest_p,
    tie_tolerance,
)
from kaiwa.stats.resampling import (
    ONE_THREAD,
    Workers,
    block_size,
    drawn_counts,
    drawn_pluses,
    exact_multiples,
    resampled_means,
    residual_vectors,
    trial_blocks,
    trial_key,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.comparison.leaderboard import FewTopics
    from kaiwa.comparison.ranks import Verdict
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix

    Reaches = tuple[FloatArray, FloatArray]


# Planned pairs: paired tests of each run against one baseline, corrected by Holm's rule, with matching intervals.


@dataclass(frozen=True)
class Draws:
    """How a paired test is run; ``level`` is that of each interval."""

    trials: int
    rng: np.random.Generator
    p_rule: PRule = "plus-one"
    level: float = 0.05
    workers: Workers = ONE_THREAD


@dataclass(frozen=True, eq=False)
class PairedTest:
    """Per column of differences: the two-sided p, and the interval's reach below and above the mean.

    The interval holds the differences that the test does not reject at its level. So it contains 0 exactly if the
    observed difference is not significant at that level.
    """

    p: FloatArray
    below: FloatArray
    above: FloatArray


@dataclass(frozen=True, eq=False)
class PairedTests:
    """One value per tested run: its mean minus the baseline's, the interval, the raw and the corrected p.

    ``critical_difference`` is that of a test which has one for all runs.
    """

    differences: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    holm: FloatArray
    critical_difference: float | None = None


def paired_t(differences: FloatArray, draws: Draws) -> PairedTest:
    """The paired t-test, per column of per-topic differences.

    If every topic differs by the same amount there is no variance: p is 1 for no difference, else 0.

    >>> paired_t(np.array([[0.1], [0.3], [0.2], [0.4]]), Draws(1, np.random.default_rng(1))).p.round(4).tolist()
    [0.0305]
    """
    from scipy.special import stdtr, stdtrit

    n = len(differences)
    mean = differences.mean(axis=0)
    error = _standard_error(differences)
    constant = error == 0
    t = np.abs(mean) / np.where(constant, 1.0, error)
    p = np.where(constant, np.where(mean == 0, 1.0, 0.0), 2 * stdtr(n - 1, -t))
    reach = float(stdtrit(n - 1, 1 - draws.level / 2)) * error
    return PairedTest(p, reach, reach)


def paired_randomisation(differences: FloatArray, draws: Draws) -> PairedTest:
    """Fisher's randomisation test, per column: the sign of each topic's difference is random.

    >>> differences = np.array([[0.1], [0.3], [0.2], [0.4]])  # the exact p is 2/16
    >>> paired_randomisation(differences, Draws(20_000, np.random.default_rng(1))).p.round(1).tolist()
    [0.1]
    """
    residuals = exact_multiples(differences - differences.mean(axis=0))
    return _monte_carlo(differences, partial(_sign_reaches, residuals, trial_key(draws.rng)), draws)


def paired_bootstrap(differences: FloatArray, draws: Draws) -> PairedTest:
    """The paired studentised bootstrap test, per column (Sakai 2006, figure 1).

    Topics are drawn with replacement from differences shifted to mean zero; a draw without variance
    counts as extreme only if its mean is as far from zero as the observed one.
    """
    shifted = differences - differences.mean(axis=0)
    moments = exact_multiples(np.concatenate((shifted, shifted**2), axis=1))
    reaches = partial(_draw_reaches, moments, _standard_error(differences), trial_key(draws.rng))
    return _monte_carlo(differences, reaches, draws)


PAIRED_TESTS: Names[Callable[[FloatArray, Draws], PairedTest]] = Names(
    "paired test", {"t": paired_t, "randomisation": paired_randomisation, "bootstrap": paired_bootstrap}
)


def against_baseline(
    by_topic: FloatArray,
    baseline: int,
    *,
    test: str,
    trials: int,
    rng: np.random.Generator,
    alpha: float = 0.05,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
) -> PairedTests:
    """Every other run against the baseline column, Holm-corrected; the intervals are the same test's, by Bonferroni."""
    runs = require_matrix(by_topic)[1]
    differences = differences_from(by_topic, baseline)
    found = PAIRED_TESTS[test](differences, Draws(trials, rng, p_rule, alpha / (runs - 1), workers))
    mean = differences.mean(axis=0)
    return PairedTests(mean, mean - found.below, mean + found.above, found.p, holm(found.p))


def differences_from(by_topic: FloatArray, baseline: int) -> FloatArray:
    """The per-topic differences of every other run to the baseline column; those by rounding only are 0."""
    differences = np.delete(by_topic, baseline, axis=1) - by_topic[:, [baseline]]
    return np.where(np.abs(differences) <= tie_tolerance(by_topic), 0.0, differences)


def _monte_carlo(differences: FloatArray, reaches: Callable[[int, int], Reaches], draws: Draws) -> PairedTest:
    """The test from how far below and above the mean each trial is as extreme as the data, trials x columns.

    If the true difference were the mean less some distance, a trial would be at least as extreme as the data for all
    distances up to its reach. So the limit of the interval is the reach that few enough trials exceed, and p is the
    share of trials that reach 0.
    """
    mean = differences.mean(axis=0)
    cut = np.abs(mean) - tie_tolerance(differences)
    kept = allowed_counts(draws.level, draws.trials, draws.p_rule) + 1
    count = np.zeros(len(mean))
    below = above = np.full((0, len(mean)), np.inf)
    size = block_size(max(differences.shape))
    for under, over in trial_blocks(reaches, trials=draws.trials, size=size, workers=draws.workers):
        count += (np.where(mean >= 0, under, over) >= cut).sum(axis=0)
        below, above = _largest(below, under, kept), _largest(above, over, kept)
    limits = [reached.min(axis=0, initial=np.inf) for reached in (below, above)]
    return PairedTest(p_from_counts(count, draws.trials, draws.p_rule), *limits)


def _largest(kept: FloatArray, block: FloatArray, number: int) -> FloatArray:
    both = np.concatenate((kept, block))
    if not number:
        return both[:0]
    first = max(len(both) - number, 0)
    return np.partition(both, first, axis=0)[first:]


def _sign_reaches(residuals: FloatArray, key: int, first: int, trials: int) -> Reaches:
    """With signs s of n residuals e, |s.(e + t)| >= nt holds for t up to |s.e| / (n - s.1) if s.e > 0.

    If s.e < 0 it holds up to |s.e| / (n + s.1); above the mean it is the other way round. Signs that are all equal
    are as extreme at any distance.
    """
    n = len(residuals)
    signs = 2 * drawn_pluses(key, first, trials, n) - 1
    total = signs.sum(axis=1, keepdims=True)
    shifted = signs @ residuals
    rising, falling = np.maximum(shifted, 0.0), np.maximum(-shifted, 0.0)
    minus, plus = np.maximum(n - total, 1.0), np.maximum(n + total, 1.0)
    alike = np.abs(total) == n
    return (
        np.where(alike, np.inf, rising / minus + falling / plus),
        np.where(alike, np.inf, rising / plus + falling / minus),
    )


def _draw_reaches(moments: FloatArray, error: FloatArray, key: int, first: int, trials: int) -> Reaches:
    """A draw with the statistic t* reaches t* standard errors; without variance it reaches its mean.

    ``moments`` are the differences less their mean, and beside them their squares.
    """
    n = len(moments)
    drawn_mean, squares = np.hsplit(drawn_counts(key, first, trials, n) @ moments / n, 2)
    mean = np.abs(drawn_mean)
    spread = squares - mean**2
    flat = (spread <= TOLERANCE * squares) | (error == 0)
    drawn = np.sqrt(np.where(flat, 1.0, spread) / (n - 1))
    reach = np.where(flat, mean, mean / drawn * error)
    return reach, reach


def _standard_error(differences: FloatArray) -> FloatArray:
    """The standard error of each column's mean; a standard deviation from rounding alone counts as 0."""
    spread = differences.std(axis=0, ddof=1)
    error: FloatArray = np.where(spread <= tie_tolerance(differences), 0.0, spread) / np.sqrt(len(differences))
    return error


# The robust test of every run against one baseline: one critical difference, from sign flips of whole topics.


def many_to_one(
    by_topic: FloatArray,
    baseline: int,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
) -> RangeTest:
    """The differences of the other runs to the baseline column, and the largest absolute mean of each trial.

    The mean of each difference is removed. Each trial flips the signs of whole topics at random, and records the
    largest absolute mean over the residual deviation of all differences. So the differences keep their variances and
    correlations, and one critical difference holds for all of them.

    >>> rng = np.random.default_rng(1)
    >>> scores = rng.random((30, 1)) + rng.normal([0.0, 0.05, 0.4], 0.2, (30, 3))
    >>> found = many_to_one(scores, 0, trials=999, rng=rng)
    >>> found.p_of(np.abs(found.means)).round(3).tolist()
    [0.004, 0.001]
    """
    require_matrix(by_topic)
    require_trials(trials)
    differences = differences_from(by_topic, baseline)
    squares = float((residual_vectors(differences) ** 2).sum())
    flips = resampled_means(differences, trials=trials, key=trial_key(rng), workers=workers)
    largest = partial(_largest_means, squares=squares, topics=len(by_topic))
    drawn = np.sort(np.concatenate([largest(block) for block in flips]))
    return RangeTest(differences.mean(axis=0), drawn, tie_tolerance(by_topic), p_rule, least_p(by_topic))


def _largest_means(means: FloatArray, *, squares: float, topics: int) -> FloatArray:
    """The largest absolute mean of each trial, "trials x runs" in, over the trial's residual deviation."""
    largest: FloatArray = np.abs(means).max(axis=1)
    return largest * deviation_ratio((means**2).sum(axis=1), squares, topics)


ROBUST = "robust"
"""The test against a baseline if none is named."""


@dataclass(frozen=True)
class PlannedPair:
    """A run (``a``) against the baseline (``b``): ``p`` is for all runs together, ``raw_p`` for this one alone.

    A paired test has ``p`` corrected by Holm's rule; the robust test has no ``raw_p``.
    ``diff`` is a - b; ``better`` is the run with the better mean, None if the means are equal. ``effect_size`` is the
    mean difference over the standard deviation of the per-topic differences. ``verdict`` is that on the run if a margin
    was given: ``better``, ``worse``, ``equivalent``, ``not inferior`` or ``undecided``.
    """

    a: str
    b: str
    diff: float
    low: float
    high: float
    p: float
    raw_p: float | None
    effect_size: float | None
    significant: bool
    better: str | None
    verdict: Verdict | None = None


@dataclass(frozen=True)
class BaselineComparison(Labelled):
    """Every run against the baseline, under one measure.

    ``critical_difference`` is that of the robust test; paired tests have an interval of its own length for each run.
    ``unbounded`` marks scores of a measure without an upper limit, and ``few_topics`` has what can be found with few
    topics.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores.from_matrix("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> scores.compare(baseline="B", test="t").one
    BaselineComparison('nG@1', baseline 'B', 6 topics, 1 run)
    """

    measure: str
    baseline: str
    test: str
    alpha: float
    trials: int | None
    topics: int
    pairs: tuple[PlannedPair, ...]
    direction: Direction = "higher"
    axes: Axes = TOPICS_AND_RUNS
    margin: float | None = None
    p_rule: PRule = "plus-one"
    critical_difference: float | None = None
    unbounded: bool = False
    few_topics: FewTopics | None = None

    def __repr__(self) -> str:
        size = f"{counted(self.topics, self.axes.topic)}, {counted(len(self.pairs), self.axes.run)}"
        return f"BaselineComparison({self.measure!r}, baseline {self.baseline!r}, {size})"

    @property
    def decidable(self) -> bool:
        """Whether any difference can be significant; with too few topics all intervals are infinite."""
        return any(isfinite(pair.low) and isfinite(pair.high) for pair in self.pairs)

    @property
    def smallest_p(self) -> float:
        """The raw p of a difference that no trial reaches; 0 for an analytic test."""
        return smallest_p(self.trials, self.p_rule)


def compare_with_baseline(
    scores: Matrix,
    baseline: str,
    *,
    test: str = ROBUST,
    trials: int | None = None,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    margin: float | None = None,
) -> BaselineComparison:
    """Each run against the baseline: by the robust test of all of them, or by a paired test, Holm-corrected.

    By default there are as many trials as the comparisons need at ``alpha``, at least 5,000.

    >>> import numpy as np
    >>> from kaiwa.nouns.matrix import Matrix
    >>> scores = Matrix("nG@1", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))
    >>> compare_with_baseline(scores, "B", test="t", rng=np.random.default_rng(1)).pairs[0].significant
    True
    """
    try:
        require_matrix(scores.values, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault.marked}") from None
    if baseline not in scores.runs:
        raise UnknownName.among(scores.axes.run, baseline, scores.runs)
    require_alpha(alpha)
    require_known_values(trials=trials, p_rule=p_rule)
    require_margin(margin)
    run_test = BASELINE_TESTS[test]
    comparisons = 1 if test == ROBUST else len(scores.runs) - 1
    drawn = 1 if test == "t" else _trials(trials, comparisons, alpha, p_rule)
    column = scores.runs.index(baseline)
    tests = run_test(scores.values, column, trials=drawn, rng=rng, alpha=alpha, p_rule=p_rule, workers=workers)
    pairs = _planned_pairs(scores, baseline, tests, alpha)
    if test == ROBUST:
        pairs = tuple(replace(pair, raw_p=None) for pair in pairs)
    if margin is not None:
        pairs = tuple(replace(pair, verdict=pair_verdict(pair, margin, scores.direction)) for pair in pairs)
    return BaselineComparison(
        scores.measure,
        baseline,
        test,
        alpha,
        None if test == "t" else drawn,
        len(scores.topics),
        pairs,
        scores.direction,
        scores.axes,
        margin,
        p_rule,
        critical_difference=tests.critical_difference,
        unbounded=unbounded(scores.measure, scores.values),
    )


def _robust(by_topic: FloatArray, baseline: int, *, alpha: float, **drawing: Any) -> PairedTests:  # Any: keywords
    """The many-to-one test, whose p-values are those of all runs together."""
    found = many_to_one(by_topic, baseline, **drawing)
    p, reach = found.p_of(np.abs(found.means)), found.critical_difference(alpha)
    return PairedTests(found.means, found.means - reach, found.means + reach, p, p, reach)


BASELINE_TESTS: Names[Callable[..., PairedTests]] = Names(
    "test against a baseline",
    {ROBUST: _robust, **{test: partial(against_baseline, test=test) for test in PAIRED_TESTS}},
)


def _planned_pairs(scores: Matrix, baseline: str, tests: PairedTests, alpha: float) -> tuple[PlannedPair, ...]:
    """The result of each other run, in the order of the runs."""
    effects = _effects(differences_from(scores.values, scores.runs.index(baseline)))
    tolerance = tie_tolerance(scores.values)
    others = [run for run in scores.runs if run != baseline]
    return tuple(
        PlannedPair(
            a=run,
            b=baseline,
            diff=(diff := float(tests.differences[place])),
            low=float(tests.low[place]),
            high=float(tests.high[place]),
            p=float(tests.holm[place]),
            raw_p=float(tests.p[place]),
            effect_size=effects[place],
            significant=bool(tests.holm[place] <= alpha),
            better=better_of(run, baseline, 0.0 if abs(diff) <= tolerance else diff, scores.direction),
        )
        for place, run in enumerate(others)
    )


def _trials(given: int | None, comparisons: int, alpha: float, p_rule: PRule) -> int:
    """The given number of trials, if it can make a run significant; without one, as many as are enough."""
    if given is None:
        return enough_trials(alpha, comparisons=comparisons)
    require_trials(given)
    if given < (fewest := fewest_trials(alpha, p_rule, comparisons=comparisons)):
        what = f"{counted(given, 'trial')} cannot make any of {counted(comparisons, 'comparison')} significant"
        raise InputError(f"{what} at {alpha:g}; give at least {fewest:,}, or leave out {option('trials')}")
    return given


def _effects(differences: FloatArray) -> list[float | None]:
    spread = differences.std(axis=0, ddof=1)
    tolerance = tie_tolerance(differences)
    return [
        float(mean / sd) if sd > tolerance else None for mean, sd in zip(differences.mean(axis=0), spread, strict=True)
    ]
