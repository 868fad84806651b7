"""Power by simulation from a pilot: for discrete, bounded or skewed measures, and for any test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kaiwa.errors import DesignError, InputError, Names
from kaiwa.stats.anova import critical_f, residuals, run_deviations
from kaiwa.stats.resampling import ONE_THREAD, Workers, block_generator, trial_blocks, trial_key
from kaiwa.stats.studentised_range import critical_range

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray

    Draw = Callable[..., FloatArray]
    """``drawn_sets`` or ``kept_sets``."""


BATCH_CELLS = 1_000_000
Z95 = 1.959964
MIN_TRIALS = 500
FEW_VALUES = 6
"""A measure is taken as discrete if the pilot has at most this number of distinct scores."""


@dataclass(frozen=True)
class Simulated:
    """A simulated rate of rejection with its Monte-Carlo standard error, and the number of data sets."""

    n: int
    power: float
    error: float
    trials: int


def simulated_power(
    pilot: FloatArray,
    rejects: Rejects,
    *,
    n: int,
    systems: int,
    min_diff: float,
    alpha: float = 0.05,
    tolerance: float = 0.01,
    trials: int = 20_000,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    draw: Draw | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulated:
    """The power at n topics drawn from the pilot, with equal means except for the best and the worst system.

    Stops when the 95% half-width falls below ``tolerance``, or at ``trials``. A ``min_diff`` of 0 gives the level.
    The data sets of a block are keyed by its first trial, so the answer does not depend on the workers.

    >>> from kaiwa.topicset.simulation import f_test_one_way
    >>> pilot = np.random.default_rng(1).normal(0.5, 0.2, (100, 6))
    >>> simulated_power(pilot, f_test_one_way, n=30, systems=3, min_diff=0.15, rng=np.random.default_rng(1)).power > 0.6
    True
    """
    lift = lift_for(pilot, min_diff)
    drawn = partial(
        _verdict_block,
        draw=draw or drawn_sets,
        pilot=with_equal_means(pilot, systems),
        lift=lift,
        shape=(n, systems),
        rejects=partial(rejects, alpha=alpha),
        key=trial_key(rng),
    )
    batch = int(np.clip(BATCH_CELLS // (n * systems), 1, 500))
    found = done = 0.0
    for verdicts in trial_blocks(drawn, trials=trials, size=batch, workers=workers, progress=progress):
        found += float(verdicts.sum())
        done += len(verdicts)
        if done >= MIN_TRIALS and Z95 * _error(found, done) < tolerance:
            break
    return Simulated(n, found / done, _error(found, done), int(done))


def _verdict_block(
    first: int,
    trials: int,
    *,
    draw: Draw,
    pilot: FloatArray,
    lift: Lift,
    shape: tuple[int, int],
    rejects: Callable[[FloatArray], FloatArray],
    key: int,
) -> FloatArray:
    """1 for each data set of a block on which the test rejects, else 0."""
    n, systems = shape
    sets = draw(pilot, lift, sets=trials, n=n, systems=systems, rng=block_generator(key, first))
    return rejects(sets)


def simulated_size(
    power_at: Callable[[int], Simulated], *, start: int, target: float, rounds: int = 6
) -> tuple[Simulated, ...]:
    """Simulated powers at better and better guesses of n; the last one is the answer within its Monte-Carlo error."""
    n, seen = start, list[Simulated]()
    for _ in range(rounds):
        seen.append(power_at(n))
        if abs(seen[-1].power - target) <= max(2 * seen[-1].error, 0.004):
            return tuple(seen)
        n = _next_size(seen, target)
    if seen[-1].power < target - 0.05:
        raise DesignError(f"simulation does not reach the power asked for; at {n} topics it is {seen[-1].power:.2f}")
    return tuple(seen)


def _next_size(seen: list[Simulated], target: float) -> int:
    """The n at which the line through all simulated powers, normal quantile against sqrt(n), reaches the target."""
    normal = NormalDist()
    got = np.array([normal.inv_cdf(min(max(one.power, 0.02), 0.998)) for one in seen])
    roots = np.sqrt([one.n for one in seen])
    # at n = 0 the power is the level: one point that is always known
    slope, start = np.polyfit([0.0, *roots], [-Z95, *got], 1, w=[0.2, *np.ones(len(seen))])
    wanted = (normal.inv_cdf(target) - start) / slope if slope > 0 else 2 * roots[-1]
    return max(2, round(float(np.clip(wanted, roots[-1] / 3, 3 * roots[-1])) ** 2))


@dataclass(frozen=True)
class Lift:
    """How the scores of best and worst change: a shift, or a share of them becomes the top and bottom value."""

    added: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    raised: float = 0.0
    lowered: float = 0.0


def lift_for(pilot: FloatArray, min_diff: float) -> Lift:
    """Half of min_diff up for the best and down for the worst system.

    A measure with few values (nG@1, Boolean) keeps them: a share of the best system's scores becomes the top value,
    of the worst's the bottom one. Any other is shifted.
    """
    half = min_diff / 2
    if not is_discrete(pilot):
        return Lift(added=half)
    top, bottom, mean = float(pilot.max()), float(pilot.min()), float(pilot.mean())
    if min_diff > 0 and (top - mean <= half or mean - bottom <= half):
        room = 2 * min(top - mean, mean - bottom)
        raise DesignError(f"min_diff: scores from {bottom:g} to {top:g} allow at most {room:.3g}; give a smaller one")
    return Lift(0.0, top, bottom, half / (top - mean), half / (mean - bottom)) if half else Lift()


def with_equal_means(pilot: FloatArray, systems: int = 2) -> FloatArray:
    """The pilot with all run means made equal; a discrete measure keeps its values, as ``drawn_sets`` equalises it.

    Deviations from an estimated mean are too small: those from the run means are scaled by sqrt(n / (n - 1)), and, if
    more systems are drawn than the pilot has runs, those from the topic means by sqrt(m / (m - 1)).
    """
    if is_discrete(pilot):
        return pilot
    topics, runs = pilot.shape
    deviations = run_deviations(pilot) * sqrt(topics / max(topics - 1, 1))
    if systems > runs > 1:
        by_topic = deviations.mean(axis=1, keepdims=True)
        deviations = by_topic + (deviations - by_topic) * sqrt(runs / (runs - 1))
    equal: FloatArray = pilot.mean() + deviations
    return equal


def drawn_sets(
    pilot: FloatArray, lift: Lift, *, sets: int, n: int, systems: int, rng: np.random.Generator
) -> FloatArray:
    """Data sets, "sets x topics x systems": topics drawn with replacement, their scores assigned to systems at random.

    The random assignment makes the systems exchangeable, which is the null hypothesis of the randomisation test.
    """
    if pilot.shape[0] < 2:  # noqa: PLR2004
        raise InputError("the pilot has one topic; give at least 2: one topic has no variance")
    runs = pilot.shape[1]
    topic = rng.integers(len(pilot), size=(sets, n, 1))
    if systems <= runs:
        order = rng.random((sets, n, runs)).argpartition(systems - 1, axis=2)[:, :, :systems]
        order = rng.permuted(order, axis=2)
    else:
        order = rng.integers(runs, size=(sets, n, systems))
    drawn = pilot[topic, order]
    best, worst = drawn[:, :, 0], drawn[:, :, -1]
    best += lift.added
    worst -= lift.added
    if lift.raised:
        best[rng.random(best.shape) < lift.raised] = lift.top
        worst[rng.random(worst.shape) < lift.lowered] = lift.bottom
    return drawn


def kept_sets(
    pilot: FloatArray, lift: Lift, *, sets: int, n: int, systems: int, rng: np.random.Generator
) -> FloatArray:
    """Data sets whose systems are runs of the pilot, drawn without replacement: they keep variances and correlations.

    For scores that are shifted (``Lift.added``), and at most as many systems as the pilot has runs.
    """
    topic = rng.integers(len(pilot), size=(sets, n, 1))
    order = rng.random((sets, 1, pilot.shape[1])).argsort(axis=2)[:, :, :systems]
    drawn = pilot[topic, order]
    drawn[:, :, 0] += lift.added
    drawn[:, :, -1] -= lift.added
    return drawn


def is_discrete(pilot: FloatArray) -> bool:
    """Whether the scores have few values, which a simulation must keep."""
    return len(np.unique(pilot)) <= FEW_VALUES


def _error(found: float, done: float) -> float:
    share = (found + 1) / (done + 2)
    return sqrt(share * (1 - share) / done)


# The verdict of each test on many simulated data sets at once: significant or not.


class Rejects(Protocol):
    """Whether the test is significant on each simulated data set, "sets x topics x systems"."""

    def __call__(self, sets: FloatArray, *, alpha: float) -> FloatArray:
        """1 where the test rejects, else 0."""


def f_test_one_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """One-way ANOVA's verdict on each set."""
    _, n, m = sets.shape
    return _f_verdict(sets, run_deviations(sets), df=m * (n - 1), alpha=alpha)


