"""Verdicts of equivalence and non-inferiority from p-values: ``python -m benchmarks.oracles.equivalence [FOLDER]``.

Kaiwa reads its verdicts from simultaneous intervals. Here they come from the tests themselves, in other libraries:
against a baseline two one-sided paired t-tests (``ttost_paired`` of statsmodels) at alpha / 2, divided by the
comparisons, and Holm's rule by ``multipletests``; for all pairs the studentised range of scipy, and sign flips of whole
topics written from the definition in docs/compare.md, one trial at a time. Without FOLDER the golden table of random
matrices is written; with the matrices of real runs in FOLDER (CSV, topics x runs) the verdicts that differ from Kaiwa's
are counted. Needs statsmodels, which is neither a runtime nor a test dependency.
"""

from __future__ import annotations

import sys
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.nouns.ids import FloatArray

GOLDEN = Path(__file__).parents[2] / "tests" / "golden" / "data" / "equivalence_verdicts.csv"
ALPHA = 0.05
TRIALS = 5_000
MATRICES = 40
MOST_RUNS = 24
"""Of a real matrix: more take scipy seconds each."""
WORDS = {"equivalent": "E", "not inferior": "N", "better": "B", "worse": "W", "undecided": "U"}


def random_matrix(number: int) -> tuple[FloatArray, float]:
    """A matrix of scores, topics x runs, with unequal variances and near-duplicate runs, and a margin."""
    rng = np.random.default_rng(number)
    topics, runs = int(rng.integers(8, 60)), int(rng.integers(2, 8))
    spread = rng.uniform(0.02, 0.2, runs)
    values = rng.uniform(0, 1, (topics, 1)) + rng.normal(0, 0.08, runs) + rng.normal(0, 1, (topics, runs)) * spread
    if runs > 2:
        values[:, -1] = values[:, 0] + rng.normal(0, 0.01, topics)
    return values, float(np.round(rng.uniform(0.02, 0.2), 3))


def residual_deviation(values: FloatArray) -> float:
    """The standard deviation of the residuals of topics + runs."""
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    topics, runs = values.shape
    return float(np.sqrt((rest**2).sum() / ((topics - 1) * (runs - 1))))


def baseline_verdicts(values: FloatArray, margin: float) -> str:
    """A letter for each run but the first, against the first."""
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.weightstats import ttost_paired

    base, others = values[:, 0], values[:, 1:].T
    level = ALPHA / 2 / len(others)
    tests = [ttost_paired(run, base, -margin, margin) for run in others]
    two_sided = [2 * min(_one_sided(run - base, "larger"), _one_sided(run - base, "smaller")) for run in others]
    rejected = multipletests(two_sided, alpha=ALPHA, method="holm")[0]
    letters = ""
    for run, (p_both, lower, _), significant in zip(others, tests, rejected, strict=True):
        inferior_p = lower[1]
        word = "not inferior" if inferior_p < level else "undecided"
        word = ("better" if run.mean() > base.mean() else "worse") if significant else word
        letters += WORDS["equivalent" if p_both < level else word]
    return letters


def _one_sided(differences: FloatArray, side: str) -> float:
    from statsmodels.stats.weightstats import DescrStatsW

    return float(DescrStatsW(differences).ttest_mean(0, alternative=side)[1])


def tukey_difference(values: FloatArray) -> float:
    """The critical difference of Tukey's test on matched topics, by scipy."""
    topics, runs = values.shape
    return critical_range(runs, (topics - 1) * (runs - 1)) * residual_deviation(values) / float(np.sqrt(topics))


