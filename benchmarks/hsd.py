"""All pairs of runs compared: our randomised Tukey HSD against numpy's shuffles and the packaged Tukey tests.

python -m benchmarks.hsd [--rounds 5] [--peers-rounds 3] > benchmarks/results/hsd.md

scipy's and ranx's ``tukey`` are the unpaired one-way test, which needs no trials; ours shuffles 5,000
times. The result is the same: the p-value of every pair.
"""

from __future__ import annotations

import argparse

from benchmarks.harness import Contestant, contest, machine, table

SCORES = """
import numpy as np
chance = np.random.default_rng(1)
scores = chance.beta(1, 2, ({topics}, 1)) * 0.5 + chance.random(({topics}, {runs})) * 0.5
"""
OURS_SETUP = """
from kaiwa.comparison.allpairs import randomised_hsd
{warm}
"""
WARM = "import kaiwa.stats.shuffle_kernel\nrandomised_hsd(scores, trials={trials}, rng=chance)"
OURS = """
p = randomised_hsd(scores, trials={trials}, rng=np.random.default_rng(2)).p_values()
answer = int((p <= 0.05).sum()) // 2
"""
NUMPY = """
generator = np.random.default_rng(2)
ranges = np.empty({trials})
for trial in range({trials}):
    means = generator.permuted(scores, axis=1).mean(axis=0)
    ranges[trial] = means.max() - means.min()
observed = scores.mean(axis=0)
ranges.sort()
cuts = np.abs(observed[:, None] - observed) - 1e-12
p = ({trials} - np.searchsorted(ranges, cuts) + 1) / ({trials} + 1)
answer = int((p <= 0.05).sum()) // 2
"""
SCIPY = """
p = tukey_hsd(*scores.T).pvalue
answer = int((p <= 0.05).sum()) // 2
"""
RANX = """
found = tukey_hsd_test([str(run) for run in range({runs})], list(scores.T), 0.05)
answer = sum(pair["significant"] for pair in found) // 2
"""


def ours(topics: int, runs: int, trials: int, *, warm: bool, name: str = "kaiwa randomised_hsd") -> Contestant:
    """Our test; with ``warm``, the machine code is loaded before the timing."""
    size = {"topics": topics, "runs": runs, "trials": trials}
    setup = SCORES.format(**size) + OURS_SETUP.format(warm=WARM.format(**size) if warm else "")
    return Contestant(name, setup, OURS.format(**size))


def numpy_loop(topics: int, runs: int, trials: int) -> Contestant:
    """A straight loop over numpy's ``Generator.permuted``."""
    size = {"topics": topics, "runs": runs, "trials": trials}
    return Contestant("numpy Generator.permuted loop", SCORES.format(**size), NUMPY.format(**size))


def peers(topics: int, runs: int) -> list[Contestant]:
    """The packaged one-way tests."""
    setup = SCORES.format(topics=topics, runs=runs)
    return [
        Contestant("scipy.stats.tukey_hsd (one-way)", setup + "from scipy.stats import tukey_hsd\n", SCIPY),
        Contestant(
            "ranx tukey_hsd_test (one-way)",
            setup + "from ranx.statistical_tests.tukey_hsd_test import tukey_hsd_test\n",
            RANX.format(runs=runs),
        ),
    ]


def main() -> None:
    """Print every contest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers-rounds", type=int, default=3)
    parser.add_argument("--long-trials", type=int, default=100_000)
    options = parser.parse_args()
    rounds, long = options.rounds, options.long_trials
    print(f"Made by: `python -m benchmarks.hsd --rounds {rounds} --peers-rounds {options.peers_rounds}`\n")
    print(f"Median of interleaved rounds, CPU time. {machine()}\n")
    cold = ours(100, 44, 5_000, warm=False, name="kaiwa, first test of a process (numpy path)")
    print("## 44 runs x 100 topics, 5,000 trials\n")
    print(table(contest([ours(100, 44, 5_000, warm=True), cold, numpy_loop(100, 44, 5_000)], rounds=rounds)))
    print("## The same scores against the packaged tests\n")
    print(table(contest([ours(100, 44, 5_000, warm=True), *peers(100, 44)], rounds=options.peers_rounds)))
    print("## 3 runs x 20 topics, 5,000 trials (numpy path, nothing to compile)\n")
    print(table(contest([ours(20, 3, 5_000, warm=False), numpy_loop(20, 3, 5_000)], rounds=rounds)))
    for topics, runs in ((50, 129), (249, 110)):
        print(f"## {runs} runs x {topics} topics, {long:,} trials\n")
        print(table(contest([ours(topics, runs, long, warm=True)], rounds=1)))
    print("## Cost per cell (runs x topics x trials): linear\n\n| work | cells | ns per cell |\n|---|---:|---:|")
    for topics, runs, trials in ((100, 44, 5_000), (100, 44, 50_000), (100, 88, 5_000), (400, 44, 5_000)):
        spent = contest([ours(topics, runs, trials, warm=True)], rounds=rounds)[0].cpu
        cells = topics * runs * trials
        print(f"| {runs} runs x {topics} topics x {trials:,} | {cells:,} | {spent / cells * 1e9:.2f} |")


if __name__ == "__main__":
    main()
