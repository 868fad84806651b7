"""Scores of runs that do not differ: topics of real runs, and odd scores that could break a test.

Every function draws scores, topics x runs, from the matrices, a generator, and the number of topics and of runs; an odd
run comes first. The scores of a topic that are made share a normal difficulty: two runs have a correlation of .5
before their scores are cut into levels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from kaiwa.nouns.ids import FloatArray

SHARED = 0.5
TEAM = 8
TEAM_NOISE = 0.05
ZEROS = 0.8
ZEROS_GRADED = (ZEROS, ZEROS + (1 - ZEROS) / 3, ZEROS + 2 * (1 - ZEROS) / 3)
"""The share of scores below each level: 80% zeros, the others equally often 1/3, 2/3 and 1."""
ZEROS_MEAN = (1 - ZEROS) * 2 / 3
LOG_SPREAD, LOG_HEAVY = 0.8, 1.4
RARE, RARE_SPREAD = 0.05, 0.002

Matrices = list[FloatArray]
Draw = Callable[[Matrices, np.random.Generator, int, int], FloatArray]


def real(
    matrices: Matrices, rng: np.random.Generator, topics: int, runs: int, *, as_they_are: bool = False
) -> FloatArray:
    """Topics of runs that are drawn from a matrix; over all its topics the runs have the same mean."""
    values = matrices[rng.integers(len(matrices))]
    chosen = values[:, rng.permutation(values.shape[1])[:runs]]
    centred = chosen if as_they_are else chosen - chosen.mean(axis=0)
    drawn: FloatArray = centred[rng.integers(len(centred), size=topics)]
    return drawn


def symmetric(matrices: Matrices, rng: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """The same with a random sign of each topic's scores: no skew, and the covariance as it was."""
    signed: FloatArray = real(matrices, rng, topics, runs) * rng.choice((-1.0, 1.0), (topics, 1))
    return signed


def changed(
    matrices: Matrices,
    rng: np.random.Generator,
    topics: int,
    runs: int,
    *,
    first: int = 1,
    factor: float = 1.0,
    shift: float = 0.0,
) -> FloatArray:
    """Real scores; the deviations of the first runs from their mean are multiplied, and their means are shifted."""
    values = real(matrices, rng, topics, runs)
    values[:, :first] = values[:, :first] * factor + shift
    return values


def near_duplicates(matrices: Matrices, rng: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """Eight copies of a real run with small noise, and other runs."""
    values = real(matrices, rng, topics, runs)
    values[:, :TEAM] = values[:, :1] + rng.normal(0, TEAM_NOISE, (topics, TEAM))
    return values


def levels(
    _matrices: Matrices, rng: np.random.Generator, topics: int, runs: int, *, below: tuple[float, ...]
) -> FloatArray:
    """Scores of evenly spaced levels from 0 to 1; ``below`` are the shares of scores below each level but the first."""
    place = np.searchsorted(ndtri(np.array(below)), latent(rng, topics, runs))
    return place / len(below)


def constant_among_zeros(_matrices: Matrices, rng: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """Scores of which 80% are 0; the first run has their mean on every topic."""
    values = levels([], rng, topics, runs, below=ZEROS_GRADED)
    values[:, 0] = ZEROS_MEAN
    return values


def log_normal(
    _matrices: Matrices, rng: np.random.Generator, topics: int, runs: int, *, logarithms: bool = False
) -> FloatArray:
    """Log-normal scores with equal means, the first run with a heavier tail; or logarithms, with equal means."""
    spread = np.full(runs, LOG_SPREAD)
    spread[0] = LOG_HEAVY
    logs = latent(rng, topics, runs) * spread
    scores: FloatArray = logs if logarithms else np.exp(logs - spread**2 / 2)
    return scores


def rarely_right(_matrices: Matrices, rng: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """A run that is right on 5% of the topics; the others score .05 on each but for small noise."""
    values = rng.normal(RARE, RARE_SPREAD, (topics, runs))
    values[:, 0] = rng.random(topics) < RARE
    return values


def latent(rng: np.random.Generator, topics: int, runs: int) -> FloatArray:
    """Standard normal scores; those of a topic share its difficulty."""
    difficulty, own = rng.normal(size=(topics, 1)), rng.normal(size=(topics, runs))
    scores: FloatArray = np.sqrt(SHARED) * difficulty + np.sqrt(1 - SHARED) * own
    return scores
