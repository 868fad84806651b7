"""The tests that compare all pairs of runs at once, by name, with the same arguments and the same kind of result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from kaiwa.errors import InputError, Names, UnknownName, counted
from kaiwa.stats.anova import require_matrix, two_way_anova
from kaiwa.stats.p_values import PRule, allowed_counts, p_from_counts, tie_tolerance, too_close
from kaiwa.stats.resampling import ONE_THREAD, Workers, resampled_means, residual_vectors, shuffled_means, trial_key
from kaiwa.stats.studentised_range import critical_range, range_tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray

    NullMeans = Callable[[int, int], Iterable[FloatArray]]


# Randomised Tukey HSD: every pair of runs against one null distribution of the largest difference.


AUTO_FIRST = 5_000
AUTO_CAP = 320_000
MOST_TRIALS = 100_000_000


@dataclass(frozen=True, eq=False)
class RangeTest:
    """The observed run means and the null distribution of their range.

    ``ranges`` holds, ascending, the range of the run means in each trial; ``tolerance`` is how close two
    differences must be to count as equal, so that ties of decimal scores are ties in binary too. No p is below
    ``least_p``.
    """

    means: FloatArray
    ranges: FloatArray
    tolerance: float
    p_rule: PRule = "plus-one"
    least_p: float = 0.0

    @property
    def trials(self) -> int:
        """The number of trials."""
        return len(self.ranges)

    def p_values(self) -> FloatArray:
        """P of each pair, runs x runs: the share of trials in which the run means have at least this range."""
        return self.p_of(np.abs(self.means[:, None] - self.means))

    def p_of(self, differences: FloatArray) -> FloatArray:
        """P of given absolute differences (Carterette 2012, section 4; Phipson & Smyth 2010 for the +1)."""
        count = self.trials - np.searchsorted(self.ranges, differences - self.tolerance, side="left")
        return np.maximum(p_from_counts(count, self.trials, self.p_rule), self.least_p)

    def critical_difference(self, alpha: float) -> float:
        """The difference that a pair must exceed to be significant; infinite if no p can be that small.

        >>> hsd = randomised_hsd(np.eye(9, 3), trials=999, rng=np.random.default_rng(1))
        >>> cut = hsd.critical_difference(0.05)
        >>> bool(hsd.p_of(np.array(cut)) > 0.05 >= hsd.p_of(np.array(cut + 1e-9)))
        True
        """
        allowed = allowed_counts(alpha, self.trials, self.p_rule)
        possible = 0 <= allowed < self.trials and self.least_p <= alpha
        return float(self.ranges[self.trials - 1 - allowed]) if possible else float("inf")


def randomised_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> RangeTest:
    """The randomised Tukey HSD test of all pairs of runs of a topics x runs matrix (Carterette 2012).

    >>> scores = np.array([[0.9, 0.5, 0.1]] * 8)
    >>> randomised_hsd(scores, trials=999, rng=np.random.default_rng(1)).p_values()[0].round(3).tolist()
    [1.0, 0.151, 0.001]
    """
    return range_test(by_topic, shuffles(by_topic, rng, workers, progress), trials=trials, p_rule=p_rule)


def shuffles(
    by_topic: FloatArray,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> NullMeans:
    """The run means of given trials, in blocks; each topic's scores are shuffled among the runs."""
    shuffled = partial(shuffled_means, by_topic, key=trial_key(rng), workers=workers, progress=progress)

    def null(trials: int, first: int) -> Iterable[FloatArray]:
        return shuffled(trials=trials, first=first)

    return null


def range_test(
    by_topic: FloatArray, null: NullMeans, *, trials: int, p_rule: PRule = "plus-one", least_p: float = 0.0
) -> RangeTest:
    """The test with a given number of trials; ``null(trials, first)`` are their run means, in blocks."""
    require_matrix(by_topic)
    require_trials(trials)
    return _test(by_topic, ranges(null(trials, 0)), p_rule, least_p)


