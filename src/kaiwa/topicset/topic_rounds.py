"""Adding topics in rounds: the level of the test after each batch that keeps the type I error at alpha."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.model.ids import FloatArray


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

    ``power`` is the probability that the plan finds the difference at some look, ``expected_n`` the mean number of
    topics used if the difference exists; ``error`` is the Monte-Carlo standard error of the rates.
    """

    looks: tuple[Look, ...]
    alpha: float
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


def planned_rounds(
    looks: Sequence[int],
    *,
    systems: int,
    min_diff: float,
    variance: float,
    shared_topics: bool,
    alpha: float = 0.05,
    spending: str = "obrien-fleming",
    trials: int = 20_000,
    rng: np.random.Generator,
) -> Rounds:
    """The level of the test after each batch, such that the type I error of all looks is ``alpha``, by simulation.

    >>> plan = planned_rounds([30, 60, 91], systems=10, min_diff=0.15, variance=0.0643, shared_topics=False,
    ...                       rng=np.random.default_rng(1))
    >>> (round(plan.naive, 2), round(plan.kept, 2))
    (0.11, 0.05)
    """
    sizes = _checked(looks, trials)
    shape = (systems, shared_topics)
    no_difference = p_values(sizes, *shape, means=np.zeros(systems), trials=trials, rng=rng)
    ends = np.array([min_diff / 2, *[0.0] * (systems - 2), -min_diff / 2]) / sqrt(variance)
    difference = p_values(sizes, *shape, means=ends, trials=trials, rng=rng)
    spent = [SPENDING[spending](n / sizes[-1], alpha) for n in sizes]
    levels = spent_levels(no_difference, spent)
    stops = _first_stop(difference, levels)
    # the rates are counted on fresh trials: on those that set the levels they would be right by construction
    fresh = p_values(sizes, *shape, means=np.zeros(systems), trials=trials, rng=rng)
    return Rounds(
        looks=tuple(
            Look(n, float(level), share, float((stops <= at).mean()))
            for at, (n, level, share) in enumerate(zip(sizes, levels, spent, strict=True))
        ),
        alpha=alpha,
        naive=float((fresh <= alpha).any(axis=1).mean()),
        kept=float((fresh <= levels).any(axis=1).mean()),
        power=float((stops < len(sizes)).mean()),
        expected_n=float(np.array([*sizes, sizes[-1]])[stops].mean()),
        error=sqrt(alpha * (1 - alpha) / trials),
        trials=trials,
    )


def spent_levels(no_difference: FloatArray, spent: Sequence[float]) -> FloatArray:
    """Per look the level at which the share of trials stopped so far equals the alpha to be spent by then."""
    going = np.ones(len(no_difference), dtype=bool)
    levels = np.zeros(len(spent))
    for look, share in enumerate(spent):
        allowed = round(share * len(no_difference)) - int((~going).sum())
        if allowed > 0:
            levels[look] = np.sort(no_difference[going, look])[min(allowed, int(going.sum())) - 1]
        going &= no_difference[:, look] > levels[look]
    return levels


def p_values(
    sizes: Sequence[int],
    systems: int,
    shared_topics: bool,  # noqa: FBT001  a property of the data, not a switch of behaviour
    *,
    means: FloatArray,
    trials: int,
    rng: np.random.Generator,
) -> FloatArray:
    """The p-value of ANOVA after each batch, "trials x looks", for normal scores of variance 1 about ``means``.

    Only the mean vector and the sum of squared errors of a batch are simulated, because their distributions are
    known.
    """
    from scipy.special import fdtrc

    batches = np.diff([0, *sizes])
    lost = 1 if shared_topics else 0
    total, squares, found = np.zeros((trials, systems)), np.zeros(trials), []
    n = 0
    for batch in batches.tolist():
        batch_mean = means + rng.standard_normal((trials, systems)) / sqrt(batch)
        change = batch_mean - (total / n if n else batch_mean)
        if shared_topics:
            change = change - change.mean(axis=1, keepdims=True)
        squares += (change**2).sum(axis=1) * n * batch / (n + batch)
        if batch > 1:
            squares += rng.chisquare((systems - lost) * (batch - 1), trials)
        total += batch * batch_mean
        n += batch
        centred = total / n - (total / n).mean(axis=1, keepdims=True)
        df = float((systems - lost) * (n - 1))
        f = n * (centred**2).sum(axis=1) / (systems - 1) / (squares / df)
        found.append(fdtrc(systems - 1.0, df, f))
    return np.stack(found, axis=1)


def _first_stop(p: FloatArray, levels: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    hit = p <= levels
    return np.where(hit.any(axis=1), hit.argmax(axis=1), len(levels))


def _checked(looks: Sequence[int], trials: int) -> list[int]:
    sizes = [int(n) for n in looks]
    if len(sizes) < 2 or sizes[0] < 2 or any(b <= a for a, b in itertools.pairwise(sizes)):  # noqa: PLR2004
        raise InputError.at("rounds", f"{sizes} is not a growing list of topics", "give two or more, such as 30,60,91")
    if trials < 1000:  # noqa: PLR2004  below this no level can be set
        raise InputError.at("trials", f"{trials} is too few to set levels", "give at least 1000")
    return sizes
