"""The power of the next round at the two numbers of topics that scores give: plug-in and assured, on real runs.

    python -m benchmarks.calibration.next_round FOLDER > benchmarks/results/next_round.md

FOLDER has score matrices (CSV, topics x runs), in folders or not. A draw takes some topics and runs of a matrix for the
scores of this round and asks ``required_design``, which ``kaiwa design`` and the report share, for
the topics of the next one. The next round is drawn with replacement from all topics of the matrix: ten of its runs,
without their means, of which the best and the worst truly differ. The power is the share of rounds in which the robust
test of Kaiwa finds this pair.
"""

from __future__ import annotations

import argparse
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.progress import steps
from benchmarks.calibration.real_runs import matrices
from kaiwa.comparison.allpairs import robust_hsd
from kaiwa.errors import DesignError
from kaiwa.nouns.matrix import Matrix
from kaiwa.topicset.pilots import required_design
from kaiwa.topicset.requirement import Requirement
from kaiwa.topicset.tests import ROBUST

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

SEED = 31
ALPHA, POWER, SYSTEMS, MIN_DIFF = 0.05, 0.8, 10, 0.1
TRIALS = 199
FEWEST_RUNS = 40
PILOTS = ((5, 5), (10, 5), (25, 10), (40, 20))
"""The topics and runs of this round."""
ASKED = Requirement(1.0, None, POWER, MIN_DIFF, SYSTEMS, ALPHA, ROBUST)


def sizes_of(values: FloatArray, topics: int, runs: int, rng: np.random.Generator) -> tuple[int, int] | None:
    """The plug-in and the assured number of topics by a pilot drawn from the matrix; None if it does not vary."""
    rows = rng.choice(len(values), topics, replace=False)
    columns = rng.choice(values.shape[1], runs, replace=False)
    names = (tuple(map(str, range(size))) for size in (topics, runs))
    pilot = Matrix("score", *names, values[np.ix_(rows, columns)])
    try:
        found = required_design(pilot, ASKED)
    except (DesignError, ValueError):
        return None
    return found.plug_in_n or 0, found.n


def finds(errors: FloatArray, n: int, rng: np.random.Generator) -> bool:
    """Whether the robust test finds the best and the worst of ten runs with n topics; the others lie midway."""
    runs = rng.choice(errors.shape[1], SYSTEMS, replace=False)
    scores = errors[rng.integers(len(errors), size=n)][:, runs]
    scores = scores + np.array([MIN_DIFF / 2, *[0.0] * (SYSTEMS - 2), -MIN_DIFF / 2])
    return bool(robust_hsd(scores, trials=TRIALS, rng=rng).p_values()[0, -1] <= ALPHA)


def powers(values: FloatArray, topics: int, runs: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """For every pilot the sizes, and whether the next round found the pair with each: pilots x 4."""
    errors = (values - values.mean(axis=0)) * sqrt(len(values) / (len(values) - 1))
    found = []
    for _ in range(draws):
        sizes = sizes_of(values, topics, runs, rng)
        if sizes is not None:
            found.append([*sizes, *(finds(errors, n, rng) for n in sizes)])
    return np.array(found, dtype=np.float64)


def row(topics: int, runs: int, each: list[FloatArray]) -> str:
    """The line of one kind of pilot: mean power, its range over matrices, and the median numbers of topics."""
    means = np.array([one.mean(axis=0) for one in each])
    everything = np.concatenate(each)
    plug, sure = means.mean(axis=0)[2:].tolist()
    error = float(means[:, 2:].std(axis=0, ddof=1).max() / sqrt(len(means)))
    spans = [f"{low:.2f} to {high:.2f}" for low, high in np.quantile(means[:, 2:], [0.1, 0.9], axis=0).T.tolist()]
    plug_n, sure_n = np.median(everything, axis=0)[:2].tolist()
    cells = [f"{topics} x {runs}", len(everything), f"{plug:.3f}", spans[0], f"{sure:.3f}", spans[1], f"{error:.3f}"]
    return "| " + " | ".join(map(str, [*cells, f"{plug_n:.0f}", f"{sure_n:.0f}"])) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=20, help="Pilots of each matrix and size.")
    options = parser.parse_args()
    population = [values for values in matrices(options.folder).values() if values.shape[1] >= FEWEST_RUNS]
    rng = np.random.default_rng(SEED)
    rows = [
        row(topics, runs, [powers(values, topics, runs, options.draws, rng) for values in population])
        for topics, runs in steps("pilots", PILOTS)
    ]
    head = ["topics x runs", "pilots", "plug-in", "80% of matrices", "assured", "80% of matrices", "standard error"]
    head += ["plug-in n", "assured n"]
    print(f"""# The power of the next round: plug-in and assured numbers of topics

Made by `python -m benchmarks.calibration.next_round FOLDER --draws {options.draws}`. Seed {SEED}, alpha {ALPHA}, \
{SYSTEMS} runs,
best and worst differ by {MIN_DIFF}, the test `robust` with {TRIALS} trials; required power: {POWER:.2f}.

Real runs are {len(population)} TREC matrices, all that have at least {FEWEST_RUNS} runs. This round is a pilot of so \
many topics and runs of a
matrix; the next one has as many topics as the pilot asks for, drawn with replacement from the whole matrix, and ten
of its runs without their means. The power is that of finding best against worst; the other runs lie midway. `plug-in`
takes the pilot's variance for the true one, `assured` averages the power over what the pilot leaves uncertain. The
power is the mean over matrices, its standard error is from their spread; n is the median over pilots.

| {" | ".join(head)} |
|{"---|" * len(head)}""")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