@cache
def critical_range(runs: int, freedom: int) -> float:
    """The quantile of the studentised range."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - ALPHA, runs, freedom))


def flipped_difference(values: FloatArray, trials: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """The critical difference of the robust test and its limits, four standard errors of the quantile away."""
    topics = len(values)
    vectors = (values - values.mean(axis=0)) * np.sqrt(topics / (topics - 1))
    ranges = np.empty(trials)
    for trial in range(trials):
        flipped = vectors * rng.choice([-1.0, 1.0], (topics, 1))
        ranges[trial] = np.ptp(flipped.mean(axis=0)) / residual_deviation(flipped)
    reach = 4 * np.sqrt(ALPHA * (1 - ALPHA) * 2 / trials)
    shares = np.quantile(ranges, [1 - ALPHA, 1 - ALPHA - reach, min(1.0, 1 - ALPHA + reach)])
    middle, low, high = (shares * residual_deviation(values)).tolist()
    return middle, low, high


def pair_verdicts(values: FloatArray, margin: float, critical: float) -> str:
    """A letter for each pair of runs, in order: what |difference| and the critical difference say about a against b."""
    means, letters = values.mean(axis=0), ""
    for a in range(len(means)):
        for b in range(a + 1, len(means)):
            diff = means[a] - means[b]
            word = "undecided" if abs(diff) <= critical else "better" if diff > 0 else "worse"
            letters += WORDS["equivalent" if abs(diff) + critical < margin else word]
    return letters


def golden_rows() -> list[str]:
    """The verdicts on every random matrix."""
    rows = []
    for number in range(MATRICES):
        values, margin = random_matrix(number)
        tukey = tukey_difference(values)
        middle, low, high = flipped_difference(values, TRIALS, np.random.default_rng(1000 + number))
        found = [baseline_verdicts(values, margin), repr(tukey), pair_verdicts(values, margin, tukey)]
        rows.append(",".join([str(number), str(margin), *found, f"{middle!r},{low!r},{high!r}"]))
    return rows


def real_matrices(folder: Path) -> list[tuple[str, FloatArray]]:
    """The first runs of every matrix of real runs; a column of topics is left out."""
    found = []
    for path in sorted(folder.rglob("*.csv")):
        table = np.genfromtxt(path, delimiter=",", skip_header=1)
        found.append((path.stem, table[:, ~np.isnan(table).any(axis=0)]))
    return [(name, (table[:, 1:] if table.max() > 1 else table)[:, :MOST_RUNS]) for name, table in found]


def compared(values: FloatArray, margin: float) -> dict[str, tuple[int, int]]:
    """How many verdicts there are by each test, and how many differ from Kaiwa's."""
    from kaiwa.nouns.scores import Scores

    topics, runs = values.shape
    scores = Scores.from_matrix("x", tuple(map(str, range(topics))), tuple(f"r{run:04}" for run in range(runs)), values)
    ours = {
        "baseline": letters_of(scores.compare(baseline="r0000", test="t", margin=margin).pairs),
        "tukey": letters_of(scores.compare(test="tukey", margin=margin).pairs),
        "robust": letters_of(scores.compare(test="robust", trials=TRIALS, margin=margin).pairs),
    }
    _, low, high = flipped_difference(values, TRIALS // 10, np.random.default_rng(1))
    near, far = (pair_verdicts(values, margin, critical) for critical in (low, high))
    theirs = {
        "baseline": baseline_verdicts(values, margin),
        "tukey": pair_verdicts(values, margin, tukey_difference(values)),
        "robust": "".join(a if a == b else own for a, b, own in zip(near, far, ours["robust"], strict=True)),
    }
    return {
        test: (len(theirs[test]), sum(a != b for a, b in zip(ours[test], theirs[test], strict=True))) for test in ours
    }


def letters_of(pairs: Iterable[Any]) -> str:  # Any: pairs of either comparison
    """The verdicts of Kaiwa's pairs as letters, by the names of their runs."""
    return "".join(WORDS[pair.verdict] for pair in sorted(pairs, key=attrgetter("a", "b")))


def main(folder: Path | None) -> None:
    """Write the golden table, or compare on real matrices."""
    if folder is None:
        import scipy
        import statsmodels

        versions = f"statsmodels {statsmodels.__version__}, scipy {scipy.__version__}"
        head = f"# made by python -m benchmarks.oracles.equivalence: {versions}"
        columns = "matrix,margin,baseline,tukey_difference,tukey,robust_difference,robust_low,robust_high"
        GOLDEN.write_text("\n".join([head, columns, *golden_rows(), ""]), encoding="utf-8")
        return
    total: dict[str, tuple[int, int]] = {}
    for name, values in real_matrices(folder):
        for share in (0.5, 1.0):
            for test, (many, other) in compared(values, share * residual_deviation(values)).items():
                before = total.get(test, (0, 0))
                total[test] = (before[0] + many, before[1] + other)
        print(name, values.shape, total, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
