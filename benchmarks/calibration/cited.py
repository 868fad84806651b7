"""Figures of docs/compare.md and docs/design.md on real runs: tau over topics, std-AB designs, pass rates, rounds.

    python -m benchmarks.calibration.cited FOLDER > benchmarks/results/calibration/cited.md

FOLDER has score matrices (CSV, topics x runs), in folders or not; those of at least 40 runs are used. Ten minutes of
one core; ``--draws`` makes it shorter.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.calibration.audit_nulls import real, symmetric
from benchmarks.calibration.pilots import row
from benchmarks.calibration.progress import steps
from benchmarks.calibration.real_runs import matrices
from kaiwa.comparison.allpairs import robust_hsd
from kaiwa.comparison.standardise import standardisation_factors, standardised
from kaiwa.comparison.tau import rank_agreement
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.kendall import kendall_tau
from kaiwa.topicset.pass_rates import many_pass_rates_design
from kaiwa.topicset.pilots import required_design, worst_case
from kaiwa.topicset.requirement import Requirement
from kaiwa.topicset.rounds import rounds_of
from kaiwa.topicset.simulation import VERDICTS
from kaiwa.topicset.sizes import answer_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.nouns.ids import FloatArray

    Pair = tuple[FloatArray, FloatArray]

SEED = 20316
ALPHA, POWER, SYSTEMS, MIN_DIFF = 0.05, 0.8, 10, 0.1
FEWEST_RUNS = 40
TRIALS = 199
TAU_TRIALS = 200
TAU_RUNS, TAU_TOPICS = (10, 25), (10, 25, 50)
LOOKS, LOOK_TRIALS = (30, 60, 91), 4_999
"""The first level is .0006: fewer trials have no p that small."""
RATES = (
    (0.1, 0.1, 5, 0.0),
    (0.5, 0.1, 10, 0.3),
    (0.6, 0.05, 5, 0.5),
    (0.8, 0.1, 5, 0.4),
    (0.9, 0.08, 10, 0.0),
)
"""The worst pass rate, the difference, the systems, and the correlation of two systems' verdicts."""
ASKED = Requirement(1.0, None, POWER, MIN_DIFF, SYSTEMS, ALPHA, "robust")


def named(values: FloatArray, measure: str = "score") -> Matrix:
    """Scores as the functions take them."""
    topics, runs = (tuple(map(str, range(size))) for size in values.shape)
    return Matrix(measure, topics, runs, values)


def share(found: list[bool]) -> str:
    """A share with its standard error."""
    mean = float(np.mean(found))
    return f"{mean:.3f} ± {sqrt(mean * (1 - mean) / len(found)):.3f}"


# The limits of tau over topics.


def measure_pairs(by_name: dict[str, FloatArray]) -> list[Pair]:
    """Every two measures of the same runs and topics: files of one folder whose names begin alike."""
    collections: dict[tuple[str, tuple[int, ...]], list[FloatArray]] = {}
    for name, values in by_name.items():
        collections.setdefault((name.rpartition("_")[0], values.shape), []).append(values)
    return [pair for group in collections.values() for pair in combinations(group, 2)]


def tau_held(pairs: list[Pair], runs: int, topics: int, draws: int, *, shared: bool) -> tuple[str, str, str]:
    """How often the limits hold the tau of as many other topics, their mean width, and the mean tau.

    Two measures on the same topics, or one measure (the first of a pair) on two sets of topics.
    """
    rng = np.random.default_rng((SEED, runs, topics, int(shared)))
    held, widths, taus = list[bool](), list[float](), list[float]()
    while len(held) < draws:
        pair = pairs[rng.integers(len(pairs))]
        first, second = pair if shared else (pair[0], pair[0])
        columns = rng.permutation(first.shape[1])[:runs]
        mine, own, other, further = rng.integers(len(first), size=(4, topics))
        if shared:
            own, further = mine, other
        seen = [named(first[mine][:, columns]), named(second[own][:, columns])]
        next_means = first[other][:, columns].mean(axis=0), second[further][:, columns].mean(axis=0)
        if not shared:
            seen[1] = Matrix("score", tuple(f"other {place}" for place in range(topics)), seen[1].runs, seen[1].values)
        if not all(np.ptp(means) for means in (*next_means, *(one.values.mean(axis=0) for one in seen))):
            continue
        found = rank_agreement(*seen, trials=TAU_TRIALS, rng=rng)
        low, high = found.topics_low, found.topics_high
        if low is None or high is None:
            continue
        held.append(low - 1e-9 <= kendall_tau(*next_means).tau <= high + 1e-9)
        widths.append(high - low)
        taus.append(found.tau)
    return share(held), f"{np.mean(widths):.2f}", f"{np.mean(taus):.2f}"


