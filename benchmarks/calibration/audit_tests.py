"""The tests that the audit compares: Kaiwa's by calling it, and those that other tools offer.

A test takes scores, topics x runs, and says of each pair of runs (in the order of ``np.triu_indices``), or of each run
against the first one, whether it differs at .05.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

import kaiwa.stats.shuffle_kernel  # noqa: F401  the compiled shuffles
from kaiwa.comparison.allpairs import RangeTest, randomised_hsd, robust_hsd, robust_step_down
from kaiwa.comparison.baseline import against_baseline, many_to_one
from kaiwa.nouns.ids import FloatArray
from kaiwa.stats.anova import two_way_anova
from kaiwa.stats.studentised_range import critical_range

ALPHA = 0.05
TRIALS = 199
BASELINE_TRIALS = 1_799
"""The fewest trials above 199 with which .05 / 9, the first level of Holm's rule for nine runs, is a share of them."""
FLAT = 1e-12
TIED = 1 - 1e-9

Found = NDArray[np.bool_]
Finds = Callable[[FloatArray, np.random.Generator], Found]


def pairs(values: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The runs of each pair."""
    return np.triu_indices(values.shape[1], 1)


def pair_differences(values: FloatArray) -> FloatArray:
    """The difference of each pair by topic, topics x pairs."""
    first, second = pairs(values)
    return values[:, first] - values[:, second]


def significant(test: RangeTest) -> Found:
    """Which pairs have a p of at most .05."""
    found: Found = test.p_values()[np.triu_indices(len(test.means), 1)] <= ALPHA
    return found


def robust(values: FloatArray, rng: np.random.Generator) -> Found:
    """Kaiwa's robust test."""
    return significant(robust_hsd(values, trials=TRIALS, rng=rng))


def stepped(values: FloatArray, rng: np.random.Generator) -> Found:
    """Kaiwa's step-down version of it."""
    found: Found = robust_step_down(values, trials=TRIALS, rng=rng).p[pairs(values)] <= ALPHA
    return found


def hsd(values: FloatArray, rng: np.random.Generator) -> Found:
    """Kaiwa's randomised Tukey HSD."""
    return significant(randomised_hsd(values, trials=TRIALS, rng=rng))


critical = cache(critical_range)


def tukey(values: FloatArray, rng: np.random.Generator) -> Found:  # noqa: ARG001  the test has no trials
    """Tukey's HSD with Kaiwa's two-way residual variance and studentised range."""
    topics, runs = values.shape
    error = np.sqrt(two_way_anova(values).v_e2 / topics)
    reach = critical(ALPHA, runs, (topics - 1) * (runs - 1)) * error
    found: Found = np.abs(pair_differences(values).mean(axis=0)) > reach
    return found


def max_t(values: FloatArray, rng: np.random.Generator) -> Found:
    """Westfall & Young's maxT, single step: signs of topics flip the raw differences; each pair has its own error."""
    differences = pair_differences(values)
    topics, squares = len(differences), (differences**2).mean(axis=0)
    signs = rng.choice((-1.0, 1.0), (TRIALS, topics))
    null = own_t(signs @ differences / topics, squares, topics).max(axis=1)
    return reached_by_few(own_t(differences.mean(axis=0), squares, topics), null)


def bootstrap_max_t(values: FloatArray, rng: np.random.Generator) -> Found:
    """The same with topics drawn with replacement from differences shifted to mean zero."""
    differences = pair_differences(values)
    topics, squares = len(differences), (differences**2).mean(axis=0)
    centred = differences - differences.mean(axis=0)
    draws = rng.multinomial(topics, np.full(topics, 1 / topics), TRIALS) / topics
    null = own_t(draws @ centred, draws @ centred**2, topics).max(axis=1)
    return reached_by_few(own_t(differences.mean(axis=0), squares, topics), null)


def own_t(means: FloatArray, squares: FloatArray, topics: int) -> FloatArray:
    """|t| of each mean, from the mean squares; of differences that do not vary 0 if they are 0, else infinite."""
    variance = squares - means**2
    flat = variance <= FLAT * squares
    t: FloatArray = np.abs(means) / np.sqrt(np.where(flat, 1.0, variance) / (topics - 1))
    return np.where(flat, np.where(squares > FLAT, np.inf, 0.0), t)


def reached_by_few(observed: FloatArray, null: FloatArray) -> Found:
    """Which observed values so few trials reach that p is at most .05."""
    count = len(null) - np.searchsorted(np.sort(null), observed * TIED, side="left")
    found: Found = (count + 1) / (len(null) + 1) <= ALPHA
    return found


def holm(values: FloatArray, rng: np.random.Generator) -> Found:  # noqa: ARG001  the test has no trials
    """Paired t-tests of all pairs, corrected by Holm's rule."""
    differences = pair_differences(values)
    topics, squares = len(differences), (differences**2).mean(axis=0)
    p = 2 * stdtr(topics - 1, -own_t(differences.mean(axis=0), squares, topics))
    order = np.argsort(p)
    found = np.zeros(len(p), dtype=bool)
    found[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)) <= ALPHA
    return found


