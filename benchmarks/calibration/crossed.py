"""Calibration of the crossed model: coverage and width of its intervals, and the probability of being better.

python -m benchmarks.calibration.crossed > benchmarks/results/calibration/crossed.md
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.calibration.progress import steps
from kaiwa.comparison.allpairs import tukey_hsd
from kaiwa.comparison.crossed import compare_crossed
from kaiwa.errors import InputError
from kaiwa.nouns.matrix import Observations

TOPIC, CELL, RESIDUAL = 0.2, 0.15, 0.15
"""Standard deviations of topics, of topic x run, and of single scores; without repeats the last two are one."""
LENIENCY, ASSESSOR_TOPIC = 0.2, 0.1
SPREADS = (0.02, 0.05, 0.15)
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class Design:
    """A collection to simulate: its size, missing cells, assessors, votes of an answer, repeats, and what is odd."""

    topics: int
    runs: int
    missing: float = 0.0
    assessors: int = 0
    votes: int = 1
    repeats: int = 1
    unfair: bool = False
    unequal: bool = False


def simulated(rng: np.random.Generator, design: Design, true: np.ndarray) -> Observations:
    """Normal scores of the design around the true run means."""
    shape = (design.topics, design.runs)
    spread = np.linspace(0.05, 0.25, design.runs) if design.unequal else np.full(design.runs, CELL)
    cells = true + rng.normal(0, TOPIC, (design.topics, 1)) + rng.normal(0, 1, shape) * spread
    lenient = np.sort(rng.normal(0, LENIENCY, max(design.assessors, 1))) * (design.assessors > 0)
    local = rng.normal(0, ASSESSOR_TOPIC, (len(lenient), design.topics)) * (design.assessors > 0)
    rows = []
    for topic, run in np.argwhere(rng.random(shape) >= design.missing).tolist():
        for repeat in range(design.repeats):
            answer = cells[topic, run] + (rng.normal(0, RESIDUAL) if design.repeats > 1 else 0.0)
            for assessor in _panel(rng, design, run):
                noise = rng.normal(0, RESIDUAL) if design.assessors else 0.0
                score = answer + lenient[assessor] + local[assessor, topic] + noise
                name = f"a{assessor}" if design.assessors else ""
                rows.append((f"t{topic}", f"r{run}", name, str(repeat), score))
    return Observations.from_rows("score", rows)


def _panel(rng: np.random.Generator, design: Design, run: int) -> list[int]:
    """The assessors of an answer; if unfair, the later runs have the more lenient ones more often."""
    if not design.assessors:
        return [0]
    tilt = np.arange(design.assessors) * (run / design.runs if design.unfair else 0.0)
    drawn: list[int] = rng.choice(
        design.assessors, design.votes, replace=False, p=np.exp(tilt) / np.exp(tilt).sum()
    ).tolist()
    return drawn


@dataclass(frozen=True)
class Outcome:
    """One trial of one method: whether all intervals hold, their mean width, the share of different pairs found."""

    holds: bool
    width: float
    found: float


def crossed_outcome(observed: Observations, true: dict[str, float]) -> Outcome:
    """All pairs by the crossed model."""
    pairs = compare_crossed(observed).pairs
    return Outcome(
        all(pair.low <= true[pair.a] - true[pair.b] <= pair.high for pair in pairs),
        float(np.mean([pair.high - pair.low for pair in pairs])),
        float(np.mean([pair.significant for pair in pairs if true[pair.a] != true[pair.b]] or [np.nan])),
    )


def dropped_outcome(observed: Observations, true: dict[str, float]) -> Outcome | None:
    """All pairs by Tukey's test on the topics that every run has, votes averaged; None with fewer than two topics."""
    shape = (len(observed.topics), len(observed.runs))
    place = observed.topic * shape[1] + observed.run
    counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(place, observed.values, minlength=shape[0] * shape[1]).reshape(shape)
    complete = counts.min(axis=1) > 0
    if complete.sum() < 2:
        return None
    values = sums[complete] / counts[complete]
    try:
        tests = tukey_hsd(values)
    except InputError:
        return None
    first, second = np.triu_indices(shape[1], 1)
    real = np.array([true[run] for run in observed.runs])
    means = values.mean(axis=0)
    off = (means[first] - means[second]) - (real[first] - real[second])
    reach = tests.critical_difference
    differs = real[first] != real[second]
    found = tests.p[first, second][differs] <= 0.05
    return Outcome(bool((np.abs(off) <= reach).all()), 2 * reach, float(found.mean()) if len(found) else np.nan)


def coverage_row(name: str, trials: int) -> str:
    """Coverage, width and power of both methods."""
    design, rng = DESIGNS[name], np.random.default_rng([16, list(DESIGNS).index(name)])
    ours, theirs = [], []
    true = 0.5 + 0.1 * (np.arange(design.runs) % 3)
    named = {f"r{run}": float(mean) for run, mean in enumerate(true)}
    for _ in range(trials):
        observed = simulated(rng, design, true)
        ours.append(crossed_outcome(observed, named))
        theirs.append(dropped_outcome(observed, named))
    kept = [one for one in theirs if one is not None]
    return f"| {name} | {_shares(ours)} | {_shares(kept)} | {len(theirs) - len(kept)} |"


