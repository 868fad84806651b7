"""Calibration of the intervals of tau: over runs, and over topics.

python -m benchmarks.calibration.tau > benchmarks/results/calibration/tau.md
"""

from __future__ import annotations

from math import pi, sin, sqrt
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.compare import print_table, shown
from benchmarks.calibration.progress import steps
from kaiwa.comparison.tau import rank_agreement
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.kendall import Interval, kendall_tau

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

SIMULATIONS = 4_000
TOPIC_SIMULATIONS = 500
RUNS = (10, 25, 44)
INTERVALS: tuple[Interval, ...] = ("hwc", "null", "bootstrap")


def two_means(runs: int, true_tau: float, rng: np.random.Generator) -> FloatArray:
    """The true means of runs under two measures, normal, with this tau between them: 2 x runs."""
    correlation = sin(pi * true_tau / 2)
    x, noise = rng.normal(size=(2, runs))
    return np.stack((x, correlation * x + sqrt(1 - correlation**2) * noise))


def over_runs(runs: int, true_tau: float, rng: np.random.Generator) -> dict[str, str]:
    """How often each interval contains the tau of the population that the runs are drawn from."""
    hits: dict[str, list[bool]] = {}
    for simulation in range(SIMULATIONS):
        x, y = two_means(runs, true_tau, rng)
        for interval in INTERVALS[: 2 if simulation % 4 else 3]:
            found = kendall_tau(x, y, interval=interval, trials=200, rng=rng)
            hits.setdefault(interval, []).append(found.low <= true_tau <= found.high)
    return {name: shown(found) for name, found in hits.items()}


def over_topics(runs: int, topics: int, true_tau: float, rng: np.random.Generator) -> dict[str, str]:
    """How often the limits contain the tau of other topics, and that of the true means; the mean tau."""
    others, truths, taus = list[bool](), list[bool](), list[float]()
    for _ in range(TOPIC_SIMULATIONS):
        means = two_means(runs, true_tau, rng)
        first, second = (_scores(name, one) for name, one in zip("ab", _values(means, topics, rng), strict=True))
        found = rank_agreement(first, second, trials=100, rng=rng)
        other = kendall_tau(*_values(means, topics, rng).mean(axis=1)).tau
        low, high = found.topics_low or 0.0, found.topics_high or 0.0
        others.append(low - 1e-9 <= other <= high + 1e-9)
        truths.append(low - 1e-9 <= kendall_tau(*means).tau <= high + 1e-9)
        taus.append(found.tau)
    mean = f"{np.mean(taus):.3f}"
    return {"tau of other topics": shown(others), "tau of the true means": shown(truths), "mean tau": mean}


def _values(means: FloatArray, topics: int, rng: np.random.Generator) -> FloatArray:
    """Scores under two measures with residuals that correlate by .7: measures x topics x runs."""
    shared, own = rng.normal(0, 0.25, (2, 2, topics, means.shape[1]))
    return 0.1 * means[:, None] + sqrt(0.7) * shared[:1] + sqrt(0.3) * own


def _scores(name: str, values: FloatArray) -> Matrix:
    topics, runs = values.shape
    return Matrix(name, tuple(map(str, range(topics))), tuple(map(str, range(runs))), values)


def main() -> None:
    """Print the tables."""
    rng, apart = np.random.default_rng(20164), np.random.default_rng(20166)
    print("# Calibration of the intervals of tau\n\nMade by `python -m benchmarks.calibration.tau`.")
    size = f"{SIMULATIONS // 4:,} of the bootstrap, {TOPIC_SIMULATIONS:,} over topics"
    print(f"{SIMULATIONS:,} simulations per row over runs, {size}. Shares with their standard errors.")
    print_table(
        "95% intervals over runs: how often they contain the tau of the population of runs",
        {
            f"{runs} runs, tau {tau:g}": over_runs(runs, tau, rng)
            for runs in RUNS
            for tau in steps(f"{runs} runs", (0.0, 0.5, 0.8, 0.9))
        },
    )
    print_table(
        "95% limits over topics: how often they contain the tau from as many other topics, and that of the true means",
        {
            f"{runs} runs, {topics} topics, true tau {tau:g}": over_topics(runs, topics, tau, apart)
            for runs in RUNS
            for topics in (25, 100)
            for tau in steps(f"{runs} runs, {topics} topics", (0.5, 0.9))
        },
    )


if __name__ == "__main__":
    main()
