"""Calibration of the all-pairs tests on real runs: their variances and correlations, not those of a model.

    python -m benchmarks.calibration.real_runs FOLDER > benchmarks/results/calibration/real_runs.md

FOLDER has score matrices (CSV, topics x runs), in folders or not. Of each matrix the run means are removed; topics
drawn from it with replacement are then samples of a population in which no two runs differ. Any significant pair
is an error. The team case is one run 28 times with small noise, and two other runs. Power is from the same matrices
with their means.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

import kaiwa.stats.shuffle_kernel  # noqa: F401  the compiled shuffles
from benchmarks.calibration.progress import steps
from kaiwa.comparison.allpairs import RangeTest, randomised_hsd, robust_hsd
from kaiwa.nouns.ids import FloatArray
from kaiwa.stats.anova import two_way_anova
from kaiwa.stats.resampling import Scheme, resampled_means
from kaiwa.stats.studentised_range import critical_range

ALPHA = 0.05
TOPICS = (10, 25, 50, 100, 250)
MANY = 50
TEAM = 28
TEAM_NOISE = 0.05

Finds = Callable[[FloatArray, np.random.Generator, int], NDArray[np.bool_]]


def matrices(folder: Path) -> dict[str, FloatArray]:
    """Every matrix of the folder once, by file name; a column of topic names is left out."""
    found: dict[str, FloatArray] = {}
    for path in sorted(folder.rglob("*.csv")):
        head = path.read_text().split("\n", 1)[0].split(",")
        columns = range(head[0].strip('"') == "topic", len(head))
        values = np.loadtxt(path, delimiter=",", skiprows=1, usecols=columns, quotechar='"')
        if not any(values.shape == other.shape and np.allclose(values, other) for other in found.values()):
            found[path.stem] = values
    return found


def drawn(by_name: dict[str, FloatArray], number: int) -> dict[str, FloatArray]:
    """Some of the matrices, drawn at random: files that follow each other are measures of the same runs."""
    picks = np.random.default_rng(2).permutation(len(by_name))[:number]
    return {name: values for place, (name, values) in enumerate(by_name.items()) if place in picks}


def teams(by_name: dict[str, FloatArray]) -> Iterator[FloatArray]:
    """From each matrix a team's near-duplicates of the middle run and two other runs."""
    rng = np.random.default_rng(3)
    for values in by_name.values():
        order = values.mean(axis=0).argsort()
        low, middle, high = (values[:, [order[len(order) * place // 4]]] for place in (1, 2, 3))
        team = middle + rng.normal(0, TEAM_NOISE, (len(values), TEAM))
        yield np.hstack((team, low, high))


def differences(values: FloatArray) -> FloatArray:
    """The absolute difference of each pair of run means, runs x runs."""
    means = values.mean(axis=0)
    return np.abs(means[:, None] - means)


def shuffled(values: FloatArray, rng: np.random.Generator, trials: int) -> NDArray[np.bool_]:
    """Which pairs differ by the randomised HSD."""
    return differences(values) > randomised_hsd(values, trials=trials, rng=rng).critical_difference(ALPHA)


tabled = cache(critical_range)


def analytic(values: FloatArray, rng: np.random.Generator, trials: int) -> NDArray[np.bool_]:  # noqa: ARG001
    """Which pairs differ by Tukey's HSD."""
    topics, runs = values.shape
    error = np.sqrt(two_way_anova(values).v_e2 / topics)
    return differences(values) > tabled(ALPHA, runs, (topics - 1) * (runs - 1)) * error


def resampled(scheme: Scheme) -> Finds:
    """Which pairs differ by the range of the means of resampled topics."""

    def finds(values: FloatArray, rng: np.random.Generator, trials: int) -> NDArray[np.bool_]:
        blocks = resampled_means(values, trials=trials, key=int(rng.integers(1 << 63)), scheme=scheme)
        null = np.concatenate([np.ptp(block, axis=1) for block in blocks])
        return differences(values) > critical(null)

    return finds


def critical(null: FloatArray) -> float:
    """The value that a statistic must exceed."""
    return RangeTest(np.empty(0), np.sort(null), 0.0).critical_difference(ALPHA)


def moderated(values: FloatArray, rng: np.random.Generator, trials: int) -> NDArray[np.bool_]:
    """Which pairs differ by |d| / (s + median s) under signs, with s anew in each trial."""
    topics, runs = values.shape
    within = squares(values)
    errors = np.sqrt(within / (topics * (topics - 1)))
    typical = float(np.median(errors[np.triu_indices(runs, 1)]))
    blocks = resampled_means(values, trials=trials, key=int(rng.integers(1 << 63)))
    null = np.concatenate([largest_t(block, within, topics, typical) for block in blocks])
    return differences(values) > critical(null) * (errors + typical)


def squares(values: FloatArray) -> FloatArray:
    """The sum of squared residual differences of each pair, runs x runs."""
    centred = values - values.mean(axis=0)
    products = centred.T @ centred
    own = np.diag(products)
    return np.maximum(own[:, None] + own - 2 * products, 0.0)


@njit
def largest_t(means: FloatArray, within: FloatArray, topics: int, typical: float) -> FloatArray:
    """The largest moderated t of each trial; signs keep a pair's sum of squares, up to the factor of the residuals."""
    trials, runs = means.shape
    largest = np.zeros(trials)
    factor = topics / (topics - 1)
    for trial in range(trials):
        for a in range(runs):
            for b in range(a):
                diff = abs(means[trial, a] - means[trial, b])
                left = max(within[a, b] * factor - topics * diff * diff, 0.0)
                weight = np.sqrt(left / (topics * (topics - 1))) + typical
                if weight > 0 and diff > largest[trial] * weight:
                    largest[trial] = diff / weight
    return largest


def robust(values: FloatArray, rng: np.random.Generator, trials: int) -> NDArray[np.bool_]:
    """Which pairs differ by the robust test: signs, and the range over the residual standard deviation."""
    return differences(values) > robust_hsd(values, trials=trials, rng=rng).critical_difference(ALPHA)


def studentised_bootstrap(values: FloatArray, rng: np.random.Generator, trials: int) -> NDArray[np.bool_]:
    """The same with topics drawn with replacement; the squares of the topics are resampled beside the runs."""
    topics, _ = values.shape
    residuals = values - values.mean(axis=0)
    squares = ((residuals - residuals.mean(axis=1, keepdims=True)) ** 2).sum(axis=1, keepdims=True)
    columns = np.hstack((values, squares)) / np.sqrt(topics / (topics - 1))  # the engine scales them back
    blocks = resampled_means(columns, trials=trials, key=int(rng.integers(1 << 63)), scheme="bootstrap")
    both = np.concatenate(list(blocks))
    means = both[:, :-1] - both[:, :-1].mean(axis=1, keepdims=True)
    drawn = squares.mean() + both[:, -1] - (means**2).sum(axis=1)
    null = np.ptp(means, axis=1) / np.sqrt(np.maximum(drawn, 1e-24))
    return differences(values) > critical(null) * np.sqrt(squares.mean())


TESTS: dict[str, Finds] = {
    "hsd": shuffled,
    "tukey": analytic,
    "wild": resampled("wild"),
    "bootstrap": resampled("bootstrap"),
    "robust (studentised wild)": robust,
    "studentised bootstrap": studentised_bootstrap,
    "moderated max-t": moderated,
}


def shares(populations: list[FloatArray], finds: Finds, topics: int, samples: int, trials: int) -> FloatArray:
    """For each population the share of samples in which any pair differs, and the share of pairs that differ.

    Every sample has a seed of its own, so one test can be run without the others.
    """
    found = []
    for number, population in enumerate(populations):
        pairs = np.triu_indices(population.shape[1], 1)
        differ = []
        for sample in range(samples):
            rng = np.random.default_rng((number, topics, sample))
            values = population[rng.integers(len(population), size=topics)]
            differ.append(finds(values, rng, trials)[pairs])
        found.append((np.any(differ, axis=1).mean(), np.mean(differ)))
    return np.array(found)


def print_few(simulations: int, trials: int) -> None:
    """The error with few runs and few topics, where one pair has much weight: normal scores, equal and unequal."""
    print(f"\n## Familywise error, few runs, normal scores\n\n| | {' | '.join(TESTS)} |\n|{'---|' * (len(TESTS) + 1)}")
    for kind, largest in (("equal", 0.15), ("unequal", 0.4)):
        for topics in steps(f"few runs, {kind} variances", (6, 10, 20)):
            for runs in (2, 4, 8):
                spreads = np.geomspace(0.15 if kind == "equal" else 0.03, largest, runs)
                cells = [few_error(finds, topics, spreads, simulations, trials) for finds in TESTS.values()]
                print(f"| {kind} variances, {topics} topics, {runs} runs | {' | '.join(cells)} |", flush=True)


def few_error(finds: Finds, topics: int, spreads: FloatArray, simulations: int, trials: int) -> str:
    """How often any pair of runs with equal means differs; run by run the residual standard deviation is given."""
    hits = []
    for sample in range(simulations):
        rng = np.random.default_rng((topics, len(spreads), sample))
        values = rng.normal(0.4, 0.2, (topics, 1)) + rng.normal(0, 1, (topics, len(spreads))) * spreads
        hits.append(bool(finds(values, rng, trials).any()))
    return f"{np.mean(hits):.3f}"


def monte_carlo_error(samples: int) -> float:
    """The standard error of a share of .05 of so many samples."""
    return float(np.sqrt(ALPHA * (1 - ALPHA) / samples))


def spread(values: FloatArray) -> str:
    """The mean over matrices, the smallest and the largest."""
    return f"{np.mean(values):.3f} ({values.min():.2f} to {values.max():.2f})"


def print_rows(title: str, populations: list[FloatArray], place: int, simulations: int, trials: int) -> None:
    """A row per number of topics: each test's error (place 0) or share of pairs found (place 1) over the matrices."""
    print(f"\n## {title}\n\n| topics | {' | '.join(TESTS)} |\n|{'---|' * (len(TESTS) + 1)}", flush=True)
    for topics in steps(title, TOPICS):
        samples = max(1, simulations * MANY // max(topics, MANY))
        each = (shares(populations, finds, topics, samples, trials) for finds in TESTS.values())
        print(f"| {topics} | {' | '.join(spread(found[:, place]) for found in each)} |", flush=True)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--matrices", type=int, default=1000, help="how many matrices to draw (default: all)")
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--trials", type=int, default=199)
    options = parser.parse_args()
    found = drawn(matrices(options.folder), options.matrices)
    simulations, trials = options.simulations, options.trials
    centred = [values - values.mean(axis=0) for values in found.values()]
    team = [values - values.mean(axis=0) for values in teams(found)]
    runs = [values.shape[1] for values in found.values()]
    print("# Calibration of the all-pairs tests on real runs\n")
    print("Made by `python -m benchmarks.calibration.real_runs FOLDER`.")
    print(f"{len(found)} matrices of {min(runs)} to {max(runs)} runs: {', '.join(found)}.")
    print(
        f"Alpha {ALPHA}, {simulations} samples of up to {MANY} topics per matrix, fewer of more topics in proportion;"
    )
    print(f"{trials} trials per test. A cell is the mean over the matrices, with the smallest and the largest.")
    errors = [monte_carlo_error(len(found) * simulations * MANY // max(topics, MANY)) for topics in TOPICS]
    print(f"Monte-Carlo standard error of a mean of .05 with {', '.join(map(str, TOPICS))} topics:")
    print(f"{', '.join(f'{error:.4f}' for error in errors)}; with few runs {monte_carlo_error(3 * simulations):.3f}.")
    print_rows("Familywise error, real variances and correlations (should be .05)", centred, 0, simulations, trials)
    title = f"Familywise error, {TEAM} near-duplicate runs of one team and two others (should be .05)"
    print_rows(title, team, 0, simulations, trials)
    print_few(3 * simulations, trials)
    print_rows("Power: share of pairs found", list(found.values()), 1, simulations // 10, trials)


if __name__ == "__main__":
    main()
