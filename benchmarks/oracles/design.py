"""Golden numbers for the design part, printed by statsmodels and scipy.stats: ``python -m benchmarks.oracles.design``.

Writes three CSV files into the folder given (default tests/golden/data). Needs statsmodels, which is neither a
runtime nor a test dependency.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import scipy
import statsmodels
from scipy.stats import studentized_range
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower, TTestPower

VERSIONS = f"statsmodels {statsmodels.__version__}, scipy {scipy.__version__}"


def anova_rows() -> list[str]:
    """Power over a stress grid: total nobs = m n, f = sqrt(Delta / m)."""
    rows = []
    for alpha in (0.001, 0.05, 0.2):
        for m in (2, 3, 10, 50, 100, 300, 1000):
            for n in (2, 5, 30, 91, 1000, 10**5, 10**8):
                for reach in (0.4, 0.8, 1.1):
                    delta = reach * 10 * (m - 1) ** 0.4 / n
                    power = FTestAnovaPower().power(np.sqrt(delta / m), m * n, alpha, k_groups=m)
                    rows.append(f"{alpha},{m},{n},{float(delta)!r},{float(power)!r}")
    return rows


def t_rows() -> list[str]:
    """Smallest n of the paired and two-sample t-test."""
    rows = []
    for effect in (0.05, 0.1, 0.2, 0.5, 0.8, 1.2):
        for alpha in (0.01, 0.05):
            for power in (0.8, 0.95):
                for name, tool in (("paired-t", TTestPower()), ("two-sample-t", TTestIndPower())):
                    n = tool.solve_power(effect_size=effect, alpha=alpha, power=power, alternative="two-sided")
                    rows.append(f"{name},{effect},{alpha},{power},{int(np.ceil(np.ravel(n)[0]))}")
    return rows


def range_rows() -> list[str]:
    """Critical studentised ranges."""
    cells = [(a, m, d) for a in (0.01, 0.05) for m in (2, 3, 10, 100) for d in (2, 5, 20, 120, 5000)]
    return [f"{a},{m},{d},{float(studentized_range.ppf(1 - a, m, d))!r}" for a, m, d in cells]


def main(folder: Path) -> None:
    """Write the three tables with their provenance."""
    made = f"# made by python -m benchmarks.oracles.design: {VERSIONS}"
    tables = {
        "design_anova_power.csv": ("alpha,m,n,delta,power", anova_rows()),
        "design_t_sizes.csv": ("test,effect,alpha,power,n", t_rows()),
        "design_studentised_range.csv": ("alpha,m,df,q", range_rows()),
    }
    for name, (header, rows) in tables.items():
        (folder / name).write_text("\n".join([made, header, *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/data"))