def tau_rows(by_name: dict[str, FloatArray], draws: int) -> Iterator[str]:
    """Both kinds of rankings, with few and many runs and topics."""
    pairs = measure_pairs(by_name)
    for shared, what in ((True, "two measures, the same topics"), (False, "one measure, two sets of topics")):
        for runs in TAU_RUNS:
            for topics in steps(f"tau, {what}, {runs} runs", TAU_TOPICS):
                yield row(what, runs, topics, *tau_held(pairs, runs, topics, draws, shared=shared))


# Designs from std-AB scores.


def std_ab(values: FloatArray) -> FloatArray:
    """The std-AB scores of a matrix, by its own factors."""
    table = named(values)
    return standardised(table, standardisation_factors(table)).values


def apart(chosen: FloatArray, *, others: bool) -> FloatArray:
    """Runs of which the first and the last differ by .1 in std-AB units over all topics.

    The raw scores of these two are moved up and down until they do. The ``others`` keep their means, or have the same.
    """
    means = chosen.mean(axis=0)
    centre = float(means.mean())
    start = chosen - means + (means if others else centre)
    ends = np.zeros(chosen.shape[1])
    ends[0], ends[-1] = 0.5, -0.5
    start[:, [0, -1]] += centre - start[:, [0, -1]].mean(axis=0)
    low, high = 0.0, 4 * float(chosen.std())
    for _ in range(30):
        middle = (low + high) / 2
        found = std_ab(start + middle * ends).mean(axis=0)
        low, high = (middle, high) if found[0] - found[-1] < MIN_DIFF else (low, middle)
    return std_ab(start + high * ends)


def finds_pair(population: FloatArray, n: int, rng: np.random.Generator) -> bool:
    """Whether the robust test finds that the first and the last run differ, with n topics drawn from all."""
    drawn = population[rng.integers(len(population), size=n)]
    return bool(robust_hsd(drawn, trials=TRIALS, rng=rng).p_values()[0, -1] <= ALPHA)


