"""The page of an experiment: what was run, and its tables in Markdown."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import kaiwa
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.training_set import MEASURES
from kaiwa.stats.resampling import percentile_limits, topic_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.ranking.rankings import Rankings
    from kaiwa.comparison.leaderboard import Leaderboard

RESULTS = Path(__file__).parent.parent / "results"
TRIALS = 10_000
ENCODED = "encoder-"
_DRAWS = 2_000
_SYSTEMS = 10
_MIN_DIFFS = (0.02, 0.05, 0.1)


def command() -> str:
    """The command as it was given, without the folders before file names."""
    arguments = [Path(one).name if "/" in one else one for one in sys.argv[1:]]
    return f"Command: `python -m benchmarks.ranking.{Path(sys.argv[0]).stem} {shlex.join(arguments)}`."


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def means_table(found: Rankings, names: Sequence[str], *, seed: int) -> str:
    """The means of the rankings, the first measure with a 95% interval (bootstrap over topics), best first."""
    rows = []
    for name in sorted(names, key=found.mean, reverse=True):
        low, high = interval(found.values[name][0], seed)
        means = [f"{found.mean(name, measure):.3f}" for measure in MEASURES]
        rows.append([name, means[0], f"{low:.3f} to {high:.3f}", *means[1:]])
    return table(["ranking", MEASURES[0], "95% interval", *MEASURES[1:]], rows)


def interval(values: np.ndarray, seed: int) -> tuple[float, float]:
    """The limits of a mean over topics."""
    rng = np.random.default_rng(seed)
    return percentile_limits(
        np.concatenate([block @ values / len(values) for block in topic_weights(rng, _DRAWS, len(values))]), 0.95
    )


def compared(found: Rankings, names: Sequence[str], *, seed: int) -> Leaderboard:
    """The robust all-pairs test over some rankings."""
    return compare_runs(found.scores(names).matrix(), test="robust", trials=TRIALS, rng=np.random.default_rng(seed))


def differences_table(comparison: Leaderboard, pairs: Iterable[tuple[str, str]]) -> str:
    """Named differences with the p of the all-pairs test."""
    known = {(pair.a, pair.b): (pair.diff, pair.p) for pair in comparison.pairs}
    known |= {(b, a): (-diff, p) for (a, b), (diff, p) in known.items()}
    rows = [[f"{a} minus {b}", f"{known[a, b][0]:+.3f}", f"{known[a, b][1]:.4f}"] for a, b in dict.fromkeys(pairs)]
    return table(["difference of nERR@10", "value", "p"], rows)


def variance_table(found: Rankings, names: Sequence[str], published: dict[str, float] | None = None) -> str:
    """V_E of each measure, and how many topics the next round needs for ten systems (one-way ANOVA, power .8)."""
    rows = []
    for measure in MEASURES:
        v_e = found.scores(names, measure).variance().v_e
        needed = [f"{kaiwa.design(variance=v_e, systems=_SYSTEMS, min_diff=least).n:,}" for least in _MIN_DIFFS]
        rows.append([measure, f"{v_e:.4f}", *([f"{published[measure]:.4f}"] if published else []), *needed])
    head = ["measure", "V_E", *(["published V_E"] if published else [])]
    return table([*head, *(f"topics for a difference of {least}" for least in _MIN_DIFFS)], rows)


def is_feature(name: str) -> bool:
    """Whether a ranking is that of one feature."""
    return name in FEATURES


def write(name: str, parts: Iterable[str]) -> None:
    """Write the page among the results, and print it."""
    text = "\n".join(part.strip("\n") + "\n" for part in parts)
    (RESULTS / f"ranking-{name}.md").write_text(text, encoding="utf-8")
    print(text)
