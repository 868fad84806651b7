"""Calibration of the comparisons: familywise error, power and coverage by simulation.

    python -m benchmarks.calibration.compare > benchmarks/results/calibration/compare.md

Every number has its Monte-Carlo standard error. Scores are topics x runs with a difficulty per topic;
under "no difference" the scores of a topic are draws from one distribution.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from benchmarks.calibration.progress import steps
from kaiwa.comparison.allpairs import randomised_hsd, robust_hsd, robust_step_down, step_down_hsd
from kaiwa.comparison.baseline import PAIRED_TESTS, against_baseline
from kaiwa.comparison.variance import pooled_variance
from kaiwa.nouns.ids import FloatArray
from kaiwa.stats.anova import residual_variance, within_run_variance
from kaiwa.stats.studentised_range import critical_range

SIMULATIONS = 800
TRIALS = 999
ALPHA = 0.05
TOPICS, RUNS = 40, 6

Draw = Callable[[np.random.Generator, FloatArray], FloatArray]


def normal(rng: np.random.Generator, shift: FloatArray) -> FloatArray:
    """Topic difficulty sd .2, residual sd .15."""
    return rng.normal(0.4, 0.2, (TOPICS, 1)) + shift + rng.normal(0, 0.15, (TOPICS, len(shift)))


def three_valued(rng: np.random.Generator, shift: FloatArray) -> FloatArray:
    """nG@1 with gains 1 and 3: 0, 1/3 or 1, the probability of each by topic."""
    level = np.clip(rng.beta(1.0, 1.5, (TOPICS, 1)) + shift, 0, 1)
    relevant = rng.random((TOPICS, len(shift))) < level
    best = rng.random((TOPICS, len(shift))) < level
    return np.where(relevant, np.where(best, 1.0, 1 / 3), 0.0)


def skewed(rng: np.random.Generator, shift: FloatArray) -> FloatArray:
    """Many scores near 0 and a long tail: beta(.4, 2) scaled by topic, as AP on hard topics."""
    return rng.beta(0.4, 2.0, (TOPICS, len(shift))) * rng.uniform(0.3, 1.0, (TOPICS, 1)) + shift


def unequal(rng: np.random.Generator, shift: FloatArray) -> FloatArray:
    """Normal with equal means, but residual sd .05 to .25 across runs: against the assumption of every test."""
    spread = np.linspace(0.05, 0.25, len(shift))
    return rng.normal(0.4, 0.2, (TOPICS, 1)) + shift + rng.normal(0, 1, (TOPICS, len(shift))) * spread


SCORES: dict[str, Draw] = {"normal": normal, "three-valued (nG@1)": three_valued, "skewed": skewed}


def p_values(values: FloatArray, rng: np.random.Generator) -> dict[str, FloatArray]:
    """P of every pair under each all-pairs test, runs x runs; of Tukey's tests 0 or 1, significant or not."""
    stepped = step_down_hsd(values, trials=TRIALS, rng=rng)
    robust = robust_step_down(values, trials=TRIALS, rng=rng)
    return {
        "robust": robust.single_step.p_values(),
        "robust step-down": robust.p,
        "randomised HSD": stepped.single_step.p_values(),
        "step-down": stepped.p,
        "Tukey HSD, two-way": np.where(differences(values) > two_way_reach(values), 0.0, 1.0),
        "Tukey HSD, one-way": np.where(differences(values) > one_way_reach(values), 0.0, 1.0),
    }


def differences(values: FloatArray) -> FloatArray:
    """The absolute difference of each pair of run means, runs x runs."""
    means = values.mean(axis=0)
    return np.abs(means[:, None] - means)


def two_way_reach(values: FloatArray) -> float:
    """The critical difference of Tukey's HSD with the two-way residual variance."""
    topics, runs = values.shape
    return critical_range(ALPHA, runs, float((topics - 1) * (runs - 1))) * float(
        np.sqrt(residual_variance(values) / topics)
    )


def one_way_reach(values: FloatArray) -> float:
    """The critical difference of the unpaired Tukey HSD."""
    topics, runs = values.shape
    return critical_range(ALPHA, runs, float((topics - 1) * runs)) * float(
        np.sqrt(within_run_variance(values) / topics)
    )


def shown(hits: list[bool] | list[float]) -> str:
    """A share with its standard error."""
    share = float(np.mean(hits))
    error = float(np.std(hits) / np.sqrt(len(hits)))
    return f"{share:.3f} ± {error:.3f}"


def familywise(draw: Draw, shift: FloatArray, rng: np.random.Generator) -> dict[str, str]:
    """How often any pair of runs with equal means is significant."""
    equal = np.equal.outer(shift, shift) & ~np.eye(len(shift), dtype=bool)
    hits: dict[str, list[bool]] = {}
    for _ in range(SIMULATIONS):
        for name, p in p_values(draw(rng, shift), rng).items():
            hits.setdefault(name, []).append(bool((p[equal] <= ALPHA).any()))
    return {name: shown(found) for name, found in hits.items()}


