"""Adding topics in rounds: the level of the test after each batch that keeps the type I error at alpha."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from math import erfc, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, Names
from kaiwa.stats.resampling import ONE_THREAD, Workers, block_generator, trial_blocks, trial_key
from kaiwa.stats.studentised_range import range_tail
from kaiwa.topicset.power_functions import NORMAL_DF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.topicset.sizes import Answer


# Looks at growing data without a data set: the p-values of a test after each batch of topics, simulated.


By = Literal["f", "range", "shuffled"]
BLOCK_CELLS = 2_000_000


def p_values(
    sizes: Sequence[int],
    systems: int,
    shared_topics: bool,  # noqa: FBT001  a property of the data, not a switch of behaviour
    *,
    means: FloatArray,
    trials: int,
    rng: np.random.Generator,
    by: By = "f",
    best_worst: bool = False,
    range_ratio: float = 1.0,
    workers: Workers = ONE_THREAD,
) -> FloatArray:
    """The p-value after each batch, "trials x looks", for normal scores of variance 1 about ``means``.

    By ANOVA (``f``), by Tukey's HSD (``range``) or by the randomised one (``shuffled``); a range is that of all
    means, or with ``best_worst`` the distance of the first and the last, over ``range_ratio``. Only the mean vector
    and the sum of squared errors of a batch are simulated, because their distributions are known.
    """
    plan = _Plan(tuple(sizes), means, 1 if shared_topics else 0, by, best_worst, range_ratio)
    block = partial(_p_block, plan, trial_key(rng))
    most = max(1000, BLOCK_CELLS // systems)
    return np.concatenate(list(trial_blocks(block, trials=trials, size=most, workers=workers)))


@dataclass(frozen=True)
class _Plan:
    """When the data are tested and how; ``lost`` is 1 if the systems share topics, else 0."""

    sizes: tuple[int, ...]
    means: FloatArray
    lost: int
    by: By
    best_worst: bool
    range_ratio: float


def _p_block(plan: _Plan, key: int, first: int, trials: int) -> FloatArray:
    seen = _looks(plan.sizes, plan.means, trials, plan.lost, block_generator(key, first))
    return np.stack([_p_value(look, plan) for look in seen], 1)


@dataclass(frozen=True)
class _Sums:
    """After ``n`` topics: the means less their mean, "trials x systems", and the squared errors of each trial."""

    n: int
    centred: FloatArray
    squares: FloatArray


def _looks(
    sizes: Sequence[int], means: FloatArray, trials: int, lost: int, rng: np.random.Generator
) -> Iterator[_Sums]:
    systems = len(means)
    total, squares, n = np.zeros((trials, systems)), np.zeros(trials), 0
    for batch in np.diff([0, *sizes]).tolist():
        batch_mean = means + rng.standard_normal((trials, systems)) / sqrt(batch)
        change = batch_mean - (total / n if n else batch_mean)
        if lost:
            change = change - change.mean(axis=1, keepdims=True)
        squares = squares + np.einsum("ij,ij->i", change, change) * n * batch / (n + batch)
        if batch > 1:
            squares = squares + rng.chisquare((systems - lost) * (batch - 1), trials)
        total += batch * batch_mean
        n += batch
        yield _Sums(n, (total - total.mean(axis=1, keepdims=True)) / n, squares)


def _p_value(seen: _Sums, plan: _Plan) -> FloatArray:
    from scipy.special import fdtrc

    systems, n = seen.centred.shape[1], seen.n
    df = float((systems - plan.lost) * (n - 1))
    between = n * np.einsum("ij,ij->i", seen.centred, seen.centred)
    if plan.by == "f":
        tail: FloatArray = fdtrc(systems - 1.0, df, between / (systems - 1) / (seen.squares / df))
        return tail
    ends = seen.centred[:, 0] - seen.centred[:, -1]
    width = (np.abs(ends) if plan.best_worst else np.ptp(seen.centred, axis=1)) / plan.range_ratio
    if plan.by == "shuffled":
        return _range_p(width / np.sqrt((seen.squares + between) / (n * (systems - 1)) / n), systems, NORMAL_DF)
    return _range_p(width / np.sqrt(seen.squares / df / n), systems, df)


def _range_p(q: FloatArray, systems: int, df: float) -> FloatArray:
    """The tail of the studentised range, interpolated in its logarithm between 400 points."""
    points = np.geomspace(0.02, max(float(q.max()), 1.0) + 1.0, 400)
    tail = np.log(np.maximum(range_tail(points, systems, df), 1e-300))
    p: FloatArray = np.exp(np.interp(q, points, tail))
    return p


POWER_TRIALS = 40_000


@dataclass(frozen=True)
class Look:
    """One look at the data: after ``n`` topics in all, test at ``level``; ``spent`` of alpha is used by then."""

    n: int
    level: float
    spent: float
    stopped: float


@dataclass(frozen=True)
class Rounds:
    """A plan of looks; ``naive`` is the type I error of testing every time at alpha, ``kept`` that of the plan.

    ``spending`` is the function by which alpha is spent.

    ``power`` is the probability that the plan finds the difference at some look, ``expected_n`` the mean number of
    topics used if the difference exists; ``error`` is the Monte-Carlo standard error of the rates.
    """

    looks: tuple[Look, ...]
    alpha: float
    spending: str
    naive: float
    kept: float
    power: float
    expected_n: float
    error: float
    trials: int


def _obrien_fleming(share: float, alpha: float) -> float:
    """Lan & DeMets 1983: almost none at first, almost all at the end."""
    return erfc(NormalDist().inv_cdf(1 - alpha / 2) / sqrt(share) / sqrt(2))


def _pocock(share: float, alpha: float) -> float:
    """Lan & DeMets 1983: about as much at every look."""
    return float(alpha * np.log1p((np.e - 1) * share))


SPENDING: Names[Callable[[float, float], float]] = Names(
    "spending", {"obrien-fleming": _obrien_fleming, "pocock": _pocock}
)


@dataclass(frozen=True)
class Schedule:
    """The topics in all at each look, and the alpha that is spent by then."""

    sizes: tuple[int, ...]
    spent: tuple[float, ...]


def schedule(looks: Sequence[int], *, alpha: float = 0.05, spending: str = "obrien-fleming") -> Schedule:
    """The looks with what each may have spent of alpha.

    >>> [round(spent, 4) for spent in schedule([30, 60, 91]).spent]
    [0.0006, 0.0158, 0.05]
    """
    sizes = [int(n) for n in looks]
    if len(sizes) < 2 or sizes[0] < 2 or any(b <= a for a, b in itertools.pairwise(sizes)):  # noqa: PLR2004
        raise InputError.at("looks", f"{sizes} is not a growing list of topics", "give two or more, such as 30,60,91")
    return Schedule(tuple(sizes), tuple(SPENDING[spending](n / sizes[-1], alpha) for n in sizes))


def moved(planned: Schedule, n: int, last: int, *, alpha: float = 0.05, spending: str = "obrien-fleming") -> Schedule:
    """The same after the look at ``n`` topics, with another ``last`` look, which needs at least one more topic.

    What was spent stays. A later look stays if it is still before the last one and has something to spend.

    >>> moved(schedule([30, 60, 91]), 30, 120).sizes
    (30, 60, 91, 120)
    >>> moved(schedule([30, 60, 91]), 30, 55).sizes
    (30, 55)
    """
    done, last = planned.sizes.index(n) + 1, max(last, n + 1)
    sizes, spent = list(planned.sizes[:done]), list(planned.spent[:done])
    for size in planned.sizes[done:]:
        share = SPENDING[spending](size / last, alpha)
        if size < last and share > spent[-1]:
            sizes.append(size)
            spent.append(share)
    return Schedule((*sizes, last), (*spent, alpha))


def rounds_of(
    design: Answer,
    looks: Sequence[int],
    *,
    spent: Sequence[float] | None = None,
    spending: str = "obrien-fleming",
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
) -> Rounds:
    """The plan for a design; the test of an all-pairs design is of the largest difference at each look."""
    if design.width is not None:
        raise InputError.at("looks", f"{design.test} is not tested in rounds", "choose another test")
    kind = design.asked.kind
    return planned_rounds(
        looks,
        spent=spent,
        systems=design.systems,
        min_diff=design.min_diff,
        variance=design.variance * (1 - design.asked.correlation if kind.shares_topics else 1.0),
        shared_topics=kind.shares_topics,
        by="f" if not kind.by_range else "range" if kind.midway is None else "shuffled",
        range_ratio=design.asked.range_ratio,
        alpha=design.alpha,
        spending=spending,
        rng=rng,
        workers=workers,
    )


def planned_rounds(
    looks: Sequence[int],
    *,
    spent: Sequence[float] | None = None,
    systems: int,
    min_diff: float,
    variance: float,
    shared_topics: bool,
    by: By = "f",
    range_ratio: float = 1.0,
    alpha: float = 0.05,
    spending: str = "obrien-fleming",
    trials: int = 400_000,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
) -> Rounds:
    """The level of the test after each batch, such that the type I error of all looks is ``alpha``.

    The first level is exact: it is the alpha spent there. The later ones are simulated. ``spent`` is the alpha spent by
    each look if it is not that of ``spending`` over the looks.

    >>> plan = planned_rounds([30, 60, 91], systems=10, min_diff=0.15, variance=0.0643, shared_topics=False,
    ...                       trials=40_000, rng=np.random.default_rng(1))
    >>> (round(plan.naive, 2), round(plan.kept, 2))
    (0.11, 0.05)
    """
    if trials < 1000:  # noqa: PLR2004  below this no level can be set
        raise InputError.at("trials", f"{trials} is too few to set levels", "give at least 1000")
    planned = schedule(looks, alpha=alpha, spending=spending)
    sizes, spent = planned.sizes, planned.spent if spent is None else spent
    simulated = partial(p_values, sizes, systems, shared_topics, rng=rng, workers=workers)
    null = partial(simulated, means=np.zeros(systems), by="range" if by != "f" else by, trials=trials)
    no_difference = null()
    levels = spent_levels(no_difference, spent, exact_first=True)
    ends = _true_means(systems, min_diff, by) / sqrt(variance)
    difference = simulated(
        means=ends, by=by, best_worst=True, range_ratio=range_ratio, trials=min(trials, POWER_TRIALS)
    )
    stops = _first_stop(difference, levels)
    # the rates are counted on fresh trials: on those that set the levels they would be right by construction
    fresh = null()
    return Rounds(
        looks=tuple(
            Look(n, float(level), share, float((stops <= at).mean()))
            for at, (n, level, share) in enumerate(zip(sizes, levels, spent, strict=True))
        ),
        alpha=alpha,
        spending=spending,
        naive=float((fresh <= alpha).any(axis=1).mean()),
        kept=float((fresh <= levels).any(axis=1).mean()),
        power=float((stops < len(sizes)).mean()),
        expected_n=float(np.array([*sizes, sizes[-1]])[stops].mean()),
        error=sqrt(alpha * (1 - alpha) / trials),
        trials=trials,
    )


def _true_means(systems: int, min_diff: float, by: By) -> FloatArray:
    """Best and worst ``min_diff`` apart and the others midway; in two clusters, the worst case of shuffled scores."""
    if by == "shuffled":
        return np.where(np.arange(systems) < systems // 2, min_diff / 2, -min_diff / 2)
    return np.array([min_diff / 2, *[0.0] * (systems - 2), -min_diff / 2])


def spent_levels(no_difference: FloatArray, spent: Sequence[float], *, exact_first: bool = False) -> FloatArray:
    """Per look the level at which the share of trials stopped so far equals the alpha to be spent by then.

    A p-value without a difference is uniform, so the first level can be exact: all that may be spent there.
    """
    going = np.ones(len(no_difference), dtype=bool)
    levels, used = np.zeros(len(spent)), 0
    for look, share in enumerate(spent):
        allowed = round(share * len(no_difference)) - used
        if look == 0 and exact_first:
            levels[look] = share
        elif allowed > 0:
            at = min(allowed, int(going.sum())) - 1
            levels[look] = np.partition(no_difference[going, look], at)[at]
        stopped = going & (no_difference[:, look] <= levels[look])
        # what an exact level spends is known; the chance in its trials must not be made up for at the next look
        used += allowed if look == 0 and exact_first else int(stopped.sum())
        going &= ~stopped
    return levels


def _first_stop(p: FloatArray, levels: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    hit = p <= levels
    return np.where(hit.any(axis=1), hit.argmax(axis=1), len(levels))