ALL_PAIRS: dict[str, Finds] = {
    "robust": robust,
    "hsd": hsd,
    "tukey": tukey,
    "maxT": max_t,
    "t + Holm": holm,
    "bootstrap maxT": bootstrap_max_t,
}
"""The six tests of all pairs."""
WITH_STEPS = {"robust": robust, "robust-step-down": stepped, **ALL_PAIRS}


def paired(values: FloatArray, rng: np.random.Generator, *, test: str) -> Found:
    """Kaiwa's paired test of each run against the first one, corrected by Holm's rule."""
    found: Found = against_baseline(values, 0, test=test, trials=BASELINE_TRIALS, rng=rng).holm <= ALPHA
    return found


def against_first(values: FloatArray, rng: np.random.Generator) -> Found:
    """Kaiwa's robust test of each run against the first one."""
    test = many_to_one(values, 0, trials=TRIALS, rng=rng)
    found: Found = test.p_of(np.abs(test.means)) <= ALPHA
    return found


def many_to_one_by_formula(values: FloatArray, rng: np.random.Generator) -> Found:
    """The same, written from its formula: the oracle of Kaiwa's.

    With z_j the differences to the baseline less their mean, times sqrt(n / (n - 1)), and M_j their means after the
    signs of whole topics are flipped, a trial has max |M_j| sqrt((1 - 1/n) / (1 - n sum M_j^2 / sum z^2)). A run's p is
    the share of trials that reach its difference, never below 2^(1 - n).
    """
    n = len(values)
    null = many_to_one_trials(values, rng.choice((-1.0, 1.0), (TRIALS, n)))
    means = (values[:, 1:] - values[:, :1]).mean(axis=0)
    return reached_by_few(np.abs(means), null) & (2.0 ** (1 - n) <= ALPHA)


def many_to_one_trials(values: FloatArray, signs: FloatArray) -> FloatArray:
    """The statistic of each trial, from its signs, trials x topics."""
    differences = values[:, 1:] - values[:, :1]
    n, means = len(differences), differences.mean(axis=0)
    z = (differences - means) * np.sqrt(n / (n - 1))
    flipped = signs @ z / n
    left = 1 - n * (flipped**2).sum(axis=1) / max((z**2).sum(), FLAT)
    statistic: FloatArray = np.abs(flipped).max(axis=1) * np.sqrt((1 - 1 / n) / np.maximum(left, FLAT))
    return statistic


BASELINE: dict[str, Finds] = {
    **{test: partial(paired, test=test) for test in ("randomisation", "t", "bootstrap")},
    "many-to-one": against_first,
}
"""The tests against a baseline, all of them Kaiwa's."""
