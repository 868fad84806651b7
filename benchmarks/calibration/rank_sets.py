"""Calibration of rank confidence sets, of verdicts within a margin, and of families of measures.

    python -m benchmarks.calibration.rank_sets FOLDER > benchmarks/results/calibration/rank_sets.md

FOLDER has score matrices (CSV, topics x runs), as for ``benchmarks.calibration.real_runs``. A matrix is a population of
topics: its means are removed and true means are added, so that ranks and differences are known; topics are drawn from
it with replacement. The measures of a family are matrices of the same runs and topics.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.calibration.compare import print_table, shown
from benchmarks.calibration.progress import steps
from benchmarks.calibration.real_runs import drawn, matrices, monte_carlo_error, spread, teams
from kaiwa.comparison.allpairs import robust_hsd
from kaiwa.comparison.baseline import compare_with_baseline
from kaiwa.comparison.family import compare_family
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.comparison.ranks import RankSets, rank_sets, sets_at
from kaiwa.nouns.ids import FloatArray
from kaiwa.nouns.matrix import Matrix

ALPHA = 0.05
TOPICS = (25, 50, 100)
TRIALS = 299
NORMAL = 240
ACCEPTED = {"not inferior", "equivalent", "better"}

Shares = dict[str, list[float]]
"""What was found in each sample, by the name of a column."""

Draw = Callable[[np.random.Generator, int], FloatArray]
"""Scores of so many topics, whose expectation is the true means."""


def normal(means: FloatArray, *, team: int = 0) -> Draw:
    """Topic difficulty sd .2, residual sd .15; the first ``team`` runs are one run with noise of sd .02."""

    def draw(rng: np.random.Generator, topics: int) -> FloatArray:
        residuals = rng.normal(0, 0.15, (topics, len(means)))
        residuals[:, :team] = residuals[:, :1] + rng.normal(0, 0.02, (topics, team))
        return rng.normal(0.4, 0.2, (topics, 1)) + means + residuals

    return draw


def population(values: FloatArray, means: FloatArray) -> Draw:
    """Topics of a real matrix, with other means."""
    centred = values - values.mean(axis=0) + means
    return lambda rng, topics: centred[rng.integers(len(centred), size=topics)]


def holds(found: RankSets, means: FloatArray) -> bool:
    """Whether every run's true rank lies in its set."""
    true = 1 + (means > means[:, None]).sum(axis=1)
    return bool(((found.low <= true) & (true <= found.high)).all())


def coverage(draw: Draw, means: FloatArray, topics: int, simulations: int, rng: np.random.Generator) -> Shares:
    """By sample: do all sets hold, their width over the number of runs, and the same of the runs that may be best."""
    found: Shares = {}
    for _ in range(simulations):
        values = draw(rng, topics)
        stepped = rank_sets(values, alpha=ALPHA, trials=TRIALS, rng=rng)
        plain = sets_at(values.mean(axis=0), robust_hsd(values, trials=TRIALS, rng=rng).critical_difference(ALPHA))
        for name, sets in (("", stepped), (", plain", plain)):
            found.setdefault(f"ranks hold{name}", []).append(holds(sets, means))
            found.setdefault(f"width{name}", []).append(float((sets.high - sets.low + 1).mean() / len(means)))
            best = bool(sets.may_be_best[means == means.max()].all())
            found.setdefault(f"best held{name}", []).append(best)
            found.setdefault(f"may be best{name}", []).append(float(sets.may_be_best.mean()))
    return found


