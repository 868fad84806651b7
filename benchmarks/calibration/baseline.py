"""Calibration of the comparisons with a baseline: error and simultaneous coverage of each paired test.

python -m benchmarks.calibration.baseline > benchmarks/results/calibration/baseline.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.compare import print_table, shown
from benchmarks.calibration.progress import steps
from kaiwa.comparison.baseline import PAIRED_TESTS, against_baseline
from kaiwa.stats.p_values import enough_trials

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

SIMULATIONS = 2_000
TOPICS, RUNS, ALPHA = 40, 6, 0.05
NOISE = {
    "normal": lambda rng, size: rng.normal(0, 0.15, size),
    "skewed": lambda rng, size: rng.exponential(0.15, size),
    "unequal variances": lambda rng, size: rng.normal(0, np.linspace(0.05, 0.25, size[1]), size),
}


def checked(noise: str, shift: FloatArray, topics: int, rng: np.random.Generator) -> dict[str, str]:
    """How often all intervals contain the true differences, and how often an equal run is found significant."""
    inside: dict[str, list[bool]] = {}
    wrong: dict[str, list[bool]] = {}
    trials = enough_trials(ALPHA, comparisons=RUNS - 1)
    for _ in range(SIMULATIONS):
        values = rng.normal(0.4, 0.2, (topics, 1)) + shift + NOISE[noise](rng, (topics, RUNS))
        for test in PAIRED_TESTS:
            found = against_baseline(values, 0, test=test, trials=trials, rng=rng)
            true = shift[1:] - shift[0]
            inside.setdefault(f"coverage, {test}", []).append(bool(((found.low <= true) & (true <= found.high)).all()))
            wrong.setdefault(f"error, {test}", []).append(bool((found.holm[true == 0] <= ALPHA).any()))
    return {name: shown(hits) for name, hits in {**inside, **wrong}.items()}


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(20165)
    none, ladder = np.zeros(RUNS), np.array([0.0, 0.0, 0.0, 0.05, 0.1, 0.15])
    print("# Calibration of the comparisons with a baseline\n\nMade by `python -m benchmarks.calibration.baseline`.")
    print(f"{RUNS - 1} runs against a baseline, alpha {ALPHA}, default trials, {SIMULATIONS:,} simulations per row.")
    print("Coverage: all intervals contain the true differences (should be at least .95).")
    print("Error: a run equal to the baseline is significant after Holm's correction (should be at most .05).")
    cases = {"no difference": none, "three runs .05, .1 and .15 better": ladder}
    print_table(
        "Paired tests",
        {
            f"{case}, {noise}, {topics} topics": checked(noise, shift, topics, rng)
            for case, shift in cases.items()
            for noise, topics in steps(case, (("normal", 40), ("skewed", 12), ("unequal variances", 40)))
        },
    )


if __name__ == "__main__":
    main()