def f_test_two_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """Two-way ANOVA's verdict on each set; with two systems this is the paired t-test."""
    _, n, m = sets.shape
    return _f_verdict(sets, residuals(sets), df=(m - 1) * (n - 1), alpha=alpha)


def hsd_one_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """Whether the first system and the last differ by Tukey's HSD, topics not shared."""
    _, n, m = sets.shape
    return _hsd_verdict(sets, run_deviations(sets), df=m * (n - 1), alpha=alpha)


def hsd_two_way(sets: FloatArray, *, alpha: float) -> FloatArray:
    """Whether the first system and the last differ by Tukey's HSD, topics shared."""
    _, n, m = sets.shape
    return _hsd_verdict(sets, residuals(sets), df=(m - 1) * (n - 1), alpha=alpha)


def _f_verdict(sets: FloatArray, errors: FloatArray, *, df: int, alpha: float) -> FloatArray:
    _, n, m = sets.shape
    means = sets.mean(axis=1)
    between = n * ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / (m - 1)
    within = (errors**2).sum(axis=(1, 2)) / df
    critical = critical_f(np.array([alpha]), np.array([m - 1.0]), np.array([float(df)]))[0]
    return np.where(between > critical * within, 1.0, 0.0)


def _hsd_verdict(sets: FloatArray, errors: FloatArray, *, df: int, alpha: float) -> FloatArray:
    _, n, m = sets.shape
    means = sets.mean(axis=1)
    within = (errors**2).sum(axis=(1, 2)) / df
    q = critical_range(alpha, m, float(df))
    return np.where(np.abs(means[:, 0] - means[:, -1]) > q * np.sqrt(within / n), 1.0, 0.0)


VERDICTS: Names[Rejects] = Names(
    "simulated test",
    {
        "anova": f_test_one_way,
        "two-sample-t": f_test_one_way,
        "two-way": f_test_two_way,
        "paired-t": f_test_two_way,
        "one-way-tukey": hsd_one_way,
        "tukey": hsd_two_way,
    },
)