def range_test_until_clear(
    by_topic: FloatArray,
    null: NullMeans,
    *,
    alpha: float,
    cap: int = AUTO_CAP,
    p_rule: PRule = "plus-one",
    least_p: float = 0.0,
) -> RangeTest:
    """The same test with trials doubled until no pair's p is within two standard errors of alpha, or to the cap."""
    require_matrix(by_topic)
    trials = min(AUTO_FIRST, cap)
    found = ranges(null(trials, 0))
    while too_close(_test(by_topic, found, p_rule, least_p).p_values(), alpha, trials).any() and trials < cap:
        more = min(trials, cap - trials)
        found = np.concatenate((found, ranges(null(more, trials))))
        trials += more
    return _test(by_topic, found, p_rule, least_p)


def ranges(blocks: Iterable[FloatArray]) -> FloatArray:
    """The range of the run means of each trial.

    >>> ranges([np.array([[0.1, 0.4, 0.2]])]).round(6).tolist()
    [0.3]
    """
    return np.concatenate([means.max(axis=1) - means.min(axis=1) for means in blocks])


def require_trials(trials: int) -> None:
    """Raise an error if the number of trials is below 1 or above ``MOST_TRIALS``."""
    if not 1 <= trials <= MOST_TRIALS:
        raise InputError(f"{counted(trials, 'trial')}; give 1 to {MOST_TRIALS:,}")


def require_known_values(*, trials: object, p_rule: str) -> None:
    """Raise an error for an unknown word."""
    if isinstance(trials, str) and trials != "auto":
        raise InputError(f"trials {trials!r} is neither a whole number nor 'auto'; give 5000, for example")
    if p_rule not in get_args(PRule):
        raise UnknownName.among("p_rule", p_rule, get_args(PRule))


def _test(by_topic: FloatArray, found: FloatArray, p_rule: PRule, least_p: float) -> RangeTest:
    return RangeTest(by_topic.mean(axis=0), np.sort(found), tie_tolerance(by_topic), p_rule, least_p)


# The all-pairs test that keeps variances and correlations of the runs, and the error of other tests on such runs.


ESTIMATE_TRIALS = 5_000
_LEAST_SHARE = 1e-24


def robust_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    clusters: NDArray[np.generic] | None = None,
) -> RangeTest:
    """The studentised range test of all pairs of runs of a topics x runs matrix, with topics resampled whole.

    The mean of each run is removed. Each trial flips the signs of whole topics at random, and records the range of
    the run means over their residual standard deviation. Runs need not have equal variances, and runs of one team may
    be alike. Topics with the same label in ``clusters`` may depend on each other: they change their signs together.

    >>> rng = np.random.default_rng(1)
    >>> scores = rng.random((40, 1)) + [0.0, 0.1, 0.5] + rng.normal(0, [0.1, 0.1, 0.4], (40, 3))
    >>> robust_hsd(scores, trials=999, rng=rng).p_values()[0].round(3).tolist()
    [1.0, 0.223, 0.001]
    """
    null = topic_resamples(by_topic, rng, workers, progress, clusters)
    return range_test(by_topic, null, trials=trials, p_rule=p_rule, least_p=least_p(by_topic, clusters))


def topic_resamples(
    by_topic: FloatArray,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    clusters: NDArray[np.generic] | None = None,
) -> NullMeans:
    """The studentised run means of given trials, in blocks; the signs of whole topics, or clusters, are flipped."""
    flipped = partial(
        resampled_means, by_topic, key=trial_key(rng), clusters=clusters, workers=workers, progress=progress
    )
    vectors = residual_vectors(by_topic, clusters)
    squares, sums = interaction_squares(vectors), len(by_topic) / len(vectors)

    def null(trials: int, first: int) -> Iterable[FloatArray]:
        for means in flipped(trials=trials, first=first):
            yield studentised(means * sums, squares, len(vectors)) / sums

    return null