def _shares(outcomes: list[Outcome]) -> str:
    if not outcomes:
        return "n/a | n/a | n/a"
    holds = float(np.mean([one.holds for one in outcomes]))
    error = (holds * (1 - holds) / len(outcomes)) ** 0.5
    width, found = (np.mean([getattr(one, name) for one in outcomes]) for name in ("width", "found"))
    return f"{holds:.3f} ± {error:.3f} | {width:.3f} | {found:.2f}"


def probability_rows(spread: float, trials: int) -> list[str]:
    """By stated probability: pairs, the mean stated, and the share of pairs in which that run is really better."""
    design, rng = Design(30, 10, missing=0.1), np.random.default_rng([16, round(1000 * spread)])
    stated, right = [], []
    for _ in range(trials):
        true = rng.normal(0.5, spread, design.runs)
        named = {f"r{run}": float(mean) for run, mean in enumerate(true)}
        for pair in compare_crossed(simulated(rng, design, true)).pairs:
            first = pair.probability >= 0.5
            stated.append(pair.probability if first else 1 - pair.probability)
            right.append((named[pair.a] > named[pair.b]) == first)
    chance, better = np.array(stated), np.array(right)
    rows = []
    for low, high in pairwise(BINS):
        inside = (chance >= low) & ((chance < high) | (high == 1.0))
        if inside.sum() >= 50:
            share = better[inside].mean()
            rows.append(
                f"| {spread:g} | {low:g} to {high:g} | {inside.sum():,} | {chance[inside].mean():.3f} | {share:.3f} |"
            )
    return rows


DESIGNS = {
    "50 topics, 20 runs, 10% missing": Design(50, 20, 0.1),
    "50 topics, 20 runs, complete": Design(50, 20),
    "20 topics, 5 runs, 10% missing": Design(20, 5, 0.1),
    "20 topics, 5 runs, 40% missing": Design(20, 5, 0.4),
    "5 topics, 3 runs, complete": Design(5, 3),
    "5 topics, 5 runs, 10% missing": Design(5, 5, 0.1),
    "30 topics, 5 runs, 10% missing, variances unequal": Design(30, 5, 0.1, unequal=True),
    "20 topics, 5 runs, 2 votes of 6 assessors": Design(20, 5, assessors=6, votes=2),
    "20 topics, 5 runs, 2 votes of 6 assessors, unfair": Design(20, 5, assessors=6, votes=2, unfair=True),
    "20 topics, 5 runs, 2 of 6 assessors, 2 repeats, 10% missing": Design(20, 5, 0.1, 6, 2, 2),
    "5 topics, 3 runs, 2 votes of 3 assessors": Design(5, 3, assessors=3, votes=2),
}


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--trials", type=int, default=100)
    options.add_argument("--workers", type=int, default=2)
    chosen = options.parse_args()
    trials = chosen.trials
    print("# Calibration of the crossed model\n")
    print(
        f"Made by `python -m benchmarks.calibration.crossed`: {trials} collections per row, "
        f"{trials // 2} with assessors."
    )
    print(
        f"Normal scores; standard deviations: topics {TOPIC}, topic x run {CELL}, single votes and repeats {RESIDUAL}, "
        f"leniency {LENIENCY},\nassessor x topic {ASSESSOR_TOPIC}. True means of the runs: .5, .6, .7, .5, .... "
        "*holds*: the share of collections in which every 95%\nsimultaneous interval contains its difference. *found*: "
        "the share of truly different pairs that are significant. Beside it,\nTukey's test on the topics that every "
        "run has, votes averaged (`--missing drop-topics`); *none*: collections with fewer\nthan two such topics, "
        "which are left out of its columns. *Unfair*: some runs have the more lenient assessors more often.\n"
        "*Variances unequal*: standard deviations of the runs from .05 to .25, which the model does not know.\n"
    )
    print("| | crossed: holds | width | found | drop-topics: holds | width | found | none |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    sizes = [trials // 2 if design.assessors else trials for design in DESIGNS.values()]
    with ProcessPoolExecutor(chosen.workers) as pool:
        rows = pool.map(coverage_row, DESIGNS, sizes)
        shares = pool.map(probability_rows, SPREADS, [trials // 2] * len(SPREADS))
        for _ in steps("collections", DESIGNS):
            print(next(rows), flush=True)
    print("\n## The probability that A is better than B\n")
    print(
        "10 runs whose true means are drawn from a normal distribution with standard deviation *spread*, 30 topics, "
        "10% missing.\nPairs by the stated probability of the run with the higher one; *right*: the share in which it "
        "is really better.\n"
    )
    print("| spread | stated | pairs | mean stated | right |\n|---:|---|---:|---:|---:|")
    print("\n".join(row for rows in shares for row in rows))


if __name__ == "__main__":
    main()
