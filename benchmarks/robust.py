"""All pairs of runs compared: the robust test, which flips the signs of whole topics, against our shuffles among runs.

python -m benchmarks.robust [--rounds 5] > benchmarks/results/robust.md
"""

from __future__ import annotations

import argparse

from benchmarks.harness import Contestant, contest, machine, table
from benchmarks.hsd import SCORES, ours

ROBUST = """
p = robust_hsd(scores, trials={trials}, rng=np.random.default_rng(2)).p_values()
answer = int((p <= 0.05).sum()) // 2
"""


def robust(topics: int, runs: int, trials: int) -> Contestant:
    """The robust test; there is nothing to compile."""
    setup = SCORES.format(topics=topics, runs=runs) + "from kaiwa.comparison.allpairs import robust_hsd\n"
    return Contestant("kaiwa robust_hsd", setup, ROBUST.format(trials=trials))


def main() -> None:
    """Print every contest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"Made by: `python -m benchmarks.robust --rounds {rounds}`\n")
    print(f"Median of interleaved rounds, CPU time. {machine()}\n")
    print("## 44 runs x 100 topics, 5,000 trials\n")
    print(table(contest([robust(100, 44, 5_000), ours(100, 44, 5_000, warm=True)], rounds=rounds)), flush=True)
    print("## 129 runs x 250 topics, 100,000 trials\n")
    print(table(contest([robust(250, 129, 100_000)], rounds=rounds)))


if __name__ == "__main__":
    main()
