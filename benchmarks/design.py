"""Topic set sizes: the 60 cells of Sakai (2015), Table 4, ours against statsmodels; then what only Kaiwa computes.

python -m benchmarks.design [--rounds 5]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys

from benchmarks.harness import Contestant, contest, machine, table

CELLS = """
cells = [(v, m, d) for v in (.0637, .0643, .1515) for d in (.05, .1, .15, .2) for m in (2, 5, 10, 50, 100)]
"""
OURS = Contestant(
    "kaiwa topics_needed",
    f"import numpy as np, scipy.special\nfrom kaiwa.topicset.sizes import topics_needed\n{CELLS}",
    """
    for _ in range(20):
        v, m, d = np.array(cells).T
        answer = topics_needed(systems=m, min_diff=d, variance=v).tolist()
    """,
)
STATSMODELS = Contestant(
    "statsmodels FTestAnovaPower.solve_power",
    f"import math\nfrom statsmodels.stats.power import FTestAnovaPower\n{CELLS}",
    """
    for _ in range(20):
        tool = FTestAnovaPower()
        answer = []
        for v, m, d in cells:
            f = math.sqrt(d * d / (2 * v) / m)
            total = tool.solve_power(effect_size=f, nobs=None, alpha=.05, power=.8, k_groups=m)
            answer.append(math.ceil(float(total) / m - 1e-9))
    """,
)
GRID = Contestant(
    "10,000 cells (100 systems x 100 differences)",
    "import numpy as np, scipy.special\nfrom kaiwa.topicset.sizes import topics_needed",
    """
    m, d = np.meshgrid(np.arange(2, 102), np.linspace(.02, .3, 100))
    answer = int(topics_needed(systems=m, min_diff=d, variance=np.array(.06)).sum())
    """,
)
BOOTSTRAP = Contestant(
    "bootstrap limits on n, 2,000 draws of a 100 x 44 pilot",
    """
    import numpy as np, scipy.special
    from kaiwa.topicset.requirement import Requirement, completed
    from kaiwa.topicset.pilots import pilot_design
    from kaiwa.nouns.matrix import Matrix
    values = np.random.default_rng(1).random((100, 44))
    scores = Matrix("nG@1", tuple(map(str, range(100))), tuple(map(str, range(44))), values)
    asked = completed(Requirement(variance=1.0, systems=10, min_diff=.1))
    """,
    "answer = pilot_design([scores], asked, draws=2000, rng=np.random.default_rng(1)).raw.low",
)


def command_seconds() -> float:
    """CPU seconds of one cell through the command, start-up included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["design", "--variance", "0.0643", "--systems", "10", "--min-diff", "0.15", "--json"]
    subprocess.run([sys.executable, "-m", "kaiwa.cli", *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run the contests and print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    versus = contest([OURS, STATSMODELS], rounds=rounds)
    alone = [contest([one], rounds=rounds)[0] for one in (GRID, BOOTSTRAP)]
    start = statistics.median(command_seconds() for _ in range(rounds))
    same = versus[0].answer == versus[1].answer
    print(f"Made by: `python -m benchmarks.design --rounds {rounds}`\n")
    print(f"Median of {rounds} interleaved rounds. {machine()}\n\n## The 60-cell table, computed 20 times\n")
    print(f"{table(versus)}\nThe two give {'the same sizes in all 60 cells' if same else 'DIFFERENT sizes'}.\n")
    print(f"## Alone\n\n{table(alone)}")
    print(f"One cell through `kaiwa design --json`, start-up included: {start:.2f} CPU s.")


if __name__ == "__main__":
    main()
