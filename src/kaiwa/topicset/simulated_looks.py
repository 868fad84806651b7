"""Looks at growing data without a data set: the p-values of a test after each batch of topics, simulated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.stats.studentised_range import range_tail
from kaiwa.stats.topic_draws import block_generator, trial_key
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers, trial_blocks
from kaiwa.topicset.power.randomised_range import NORMAL_DF

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.model.ids import FloatArray

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