def verdicts(draw: Draw, means: FloatArray, topics: int, simulations: int, rng: np.random.Generator) -> Shares:
    """By sample, at a margin that is the largest true difference: any wrong verdict, and the share of right ones.

    Wrong are "equivalent" for a pair that differs by the margin, and "not inferior", "equivalent" or "better" for a
    run that is worse than the baseline, the best run, by the margin.
    """
    margin, runs = float(np.ptp(means)), tuple(f"r{place}" for place in range(len(means)))
    true = dict(zip(runs, means.tolist(), strict=True))
    best = runs[int(means.argmax())]
    found: Shares = {}
    for _ in range(simulations):
        scores = Matrix("x", tuple(map(str, range(topics))), runs, draw(rng, topics))
        pairs = compare_runs(scores, test="robust", trials=TRIALS, rng=rng, margin=margin).pairs
        planned = compare_with_baseline(scores, best, test="t", trials=1, rng=rng, margin=margin).pairs
        said = {
            "equivalent": [(one.a, one.b, one.verdict == "equivalent") for one in pairs],
            "not inferior": [(one.a, one.b, one.verdict in ACCEPTED) for one in planned],
        }
        for name, each in said.items():
            apart = [accepted for a, b, accepted in each if true[a] != true[b]]
            equal = [accepted for a, b, accepted in each if true[a] == true[b]]
            found.setdefault(f"wrongly {name}", []).append(any(apart))
            found.setdefault(f"rightly {name}", []).append(float(np.mean(equal)) if equal else 0.0)
    return found


def families(measures: list[FloatArray], topics: int, simulations: int, rng: np.random.Generator) -> Shares:
    """By sample of runs that do not differ: does any pair differ under any measure, as one family and alone."""
    centred = [values - values.mean(axis=0) for values in measures]
    runs = tuple(map(str, range(measures[0].shape[1])))
    found: Shares = {"one family": [], "each measure alone": []}
    for _ in range(simulations):
        rows = rng.integers(len(centred[0]), size=topics)
        drawn_scores = [
            Matrix(f"m{place}", tuple(map(str, range(topics))), runs, values[rows])
            for place, values in enumerate(centred)
        ]
        together = compare_family(drawn_scores, trials=TRIALS, rng=rng).values()
        found["one family"].append(any(one.significant_pairs for one in together))
        cuts = [robust_hsd(one.values, trials=TRIALS, rng=rng).critical_difference(ALPHA) for one in drawn_scores]
        ranges = [float(np.ptp(one.values.mean(axis=0))) for one in drawn_scores]
        found["each measure alone"].append(any(reach > cut for reach, cut in zip(ranges, cuts, strict=True)))
    return found


def same_runs(by_name: dict[str, FloatArray]) -> dict[str, list[FloatArray]]:
    """The matrices of one collection, several measures of the same runs and topics."""
    made: dict[str, list[FloatArray]] = {}
    for name, values in by_name.items():
        made.setdefault(f"{name.rsplit('_', 1)[0]} {values.shape}", []).append(values)
    return {name: each for name, each in made.items() if len(each) > 1}


def over_matrices(each: list[Shares]) -> dict[str, str]:
    """The mean of each share over the matrices, with the smallest and the largest."""
    return {name: spread(np.array([np.mean(one[name]) for one in each])) for name in each[0]}


def shown_shares(found: Shares) -> dict[str, str]:
    """Each share with its standard error."""
    return {name: shown(values) for name, values in found.items()}


def half_above(values: FloatArray, margin: float) -> FloatArray:
    """True means of two levels."""
    return np.where(np.arange(values.shape[1]) % 2, margin, 0.0)


