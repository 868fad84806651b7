"""The effect of unanimity-aware gains on the ranking: the study of Sakai (EVIA 2017) on any runs.

Runs are scored by the raw sum of ratings (RawG) and by unanimity-aware gains (UG), both with the gmax of UG: the study
changes the gains and nothing else. The rankings are compared by Kendall's tau, and the pairs of runs by the randomised
Tukey HSD test.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.comparison import Comparison, compare_runs
from kaiwa.label.gain_schemes import SCHEMES
from kaiwa.measure.gain_scale import judge
from kaiwa.measure.scoring import Scored, score
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.ties import tied_means

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import IntArray
    from kaiwa.model.run import Run


@dataclass(frozen=True)
class Changed:
    """A pair of runs that differs significantly under one kind of gain only, with both p-values."""

    a: str
    b: str
    p_raw: float
    p_unanimity: float


@dataclass(frozen=True)
class UnanimityStudy:
    """One measure under RawG and UG: tau between the two rankings, both comparisons, and the pairs that changed."""

    measure: str
    tau: TauResult
    raw: Comparison
    unanimity: Comparison
    gained: tuple[Changed, ...]
    lost: tuple[Changed, ...]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Judged items and the number of their ratings at each level, judged rows x levels."""

    gains: Gains
    counts: IntArray


def unanimity_studies(
    runs: Sequence[Run],
    ratings: Ratings,
    measures: Sequence[str],
    *,
    p: float,
    seed: int,
    trials: int = 5000,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[UnanimityStudy]:
    """Each measure's study on the runs; both comparisons of a measure start from the same ``seed``."""
    raw, aware = (_scored(runs, ratings, scheme, measures, p) for scheme in ("sum", "unanimity"))
    studies = []
    for done, measure in enumerate(measures):
        on_progress(done, len(measures))
        one, two = (
            compare_runs(scored[measure], trials=trials, rng=np.random.default_rng(seed)) for scored in (raw, aware)
        )
        means = (tied_means(scored[measure].values) for scored in (raw, aware))
        studies.append(UnanimityStudy(measure, kendall_tau(*means), one, two, *_changes(one, two)))
    return studies


def _scored(runs: Sequence[Run], ratings: Ratings, scheme: str, measures: Sequence[str], p: float) -> Scored:
    values = np.arange(ratings.counts.shape[1], dtype=np.float64)
    most = int(ratings.counts.sum(axis=1).max())
    gains = SCHEMES[scheme].gain(ratings.counts, values, p)
    top = SCHEMES["unanimity"].top(float(values.max()), most, p)  # one gmax, so that equal gains give equal scores
    return score(runs, judge(replace(ratings.gains, gains=gains, top=top, how=scheme)), measures)


def _changes(raw: Comparison, aware: Comparison) -> tuple[tuple[Changed, ...], tuple[Changed, ...]]:
    """The pairs significant under unanimity-aware gains only, and under raw gains only."""
    before = {frozenset((pair.a, pair.b)): pair for pair in raw.pairs}
    both = [(before[frozenset((pair.a, pair.b))], pair) for pair in aware.pairs]
    changed = [
        (after.significant, Changed(after.a, after.b, was.p, after.p))
        for was, after in both
        if was.significant != after.significant
    ]
    return tuple(one for gained, one in changed if gained), tuple(one for gained, one in changed if not gained)
