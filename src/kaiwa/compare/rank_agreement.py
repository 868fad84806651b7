"""How far two rankings of the same runs agree: tau, tau_ap, rank-biased overlap, and the overlap at the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.rank_overlap import rank_biased_overlap, symmetric_tau_ap, tau_ap, top_overlap
from kaiwa.errors import InputError
from kaiwa.model.direction import TOPICS_AND_RUNS, Axes, Direction, labelled, oriented
from kaiwa.model.shown import Shown
from kaiwa.stats.kendall import Interval, TauResult, Ties, kendall_tau

if TYPE_CHECKING:
    from kaiwa.model.scores import Scores

TOPS = (1, 3, 5, 10)


@dataclass(frozen=True)
class RankAgreement(Shown):
    """How far two rankings of the same runs, best first, agree, overall and at the top.

    ``left_out`` are the runs that only one side has; ``directions`` are those of the two sides.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("AP", ("1", "2"), ("A", "B", "C"), numpy.array([[0.5, 0.25, 0.0], [0.5, 0.25, 0.1]]))
    >>> kaiwa.tau(scores, scores).tau.tau
    1.0
    """

    a: str
    b: str
    runs: tuple[str, ...]
    tau: TauResult
    tau_ap: float
    tau_ap_symmetric: float
    rbo: float
    persistence: float
    overlap: dict[int, float]
    left_out: tuple[str, ...]
    directions: tuple[Direction, Direction] = ("higher", "higher")
    axes: Axes = TOPICS_AND_RUNS

    @property
    def labels(self) -> tuple[str, str]:
        """The names of the two sides for readers: ``ppl (lower is better)``."""
        return labelled(self.a, self.directions[0]), labelled(self.b, self.directions[1])


def rank_agreement(
    first: Scores,
    second: Scores,
    *,
    names: tuple[str, str] | None = None,
    ties: Ties = "tau-b",
    interval: Interval = "hwc",
    confidence: float = 0.95,
    trials: int = 2_000,
    persistence: float = 0.9,
    rng: np.random.Generator,
) -> RankAgreement:
    """The agreement of two rankings by mean score; ``names`` are the names of the two sides.

    Both rankings are from the best run to the worst, whether higher or lower scores are better. Runs that only one
    side has are left out and named.
    """
    means_a, means_b = first.means(), second.means()
    runs = tuple(run for run in first.runs if run in means_b)
    if not runs:
        run = first.axes.run
        raise InputError(f"the two rankings share no {run}; give scores of the same {run}s")
    x = oriented(np.array([means_a[run] for run in runs]), first.direction)
    y = oriented(np.array([means_b[run] for run in runs]), second.direction)
    return RankAgreement(
        *(names or (first.measure, second.measure)),
        runs,
        kendall_tau(x, y, ties=ties, interval=interval, confidence=confidence, trials=trials, rng=rng),
        tau_ap(x, y),
        symmetric_tau_ap(x, y),
        rank_biased_overlap(x, y, persistence=persistence),
        persistence,
        {k: top_overlap(x, y, k=k) for k in TOPS if k <= len(runs)},
        tuple(run for run in (*first.runs, *second.runs) if run not in means_a or run not in means_b),
        (first.direction, second.direction),
        first.axes,
    )