def std_ab_rows(real_runs: list[FloatArray], draws: int) -> Iterator[str]:
    """Power at the n from a matrix's std-AB scores, and at that from their bound; means over matrices."""
    bound = worst_case(ASKED)
    if bound is None:
        raise RuntimeError("the bound gives no design")
    for others, what in ((True, "the others keep their means"), (False, "only one pair differs")):
        rng, powers, sizes = np.random.default_rng((SEED, int(others))), list[list[float]](), list[int]()
        for values in steps(f"std-AB, {what}", real_runs):
            n = required_design(named(std_ab(values)), ASKED).n
            sets = (values[:, rng.permutation(values.shape[1])[:SYSTEMS]] for _ in range(max(1, draws // 40)))
            found = [
                [finds_pair(population, size, rng) for size in (n, bound.n)]
                for population in (apart(one, others=others) for one in sets)
            ]
            powers.append(np.mean(found, axis=0).tolist())
            sizes.append(n)
        each = np.array(powers)
        cells = [f"{one.mean():.3f} ± {one.std(ddof=1) / sqrt(len(one)):.3f}" for one in each.T]
        spans = [f"{low:.2f} to {high:.2f}" for low, high in np.quantile(each, [0.1, 0.9], axis=0).T]
        yield row(what, len(each), int(np.median(sizes)), cells[0], spans[0], bound.n, cells[1], spans[1])


# Several pass rates.


def latent_correlation(rate: float, correlation: float) -> float:
    """The correlation of two normal scores whose signs of passing have this correlation, at one rate for both."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    cut, low, high = float(ndtri(rate)), 0.0, 0.999
    for _ in range(50):
        middle = (low + high) / 2
        passed = ndtr((cut + sqrt(middle) * nodes) / sqrt(1 - middle))
        both = float((weights * passed**2).sum() / weights.sum())
        found = (both - rate**2) / (rate * (1 - rate))
        low, high = (middle, high) if found < correlation else (low, middle)
    return low


def pass_rate_rows(draws: int) -> Iterator[str]:
    """Power of two-way ANOVA and of the robust test at the designed number of prompts; the other rates lie midway."""
    for worst, min_diff, systems, correlation in steps("pass rates", RATES):
        rng = np.random.default_rng((SEED, systems, round(100 * worst)))
        design = many_pass_rates_design(
            pass_rate=worst, min_diff=min_diff, systems=systems, correlation=correlation, alpha=ALPHA, power=POWER
        )
        rates = np.full(systems, worst + min_diff / 2)
        rates[0], rates[-1] = worst + min_diff, worst
        shared = latent_correlation(float(rates[1]), correlation)
        anova, robust = list[bool](), list[bool]()
        for _ in range(draws):
            difficulty, own = rng.normal(size=(design.n, 1)), rng.normal(size=(design.n, systems))
            passed = (sqrt(shared) * difficulty + sqrt(1 - shared) * own < ndtri(rates)).astype(float)
            anova.append(bool(VERDICTS["two-way"](passed[None], alpha=ALPHA)[0]))
            robust.append(bool(robust_hsd(passed, trials=TRIALS, rng=rng).p_values()[0, -1] <= ALPHA))
        yield row(worst, min_diff, systems, correlation, design.n, share(anova), share(robust))


# Topics in rounds.


def rounds_rows(real_runs: list[FloatArray], draws: int) -> Iterator[str]:
    """The error of all looks together on runs with equal means: at the plan's levels, and with every test at .05."""
    design = answer_to(variance=0.0643, systems=SYSTEMS, min_diff=0.15, n=LOOKS[-1], test="robust")
    plan = rounds_of(design, LOOKS, rng=np.random.default_rng(SEED))
    levels = np.array([look.level for look in plan.looks])
    for what, draw in (("real runs", real), ("the sign of each topic at random", symmetric)):
        rng = np.random.default_rng((SEED, len(what)))
        planned, naive = list[bool](), list[bool]()
        for _ in range(draws):
            values = draw(real_runs, rng, LOOKS[-1], SYSTEMS)
            smallest = np.array([robust_hsd(values[:n], trials=LOOK_TRIALS, rng=rng).p_values().min() for n in LOOKS])
            planned.append(bool((smallest <= levels).any()))
            naive.append(bool((smallest <= ALPHA).any()))
        yield row(what, share(planned), share(naive))


def table(title: str, text: str, head: str, rows: Iterator[str]) -> None:
    """Print a table."""
    columns = head.count("|") + 1
    print(f"\n## {title}\n\n{text}\n\n| {head} |\n|{'---|' * columns}", flush=True)
    for one in rows:
        print(one, flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=1_000)
    options = parser.parse_args()
    draws: int = options.draws
    by_name = {name: one for name, one in matrices(options.folder).items() if one.shape[1] >= FEWEST_RUNS}
    real_runs = list(by_name.values())
    print(f"""# Figures on real runs

Made by `python -m benchmarks.calibration.cited FOLDER --draws {draws}`. Seed {SEED}, alpha {ALPHA}.

Real runs are {len(real_runs)} TREC matrices, all that have at least {FEWEST_RUNS} runs. Topics are drawn with \
replacement, runs without.""")
    table(
        "95% limits of tau over topics",
        f"How often `topics_low` to `topics_high` hold the tau that as many other topics give for the same runs;\n"
        f"{draws:,} draws, {TAU_TRIALS} resamples each. A draw takes two measures of one collection, or one measure.",
        "rankings | runs | topics | held | mean width | mean tau",
        tau_rows(by_name, draws),
    )
    table(
        "Designs from std-AB scores",
        f"{SYSTEMS} runs of a matrix, of which two differ by {MIN_DIFF} in std-AB units; the power of finding these\n"
        f"two by `robust` ({TRIALS} trials; required: {POWER:.2f}). The pilot is the whole matrix. Means over\n"
        "matrices with their standard errors, and the middle 80% of the matrices.",
        "runs | matrices | n, median | power | range | n of the bound | power | range",
        std_ab_rows(real_runs, draws),
    )
    table(
        "Several pass rates",
        f"The power at the designed number of prompts (required: {POWER:.2f}), {draws:,} draws; the other rates lie "
        f"midway.\n`two-way` finds that the rates differ, `robust` that best and worst do.",
        "worst rate | minD | systems | correlation | prompts | two-way | robust",
        pass_rate_rows(draws),
    )
    table(
        f"Looks after {', '.join(map(str, LOOKS))} topics",
        f"The familywise error of all looks together by `robust` ({LOOK_TRIALS:,} trials), {SYSTEMS} runs with equal "
        f"means, {draws:,} draws:\nat the levels of `kaiwa design rounds`, and with every test at {ALPHA}.",
        "scores | at the levels | every test at .05",
        rounds_rows(real_runs, draws),
    )


if __name__ == "__main__":
    main()
