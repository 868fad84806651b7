"""Decisions: how many topics until the best systems are on top, the order is right, or enough pairs differ.

The pilot represents all topics. Its run means are first shrunk by their reliability, because observed differences are
larger than true ones; then topic sets of any size are drawn from it and the decision is made on each. What the pilot
leaves uncertain is shown by other pilots, drawn from it in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import DesignError, InputError, Names
from kaiwa.stats.anova import residual_variance, run_deviations
from kaiwa.stats.kendall import mean_concordance
from kaiwa.stats.resampling import ONE_THREAD, Workers, block_generator, topic_counts, trial_blocks, trial_key
from kaiwa.stats.studentised_range import critical_range

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray


MOST_TOPICS = 1_000_000
PILOTS, PILOT_DRAWS, MIDDLE = 40, 200, 0.8
"""Other pilots of the same size that are drawn, topic sets drawn from each, and the share of them that is reported."""
FAR = 64
"""Other pilots are given up beyond this multiple of the answer."""


@dataclass(frozen=True)
class Setting:
    """What a decision is compared with: the true means, best first, the residual variance, k and alpha."""

    means: FloatArray
    v_e2: float
    k: int
    alpha: float


@dataclass(frozen=True)
class Decision:
    """The smallest n at which the decision reaches the target, with Monte-Carlo error.

    ``low`` and ``high`` hold the middle 80% of the answers from other pilots like this one; ``high`` is None if some
    of these have no answer.
    """

    n: int
    reached: float
    error: float
    curve: tuple[tuple[int, float], ...]
    reliability: float
    low: int
    high: int | None


def topics_for_decision(
    pilot: FloatArray,
    *,
    goal: str,
    target: float,
    k: int = 1,
    alpha: float = 0.05,
    draws: int = 2_000,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
) -> Decision:
    """The smallest number of topics whose decision meets the target.

    Goals: ``top`` (the true best k are on top), ``tau`` (mean Kendall's tau with the true order), ``discriminative``
    (mean share of pairs that differ significantly by Tukey's HSD).

    >>> pilot = np.random.default_rng(1).normal([0.5, 0.4, 0.3], 0.2, (60, 3))
    >>> topics_for_decision(pilot, goal="top", target=0.9, rng=np.random.default_rng(1)).n > 5
    True
    """
    asked = Asked(goal, target, _checked_k(k, pilot.shape[1]), alpha)
    n, final, seen = _smallest(pilot, asked, draws, trial_key(rng))
    model, reliability = shrunk(pilot)
    block = partial(_pilot_answers, model=model, asked=asked, most=min(MOST_TOPICS, FAR * n), key=trial_key(rng))
    low, high = _middle(np.concatenate(list(trial_blocks(block, trials=PILOTS, size=1, workers=workers))), n)
    curve = tuple(sorted(seen.items()))
    return Decision(n, float(final.mean()), float(final.std() / sqrt(draws)), curve, reliability, low, high)


@dataclass(frozen=True)
class Asked:
    """The decision and what it must reach."""

    goal: str
    target: float
    k: int
    alpha: float


def _smallest(
    pilot: FloatArray, asked: Asked, draws: int, key: int, *, most: int = MOST_TOPICS
) -> tuple[int, FloatArray, dict[int, float]]:
    """The smallest sufficient n from one pilot, the outcome of each draw there, and the mean at every n tried."""
    model, _ = shrunk(pilot)
    model = model[:, np.argsort(-model.mean(axis=0), kind="stable")]
    setting = Setting(model.mean(axis=0), residual_variance(pilot), asked.k, asked.alpha)

    def reached(n: int) -> FloatArray:
        return GOALS[asked.goal](_drawn_means(model, n, draws, block_generator(key, 0)), n, setting)

    n, seen = _search(lambda size: float(reached(size).mean()), asked.target, most)
    return n, reached(n), seen


def _pilot_answers(first: int, pilots: int, *, model: FloatArray, asked: Asked, most: int, key: int) -> FloatArray:
    """The answers from other pilots of the same size, drawn from the model; infinite for one without an answer."""
    return np.array([_pilot_answer(model, asked, most, block_generator(key, first + at)) for at in range(pilots)])


def _pilot_answer(model: FloatArray, asked: Asked, most: int, rng: np.random.Generator) -> float:
    pilot = model[rng.integers(len(model), size=len(model))]
    try:
        return float(_smallest(pilot, asked, PILOT_DRAWS, trial_key(rng), most=most)[0])
    except DesignError:
        return float("inf")


def _middle(answers: FloatArray, n: int) -> tuple[int, int | None]:
    """The middle of the answers, n among them."""
    ordered, out = sorted(answers.tolist()), round(PILOTS * (1 - MIDDLE) / 2)
    low, high = ordered[out], ordered[-1 - out]
    return int(min(low, n)), int(max(high, n)) if high < float("inf") else None


def shrunk(pilot: FloatArray) -> tuple[FloatArray, float]:
    """The pilot with run means shrunk by their reliability 1 - V_E2 / (n var of means), and the reliability.

    Deviations from a run's estimated mean are too small by sqrt(n / (n - 1)) and are scaled up.
    """
    if pilot.shape[0] < 2 or pilot.shape[1] < 2:  # noqa: PLR2004
        raise InputError("the pilot has one topic or one run; give at least 2 of each")
    means = pilot.mean(axis=0)
    spread = float(means.var(ddof=1))
    reliability = max(0.0, 1 - residual_variance(pilot) / len(pilot) / spread) if spread else 0.0
    if not reliability:
        raise DesignError("the pilot's runs do not differ beyond chance, so there is no right decision to design for")
    scaled = run_deviations(pilot) * sqrt(len(pilot) / (len(pilot) - 1))
    return means.mean() + reliability * (means - means.mean()) + scaled, reliability


def _drawn_means(model: FloatArray, n: int, draws: int, rng: np.random.Generator) -> FloatArray:
    return topic_counts(rng, draws, len(model), size=n) @ model / n


def _top(means: FloatArray, _n: int, setting: Setting) -> FloatArray:
    if setting.k == means.shape[1]:
        return np.ones(len(means))
    lowest_in = means[:, : setting.k].min(axis=1)
    return np.where(lowest_in > means[:, setting.k :].max(axis=1), 1.0, 0.0)


def _tau(means: FloatArray, _n: int, setting: Setting) -> FloatArray:
    return mean_concordance(means, setting.means)


def _discriminative(means: FloatArray, n: int, setting: Setting) -> FloatArray:
    runs = means.shape[1]
    first, second = np.triu_indices(runs, 1)
    critical = critical_range(setting.alpha, runs, float((runs - 1) * (n - 1))) * sqrt(setting.v_e2 / n)
    share: FloatArray = (np.abs(means[:, first] - means[:, second]) > critical).mean(axis=1)
    return share


GOALS: Names[Callable[[FloatArray, int, Setting], FloatArray]] = Names(
    "goal", {"top": _top, "tau": _tau, "discriminative": _discriminative}
)


def _search(reached: Callable[[int], float], target: float, most: int) -> tuple[int, dict[int, float]]:
    """The smallest n found sufficient by doubling, then halving, and the value at every n tried."""
    if not 0 < target < 1:
        raise InputError.at("target", f"{target:g} is not between 0 and 1", "give a share such as 0.9")
    seen: dict[int, float] = {}
    low, high = 1, 2
    while (got := seen.setdefault(high, reached(high))) < target:
        if high >= most:
            raise DesignError(f"{high:,} topics reach {got:.3f}, not {target:g}; give a lower target")
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if seen.setdefault(middle, reached(middle)) >= target else (middle, high)
    return high, seen


def _checked_k(k: int, runs: int) -> int:
    if not 1 <= k < runs:
        raise InputError.at("best", f"{k} is not from 1 to {runs - 1}", f"the scores have {runs} runs")
    return k
