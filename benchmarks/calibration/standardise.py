"""std-AB's variance bound on real score matrices: V_E <= A^2 n(m-1)/(m(n-1)).

    python -m benchmarks.calibration.standardise MATRIX... > benchmarks/results/calibration/standardise.md

MATRIX are topics x runs CSV files, such as those of Urbano's TREC collections.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kaiwa.comparison.standardise import standardisation_factors, standardised, variance_bound
from kaiwa.formats.readers import read_scores
from kaiwa.stats.anova import within_run_variance


def main() -> None:
    """Print one row per matrix."""
    print("# V_E of std-AB scores against its bound\n\nMade by `python -m benchmarks.calibration.standardise *.csv`")
    print("on the topics x runs matrices published by J. Urbano (SIGIR 2019, SIGIR 2018, IRJ 2016; TREC data).\n")
    print("| matrix | topics | runs | V_E raw | V_E std-AB | bound | holds |\n|---|---:|---:|---:|---:|---:|---|")
    held = 0
    for path in map(Path, sys.argv[1:]):
        for raw in read_scores(path).matrices():
            topics, runs = raw.values.shape
            after = within_run_variance(standardised(raw, standardisation_factors(raw)).values)
            bound = variance_bound(topics, runs)
            held += after <= bound * (1 + 1e-12)
            cells = f"{within_run_variance(raw.values):.4f} | {after:.5f} | {bound:.5f}"
            name = f"{path.parent.name}/{path.stem}"
            print(f"| {name} | {topics} | {runs} | {cells} | {'yes' if after <= bound * (1 + 1e-12) else 'NO'} |")
    print(f"\nThe bound holds on {held} of {len(sys.argv) - 1} matrices.")


if __name__ == "__main__":
    main()
