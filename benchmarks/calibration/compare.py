"""Calibration of the comparisons: familywise error, power and coverage by simulation.

    python -m benchmarks.calibration.compare > docs/calibration/compare.md

Every number has its Monte-Carlo standard error. Scores are topics x runs with a difficulty per topic;
under "no difference" the scores of a topic are draws from one distribution.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from kaiwa.compare.hsd import randomised_hsd
from kaiwa.compare.paired_tests import PAIRED_TESTS, against_baseline
from kaiwa.compare.stepdown import step_down_hsd
from kaiwa.compare.tukey import one_way_tukey_hsd, tukey_hsd
from kaiwa.compare.variance_components import pooled_variance
from kaiwa.model.ids import FloatArray
from kaiwa.stats.kendall import Interval, kendall_tau

SIMULATIONS = 2_000
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
    """P of every pair under each all-pairs test, runs x runs."""
    stepped = step_down_hsd(values, trials=TRIALS, rng=rng)
    return {
        "randomised HSD": stepped.single_step.p_values(),
        "step-down": stepped.p,
        "Tukey HSD, two-way": tukey_hsd(values).p,
        "Tukey HSD, one-way": one_way_tukey_hsd(values).p,
    }


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
        hits.setdefault("all pairs, Tukey two-way", []).append(bool(off <= tukey_hsd(values).critical_difference))
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


def tau_coverage(runs: int, true_tau: float, rng: np.random.Generator) -> dict[str, str]:
    """How often each interval contains the tau of the bivariate normal that the runs are drawn from."""
    correlation = np.sin(np.pi * true_tau / 2)
    hits: dict[str, list[bool]] = {}
    intervals: tuple[Interval, ...] = ("hwc", "null", "bootstrap")
    for _ in range(SIMULATIONS // 2):
        x, noise = rng.normal(size=(2, runs))
        y = correlation * x + np.sqrt(1 - correlation**2) * noise
        for interval in intervals:
            found = kendall_tau(x, y, interval=interval, trials=400, rng=rng)
            hits.setdefault(interval, []).append(found.low <= true_tau <= found.high)
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
    fewer = f"{SIMULATIONS // 4:,} for power, {SIMULATIONS // 2:,} for tau and variances"
    print(f"({fewer}); each share with its standard error.")
    families = {f"no difference, {name}": familywise(draw, none, rng) for name, draw in SCORES.items()}
    families["no difference, unequal variances"] = familywise(unequal, none, rng)
    families["half the runs .1 better, normal"] = familywise(normal, half, rng)
    print_table("Familywise error (should be at most .05)", families)
    ladder = np.linspace(0, 0.15, RUNS)
    print_table(
        "Power: share of different pairs found, runs .03 apart",
        {name: power(draw, ladder, rng) for name, draw in SCORES.items()},
    )
    cases = {f"no difference, {name}": pair_coverage(draw, none, rng) for name, draw in SCORES.items()}
    cases["runs .03 apart, normal"] = pair_coverage(normal, ladder, rng)
    cases["runs .03 apart, skewed"] = pair_coverage(skewed, ladder, rng)
    print_table("Coverage of simultaneous 95% intervals (should be at least .95)", cases)
    print_table(
        "Coverage of 95% intervals of tau (should be .95)",
        {f"{runs} runs, tau {tau:g}": tau_coverage(runs, tau, rng) for runs in (10, 25, 44) for tau in (0.0, 0.5, 0.8)},
    )
    print_table(
        "Coverage of 95% limits of variances (should be .95)",
        {name: variance_coverage(draw, np.random.default_rng(20162)) for name, draw in SCORES.items()},
    )
    draws = {**SCORES, "unequal variances": unequal}
    print_table(
        "Familywise error against a baseline, Holm-corrected, no difference (should be at most .05)",
        {name: planned_error(draw, np.random.default_rng(20163)) for name, draw in draws.items()},
    )


if __name__ == "__main__":
    main()