def power(draw: Draw, shift: FloatArray, rng: np.random.Generator) -> dict[str, str]:
    """The share of truly different pairs that is found."""
    different = np.triu(~np.equal.outer(shift, shift))
    hits: dict[str, list[float]] = {}
    for _ in range(SIMULATIONS // 4):
        for name, p in p_values(draw(rng, shift), rng).items():
            hits.setdefault(name, []).append(float((p[different] <= ALPHA).mean()))
    return {name: shown(found) for name, found in hits.items()}


def pair_coverage(draw: Draw, shift: FloatArray, rng: np.random.Generator) -> dict[str, str]:
    """How often all intervals of a family contain their true differences."""
    true = shift[:, None] - shift
    hits: dict[str, list[bool]] = {}
    for _ in range(SIMULATIONS):
        values = draw(rng, shift)
        off = np.abs(values.mean(axis=0)[:, None] - values.mean(axis=0) - true).max()
        reach = randomised_hsd(values, trials=TRIALS, rng=rng).critical_difference(ALPHA)
        hits.setdefault("all pairs, randomised HSD", []).append(bool(off <= reach))
        reach = robust_hsd(values, trials=TRIALS, rng=rng).critical_difference(ALPHA)
        hits.setdefault("all pairs, robust", []).append(bool(off <= reach))
        hits.setdefault("all pairs, Tukey two-way", []).append(bool(off <= two_way_reach(values)))
        planned = against_baseline(values, 0, test="t", trials=1, rng=rng)
        inside = (planned.low <= true[1:, 0]) & (true[1:, 0] <= planned.high)
        hits.setdefault("against a baseline, Bonferroni t", []).append(bool(inside.all()))
    return {name: shown(found) for name, found in hits.items()}


def planned_error(draw: Draw, rng: np.random.Generator) -> dict[str, str]:
    """How often any run differs significantly from a baseline of the same mean, after Holm's correction."""
    hits: dict[str, list[bool]] = {}
    for _ in range(SIMULATIONS):
        values = draw(rng, np.zeros(RUNS))
        for test in PAIRED_TESTS:
            holm = against_baseline(values, 0, test=test, trials=TRIALS, rng=rng).holm
            hits.setdefault(f"paired {test}", []).append(bool((holm <= ALPHA).any()))
    return {name: shown(found) for name, found in hits.items()}


def variance_coverage(draw: Draw, rng: np.random.Generator) -> dict[str, str]:
    """How often the bootstrap limits contain the variances of an unlimited number of topics."""
    shift = np.zeros(RUNS)
    many = np.concatenate([draw(rng, shift) for _ in range(5_000)])
    truth = pooled_variance([many], trials=2, rng=rng)
    hits: dict[str, list[bool]] = {"V_E": [], "V_E2": []}
    for _ in range(SIMULATIONS // 2):
        found = pooled_variance([draw(rng, shift)], trials=1_000, rng=rng)
        for name, limits, true in (("V_E", found.v_e_limits, truth.v_e), ("V_E2", found.v_e2_limits, truth.v_e2)):
            hits[name].append(bool(limits and true and limits[0] <= true <= limits[1]))
    return {name: shown(share) for name, share in hits.items()}


def print_table(title: str, rows: dict[str, dict[str, str]]) -> None:
    """One Markdown table."""
    names = list(next(iter(rows.values())))
    print(f"\n## {title}\n\n| | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for label, cells in rows.items():
        print(f"| {label} | {' | '.join(cells[name] for name in names)} |")
    sys.stdout.flush()


def main() -> None:
    """Print every table."""
    rng = np.random.default_rng(20161)
    none, half = np.zeros(RUNS), np.repeat([0.0, 0.1], RUNS // 2)
    print("# Calibration of the comparisons\n\nMade by `python -m benchmarks.calibration.compare`.")
    size = f"{TRIALS} trials per test, {SIMULATIONS:,} simulations per cell"
    print(f"{TOPICS} topics, {RUNS} runs, alpha {ALPHA}, {size}")
    fewer = f"{SIMULATIONS // 4:,} for power, {SIMULATIONS // 2:,} for variances"
    print(f"({fewer}); each share with its standard error.")
    ladder = np.linspace(0, 0.15, RUNS)
    families = {f"no difference, {name}": (draw, none) for name, draw in SCORES.items()}
    families["no difference, unequal variances"] = unequal, none
    families["half the runs .1 better, normal"] = normal, half
    print_table(
        "Familywise error (should be at most .05)",
        {name: familywise(*families[name], rng) for name in steps("familywise error", families)},
    )
    print_table(
        "Power: share of different pairs found, runs .03 apart",
        {name: power(SCORES[name], ladder, rng) for name in steps("power", SCORES)},
    )
    cases = {f"no difference, {name}": (draw, none) for name, draw in SCORES.items()}
    cases["runs .03 apart, normal"] = normal, ladder
    cases["runs .03 apart, skewed"] = skewed, ladder
    print_table(
        "Coverage of simultaneous 95% intervals (should be at least .95)",
        {name: pair_coverage(*cases[name], rng) for name in steps("coverage", cases)},
    )
    print_table(
        "Coverage of 95% limits of variances (should be .95)",
        {
            name: variance_coverage(SCORES[name], np.random.default_rng(20162))
            for name in steps("limits of variances", SCORES)
        },
    )
    draws = {**SCORES, "unequal variances": unequal}
    print_table(
        "Familywise error against a baseline, Holm-corrected, no difference (should be at most .05)",
        {name: planned_error(draws[name], np.random.default_rng(20163)) for name in steps("baseline", draws)},
    )


if __name__ == "__main__":
    main()