def studentised(means: FloatArray, squares: float, topics: int) -> FloatArray:
    """The flipped run means, "trials x runs", times the residual standard deviation of the data over that of the trial.

    Flipping the signs of topics keeps their sum of squares, so the trial's residual sum is ``squares`` less that of
    its means.

    >>> studentised(np.array([[0.1, -0.1], [0.0, 0.0]]), 0.5, 10).round(4).tolist()
    [[0.1225, -0.1225], [0.0, 0.0]]
    """
    own = ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1, keepdims=True)
    return means * deviation_ratio(own, squares, topics)


def deviation_ratio(own: FloatArray, squares: float, topics: int) -> FloatArray:
    """The residual deviation of the data over that of each trial, from the sum of squares of the trial's own means.

    >>> deviation_ratio(np.array([0.0, 0.02]), 0.5, 10).round(4).tolist()
    [0.9487, 1.2247]
    """
    if not squares:
        return np.ones_like(own)
    share = 1 - topics * own / squares
    ratio: FloatArray = np.sqrt((1 - 1 / topics) / np.maximum(share, _LEAST_SHARE))
    return ratio


def interaction_squares(vectors: FloatArray) -> float:
    """The sum of squares of vectors, topics x runs, without the mean of each topic."""
    return float(((vectors - vectors.mean(axis=1, keepdims=True)) ** 2).sum())


def least_p(by_topic: FloatArray, clusters: NDArray[np.generic] | None = None) -> float:
    """2^(1 - n): a test of n topics (or clusters) has no smaller p if each could as well have favoured the other run.

    Without this limit two or three topics with the same difference would be significant: nothing varies in them.

    >>> [least_p(np.zeros((topics, 2))) for topics in (2, 5, 6)]
    [0.5, 0.0625, 0.03125]
    """
    return float(2.0 ** (1 - (len(by_topic) if clusters is None else len(np.unique(clusters)))))


def familywise_error(
    by_topic: FloatArray, critical_difference: float, *, rng: np.random.Generator, workers: Workers = ONE_THREAD
) -> float:
    """The probability that any pair exceeds the critical difference if runs with these residuals do not differ.

    The share of sign flips of whole topics; on exchangeable runs it is the error itself on average, see
    docs/decisions/tests.md.

    >>> scores = np.random.default_rng(1).random((40, 3))
    >>> round(familywise_error(scores, 0.2, rng=np.random.default_rng(1)), 3)
    0.009
    """
    flips = resampled_means(by_topic, trials=ESTIMATE_TRIALS, key=trial_key(rng), workers=workers)
    return float((ranges(flips) > critical_difference + tie_tolerance(by_topic)).mean())


# The step-down version of a range test: a smaller correction for all but the largest difference.


@dataclass(frozen=True, eq=False)
class StepDown:
    """Step-down p-values, runs x runs, and the single-step test from the same trials."""

    p: FloatArray
    single_step: RangeTest