def print_rank_sets(real: list[FloatArray], team: list[FloatArray], simulations: int) -> None:
    """The tables of rank sets."""
    rng = np.random.default_rng(1)
    none, ladder, half = np.zeros(10), np.linspace(0, 0.3, 10), np.repeat([0.0, 0.1], 5)
    made = {
        "10 runs, equal": (normal(none), none),
        "10 runs, from 0 to .3": (normal(ladder), ladder),
        "10 runs, half .1 better": (normal(half), half),
        "8 near-duplicates and 2 others, equal": (normal(none, team=8), none),
        "8 near-duplicates and 2 others, half .1 better": (normal(half, team=8), half),
    }
    rows = {
        f"{name}, {topics} topics": shown_shares(coverage(draw, means, topics, NORMAL, rng))
        for name, (draw, means) in steps("rank sets, normal scores", made.items())
        for topics in (25, 50)
    }
    print_table("Rank sets, normal scores (both should hold at least .95)", rows)
    rows = {}
    for name, matrices_of, own in (("equal", real, 0), ("own means", real, 1), ("team, equal", team, 0)):
        for topics in steps(f"rank sets, real runs, {name}", TOPICS):
            each = [
                coverage(population(one, means), means, topics, simulations, rng)
                for one in matrices_of
                for means in [one.mean(axis=0) * own]
            ]
            rows[f"{name}, {topics} topics"] = over_matrices(each)
    print_table("Rank sets, real variances and correlations (both should hold at least .95)", rows)


def print_verdicts(real: list[FloatArray], simulations: int) -> None:
    """The tables of verdicts."""
    rng = np.random.default_rng(2)
    rows = {}
    for name, means in {
        "2 runs": np.array([0.15, 0.0]),
        "6 runs, one above": np.array([0.15, *[0.0] * 5]),
        "6 runs, half above": np.repeat([0.0, 0.15], 3),
    }.items():
        for topics in steps(f"verdicts, {name}", (25, 50)):
            found = verdicts(normal(means), means, topics, NORMAL, rng)
            rows[f"normal, {name}, {topics} topics"] = shown_shares(found)
    print_table("Verdicts at the margin, which is .15 (wrong ones should be at most .05)", rows)
    rows = {}
    for topics in steps("verdicts, real runs", TOPICS):
        levels = [(one, half_above(one, 0.1)) for one in real]
        each = [verdicts(population(one, means), means, topics, simulations // 3, rng) for one, means in levels]
        rows[f"half the runs above, {topics} topics"] = over_matrices(each)
    print_table("Verdicts at the margin, which is .1, real variances and correlations", rows)


def print_families(whole: dict[str, list[FloatArray]], simulations: int, *, most: int) -> None:
    """The table of families: those of the collections with the fewest runs."""
    rng = np.random.default_rng(3)
    by_name = dict(sorted(whole.items(), key=lambda one: one[1][0].shape[1])[:most])
    rows = {
        f"{len(by_name)} collections, {topics} topics": over_matrices(
            [families(each, topics, simulations, rng) for each in by_name.values()]
        )
        for topics in steps("families", TOPICS)
    }
    print_table("Any false difference under any measure (the family should be at most .05)", rows)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--matrices", type=int, default=5, help="how many matrices to draw")
    parser.add_argument("--simulations", type=int, default=45)
    options = parser.parse_args()
    whole = matrices(options.folder)
    chosen = drawn(whole, options.matrices)
    simulations = options.simulations
    print("# Calibration of rank sets, margins and families\n")
    print("Made by `python -m benchmarks.calibration.rank_sets FOLDER`.")
    print(f"{len(chosen)} matrices of real runs: {', '.join(chosen)}.")
    print(f"Alpha {ALPHA}, {TRIALS} trials, {simulations} samples per matrix (a third for verdicts),")
    print(f"{NORMAL:,} per row of normal scores. A share has its standard error, or the smallest and largest")
    print("of the matrices. The mean of a share of .05 or .95 over the matrices has a Monte-Carlo standard error of")
    errors = [monte_carlo_error(len(chosen) * many) for many in (simulations, simulations // 3)]
    print(f"{errors[0]:.3f} (verdicts {errors[1]:.3f}). Widths and runs that may be best are shares of the runs; plain")
    print("is one critical difference for all pairs, without steps. A right verdict is one on two equal runs; without")
    print("such a pair the share is 0.")
    print_rank_sets(list(chosen.values()), list(teams(chosen)), simulations)
    print_verdicts(list(chosen.values()), simulations)
    print_families(same_runs(whole), simulations, most=options.matrices)


if __name__ == "__main__":
    main()
