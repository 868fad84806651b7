"""Two promises of ``kaiwa design`` on data that could break them: looks at growing topics, and several pass rates.

``python -m benchmarks.calibration.looks FOLDER --out benchmarks/results/looks.md``, where FOLDER has the TREC matrices.
Looks: 30, 60 and 91 topics of runs without differences, tested by ``robust`` at the levels of ``kaiwa.design_rounds``,
and each time at .05. Pass rates: systems that pass or fail the designed number of prompts, tested by two-way ANOVA.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

import kaiwa
from benchmarks.calibration.audit_nulls import Draw, Matrices, changed, levels, real, symmetric
from benchmarks.calibration.real_runs import matrices as read_matrices
from kaiwa.comparison.allpairs import robust_hsd
from kaiwa.stats.anova import two_way_anova

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

LOOKS, RUNS, TRIALS = (30, 60, 91), 10, 4_999
NULLS: dict[str, Draw] = {
    "real runs": real,
    "real runs, the sign of each topic at random": symmetric,
    "real runs, one with three times the deviation": partial(changed, factor=3.0),
    "80% zeros, graded": partial(levels, below=(0.8, 0.8 + 0.2 / 3, 0.8 + 0.4 / 3)),
}
RATES = ((0.5, 0.1), (0.8, 0.1), (0.9, 0.08))
SYSTEMS = (3, 10)
CORRELATIONS = (0.0, 0.5)
MOST_RUNS = 40
"""Matrices with fewer runs are left out, as in the audit."""


def error_of_looks(draw: Draw, matrices: Matrices, draws: int, seed: int) -> tuple[float, float]:
    """How often some look finds a difference: at the designed levels, and at .05 each time."""
    plan = kaiwa.design_rounds(variance=0.06, systems=RUNS, min_diff=0.15, looks=LOOKS, test="robust")
    designed = [look.level for look in plan.looks]
    rng = np.random.default_rng(seed)
    found = np.zeros(2)
    for _ in range(draws):
        values = draw(matrices, rng, LOOKS[-1], RUNS)
        least = []
        for n in LOOKS:
            test = robust_hsd(values[:n], trials=TRIALS, rng=rng)
            least.append(float(test.p_of(np.array([np.ptp(values[:n].mean(axis=0))]))[0]))
        found += [any(p <= level for p, level in zip(least, designed, strict=True)), min(least) <= 0.05]
    at_designed, naive = found / draws
    return float(at_designed), float(naive)


def power_of_pass_rates(
    rate: float, min_diff: float, *, systems: int, correlation: float, draws: int, seed: int
) -> tuple[int, float]:
    """The designed number of prompts, and how often the test of the design finds that the systems differ.

    The worst and the best system differ by ``min_diff``, the others lie midway. Passes share a normal difficulty of the
    prompt, whose weight is found such that two verdicts have the correlation.
    """
    n = kaiwa.design_pass_rate(rate, min_diff=min_diff, systems=systems, correlation=correlation).n
    rates = np.full(systems, rate + min_diff / 2)
    rates[0], rates[-1] = rate, rate + min_diff
    rng = np.random.default_rng(seed)
    shared = _weight(rate + min_diff / 2, correlation)
    found = 0
    for _ in range(draws):
        latent = np.sqrt(shared) * rng.normal(size=(n, 1)) + np.sqrt(1 - shared) * rng.normal(size=(n, systems))
        passed = (latent < ndtri(rates)).astype(float)
        p = two_way_anova(passed).runs.p
        found += p is not None and p <= 0.05
    return n, found / draws


def _weight(rate: float, correlation: float) -> float:
    """The share of the difficulty with which two verdicts of this rate correlate so, by bisection on quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()

    def verdicts(share: float) -> float:
        passing: FloatArray = ndtr((ndtri(rate) - np.sqrt(share) * points) / np.sqrt(1 - share))
        return float((weights @ passing**2 - rate**2) / (rate * (1 - rate)))

    low, high = 0.0, 0.999
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if verdicts(middle) < correlation else (low, middle)
    return low if correlation else 0.0


def page(matrices: Matrices, draws: int) -> str:
    """The two tables."""
    rows = []
    for name, draw in NULLS.items():
        designed, naive = error_of_looks(draw, matrices, draws, seed=7)
        rows.append(f"| {name} | {designed:.3f} ± {_error(designed, draws):.3f} | {naive:.3f} |")
    rates = []
    for rate, min_diff in RATES:
        for systems in SYSTEMS:
            for correlation in CORRELATIONS:
                n, power = power_of_pass_rates(
                    rate, min_diff, systems=systems, correlation=correlation, draws=draws, seed=7
                )
                rates.append(
                    f"| {rate:g} | {rate + min_diff:g} | {systems} | {correlation:g} | {n:,} | "
                    f"{power:.3f} ± {_error(power, draws):.3f} |"
                )
    return "\n".join(
        [
            "# Looks at growing topics, and several pass rates",
            "",
            f"Made by `python -m benchmarks.calibration.looks FOLDER --draws {draws}`; ± is a standard error.",
            "",
            "## Error of three looks at 30, 60 and 91 topics, 10 runs without differences, by `robust`",
            "",
            f"Each test has {TRIALS:,} trials. Real runs are those of audit.md.",
            "",
            "| scores | at the levels of `kaiwa design rounds` (required: .05) | at .05 each time |",
            "|---|---|---|",
            *rows,
            "",
            "## Power of several pass rates at the designed number of prompts (required: .80)",
            "",
            "The worst and the best system have the rates below, the others lie midway; two-way ANOVA at .05.",
            "",
            "| worst | best | systems | correlation | prompts | power |",
            "|---|---|---|---|---|---|",
            *rates,
            "",
        ]
    )


def _error(share: float, draws: int) -> float:
    return float(np.sqrt(share * (1 - share) / draws))


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    wide = [one for one in read_matrices(given.folder).values() if one.shape[1] >= MOST_RUNS]
    text = page(wide, given.draws)
    if given.out:
        given.out.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