def step_down_hsd(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> StepDown:
    """Westfall & Young's step-down maxT over all pairs, on the trials of the randomised HSD (1993, algorithm 4.1).

    The kth largest difference is compared with the largest shuffled difference among the pairs from the
    kth on, and its p is never below that of a larger difference. The largest difference keeps its p.

    >>> result = step_down_hsd(np.array([[0.9, 0.5, 0.1]] * 8), trials=999, rng=np.random.default_rng(1))
    >>> result.p[0].round(3).tolist(), result.single_step.p_values()[0].round(3).tolist()
    ([1.0, 0.109, 0.001], [1.0, 0.151, 0.001])
    """
    return _stepdown_stepped(by_topic, shuffles(by_topic, rng, workers, progress), trials, p_rule, 0.0)


def robust_step_down(
    by_topic: FloatArray,
    *,
    trials: int = 5_000,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    clusters: NDArray[np.generic] | None = None,
) -> StepDown:
    """The same on the trials of the robust test, with topics, or clusters, resampled whole (Romano & Wolf 2005)."""
    null = topic_resamples(by_topic, rng, workers, progress, clusters)
    return _stepdown_stepped(by_topic, null, trials, p_rule, least_p(by_topic, clusters))


def more_by_steps(null: NullMeans, found: RangeTest, alpha: float) -> int:
    """How many pairs are significant by the step-down version of a range test, and not by the test itself.

    ``null`` are the trials of the test. Pairs that are decided leave the family, and the critical difference is that
    of the pairs that are open; until no more are decided (Romano & Wolf 2005). The runs in the order of their means
    have the open pairs side by side, so there is no loop over pairs.

    >>> by_topic = np.random.default_rng(5).normal([0.0, 0.0, 0.3, 0.9], 0.4, (20, 4))
    >>> null = topic_resamples(by_topic, np.random.default_rng(1))
    >>> from kaiwa.comparison.allpairs import range_test
    >>> test = range_test(by_topic, null, trials=999, least_p=least_p(by_topic))
    >>> more_by_steps(null, test, 0.05)
    1
    """
    order = np.argsort(found.means, kind="stable")
    means = found.means[order]
    first = last = _last_open(means, found.critical_difference(alpha) + found.tolerance)
    while (last > np.arange(len(means))).any():
        drawn = np.concatenate([_largest_open(block[:, order], last) for block in null(found.trials, 0)])
        stepped = replace(found, ranges=np.sort(drawn))
        narrowed = _last_open(means, stepped.critical_difference(alpha) + found.tolerance)
        if (narrowed >= last).all():
            break
        last = np.minimum(narrowed, last)
    return int((first - last).sum())


def _last_open(means: FloatArray, critical: float) -> IntArray:
    """For each of the ascending means, the place of the last one that is not further away than this."""
    return np.searchsorted(means, means + critical, side="right") - 1


def _largest_open(block: FloatArray, last: IntArray) -> FloatArray:
    """The largest difference of runs k and j with k < j <= last[k] in each trial: "trials x runs" in, "trials" out.

    The runs k to last[k] are all open to each other. Their range is that of two overlapping stretches whose lengths
    are powers of two, which are made by doubling.
    """
    runs = np.arange(len(last))
    lengths = last - runs + 1
    high = low = block
    largest, width = np.zeros(len(block)), 1
    while width <= lengths.max():
        here = runs[(lengths >= width) & (lengths < 2 * width)]
        if len(here):
            ends = last[here] - width + 1
            ranges = np.maximum(high[:, here], high[:, ends]) - np.minimum(low[:, here], low[:, ends])
            np.maximum(largest, ranges.max(axis=1), out=largest)
        high, low = np.maximum(high[:, :-width], high[:, width:]), np.minimum(low[:, :-width], low[:, width:])
        width *= 2
    return largest


def _stepdown_stepped(by_topic: FloatArray, null: NullMeans, trials: int, p_rule: PRule, least: float) -> StepDown:
    runs = require_matrix(by_topic)[1]
    require_trials(trials)
    means = by_topic.mean(axis=0)
    first, second = np.triu_indices(runs, 1)
    order = np.argsort(np.abs(means[first] - means[second]), kind="stable")
    first, second = first[order], second[order]  # smallest difference first
    cuts = np.abs(means[first] - means[second]) - tie_tolerance(by_topic)
    counts = np.zeros(len(cuts))
    found = []
    for block in null(trials, 0):
        by_run = np.ascontiguousarray(block.T)
        largest = np.zeros(len(block))
        for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            np.maximum(largest, np.abs(by_run[a] - by_run[b]), out=largest)
            counts[pair] += np.count_nonzero(largest >= cuts[pair])
        found.append(largest)
    p_pairs = np.maximum.accumulate(np.maximum(p_from_counts(counts, trials, p_rule), least)[::-1])[::-1]
    p = np.ones((runs, runs))
    p[first, second] = p[second, first] = p_pairs
    return StepDown(p, RangeTest(means, np.sort(np.concatenate(found)), tie_tolerance(by_topic), p_rule, least))


# Tukey's HSD by the studentised range: the analytic test, for matched and for unmatched topics.


@dataclass(frozen=True, eq=False)
class TukeyHSD:
    """p per pair, runs x runs, and the difference that a pair must exceed to be significant at alpha."""

    p: FloatArray
    critical_difference: float


def tukey_hsd(by_topic: FloatArray, *, alpha: float = 0.05) -> TukeyHSD:
    """Tukey's HSD on matched topics: the two-way residual variance and its degrees of freedom (Sakai 2018, 5.2).

    >>> scores = np.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]])
    >>> tukey_hsd(scores).p[0].round(4).tolist()
    [1.0, 0.1853, 0.0513]
    """
    topics, runs = require_matrix(by_topic)
    return _tukey_hsd(by_topic, two_way_anova(by_topic).v_e2, (topics - 1) * (runs - 1), alpha)


def _tukey_hsd(by_topic: FloatArray, variance: float, df: int, alpha: float) -> TukeyHSD:
    topics, runs = by_topic.shape
    means = by_topic.mean(axis=0)
    differences = np.abs(means[:, None] - means)
    if not variance:
        return TukeyHSD((differences <= tie_tolerance(by_topic)).astype(np.float64), 0.0)
    error = float(np.sqrt(variance / topics))
    first, second = np.triu_indices(runs, 1)
    p = np.ones((runs, runs))
    p[first, second] = p[second, first] = range_tail(differences[first, second] / error, runs, df)
    return TukeyHSD(p, critical_range(alpha, runs, df) * error)


Trials = int | Literal["auto"]


@dataclass(frozen=True)
class Settings:
    """How a test is run; ``trials="auto"`` adds trials until no pair is close to alpha, up to ``cap``."""

    trials: Trials
    alpha: float
    rng: np.random.Generator
    p_rule: PRule = "plus-one"
    cap: int = AUTO_CAP
    workers: Workers = ONE_THREAD
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, eq=False)
class AllPairs:
    """p per pair, runs x runs, the critical difference, and the number of trials (None for an analytic test).

    ``familywise`` is the estimated error of the test on runs with these variances and correlations. ``more_by_steps``
    is how many pairs more the step-down version of the robust test finds, None for another test.
    """

    p: FloatArray
    critical_difference: float
    trials: int | None
    familywise: float
    more_by_steps: int | None = None


def _randomised_hsd(by_topic: FloatArray, settings: Settings) -> AllPairs:
    null = shuffles(by_topic, settings.rng, settings.workers, settings.progress)
    return _assuming_equal(by_topic, settings, _single(_range_test(by_topic, null, settings), settings.alpha))


def _step_down(by_topic: FloatArray, settings: Settings) -> AllPairs:
    return _assuming_equal(by_topic, settings, _allpairs_stepped(step_down_hsd, by_topic, settings))


def _tukey(by_topic: FloatArray, settings: Settings) -> AllPairs:
    found = tukey_hsd(by_topic, alpha=settings.alpha)
    return _assuming_equal(by_topic, settings, AllPairs(found.p, found.critical_difference, None, settings.alpha))


def _robust(by_topic: FloatArray, settings: Settings) -> AllPairs:
    null = topic_resamples(by_topic, settings.rng, settings.workers, settings.progress)
    found = _range_test(by_topic, null, settings, least_p(by_topic))
    return replace(_single(found, settings.alpha), more_by_steps=more_by_steps(null, found, settings.alpha))


def _robust_step_down(by_topic: FloatArray, settings: Settings) -> AllPairs:
    return _allpairs_stepped(robust_step_down, by_topic, settings)


@dataclass(frozen=True)
class PairsTest:
    """A test of all pairs: its method, and all that other parts must know of it.

    ``title`` is its name in a sentence. ``error`` is the familywise error at .05 that the audit measured
    (benchmarks/results/audit.md). ``condition`` says when it limits that error; empty for a test that keeps the
    variances and correlations of the runs. ``designed_as`` is the test for which a topic set is designed, if another.
    """

    method: Callable[[FloatArray, Settings], AllPairs]
    title: str
    error: str
    condition: str = ""
    draws_trials: bool = True
    designed_as: str = ""


_EXCHANGEABLE = "if runs are exchangeable (equal variances and correlations)"
ALL_PAIRS: Names[PairsTest] = Names(
    "test",
    {
        "robust": PairsTest(
            _robust,
            "the studentised range test by sign flips of whole topics (wild bootstrap)",
            ".045 to .059",
        ),
        "robust-step-down": PairsTest(
            _robust_step_down,
            "the step-down (Romano-Wolf) studentised range test by sign flips of whole topics",
            ".045 to .059 (.021 to .051 where half of the runs differed)",
            designed_as="robust",
        ),
        "hsd": PairsTest(_randomised_hsd, "the randomised Tukey HSD test", ".052 to .096", _EXCHANGEABLE),
        "step-down": PairsTest(
            _step_down,
            "the step-down (Westfall-Young) version of the randomised Tukey HSD test",
            ".052 to .096 as by hsd",
            _EXCHANGEABLE,
            designed_as="hsd",
        ),
        "tukey": PairsTest(
            _tukey,
            "Tukey's HSD test on the two-way (topic and run) residual variance",
            ".052 to .105",
            "if scores are normal with equal variances and correlations",
            draws_trials=False,
        ),
    },
)
"""A test is a row here and nowhere else."""
CROSSED = "crossed"
"""The model of topic, run, assessor and repeat, which compares all pairs too."""
WITHOUT_TRIALS = frozenset({CROSSED, "t", *(name for name, test in ALL_PAIRS.items() if not test.draws_trials)})
"""Tests whose p-values are computed, not drawn."""
DEFAULT_TEST = "robust"
"""The test of all pairs if none is named."""
KEEPING = tuple(name for name, test in ALL_PAIRS.items() if not test.condition)
"""The tests that keep variances and correlations of the runs; the others assume that they are equal."""


def _range_test(by_topic: FloatArray, null: NullMeans, settings: Settings, least: float = 0.0) -> RangeTest:
    if settings.trials == "auto":
        return range_test_until_clear(
            by_topic, null, alpha=settings.alpha, cap=settings.cap, p_rule=settings.p_rule, least_p=least
        )
    return range_test(by_topic, null, trials=settings.trials, p_rule=settings.p_rule, least_p=least)


def _allpairs_stepped(test: Callable[..., StepDown], by_topic: FloatArray, settings: Settings) -> AllPairs:
    if settings.trials == "auto":
        raise InputError(
            "trials 'auto' works with the tests hsd and robust only; give the step-down test a number of trials"
        )
    stepped = test(
        by_topic,
        trials=settings.trials,
        rng=settings.rng,
        p_rule=settings.p_rule,
        workers=settings.workers,
        progress=settings.progress,
    )
    return replace(_single(stepped.single_step, settings.alpha), p=stepped.p)


def _single(found: RangeTest, alpha: float) -> AllPairs:
    critical = found.critical_difference(alpha)
    beyond = float((found.ranges > critical + found.tolerance).mean())
    return AllPairs(found.p_values(), critical, found.trials, beyond)


def _assuming_equal(by_topic: FloatArray, settings: Settings, found: AllPairs) -> AllPairs:
    """The result with its error on such runs; a child of the generator draws, so later draws stay the same."""
    chance = settings.rng.spawn(1)[0]
    error = familywise_error(by_topic, found.critical_difference, rng=chance, workers=settings.workers)
    return replace(found, familywise=error)
