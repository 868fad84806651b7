"""How far two rankings of the same runs agree: tau, tau_ap, rank-biased overlap, and the overlap at the top."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.rank_overlap import rank_biased_overlap, symmetric_tau_ap, tau_ap, top_overlap
from kaiwa.errors import InputError
from kaiwa.model.direction import TOPICS_AND_RUNS, Axes, Direction, labelled
from kaiwa.model.shown import Shown
from kaiwa.stats.kendall import TAU_BLOCK, Interval, TauResult, Ties, kendall_tau, listed_order, normal_quantile, tau_b
from kaiwa.stats.ties import tie_tolerance, tied_means, with_ties
from kaiwa.stats.topic_draws import drawn_counts, trial_key
from kaiwa.stats.topic_resampling import exact_multiples
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers, trial_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.model.ids import FloatArray
    from kaiwa.model.scores import Scores

TOPS = (1, 3, 5, 10)


@dataclass(frozen=True)
class RankAgreement(Shown):
    """How far two rankings of the same runs, best first, agree, overall and at the top.

    ``tau`` has its interval over runs. ``over_topics`` are the limits of the tau that as many other topics would give
    for the same runs; None if a side has one topic only. ``tau_ap`` takes the first side as the truth. ``rbo``,
    ``rbo_a`` and ``rbo_w`` differ only if runs tie. ``left_out`` are the runs that only one side has; ``directions``
    are those of the two sides.

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
    rbo_a: float
    rbo_w: float
    persistence: float
    overlap: dict[int, float]
    over_topics: tuple[float, float] | None
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
    workers: Workers = ONE_THREAD,
) -> RankAgreement:
    """The agreement of two rankings by mean score; ``names`` are the names of the two sides.

    Both rankings are from the best run to the worst, whether higher or lower scores are better. Runs that only one
    side has are left out and named.
    """
    others = set(second.runs)
    runs = tuple(run for run in first.runs if run in others)
    if not runs:
        run = first.axes.run
        raise InputError(f"the two rankings share no {run}; give scores of the same {run}s")
    shared = set(first.topics) == set(second.topics)
    place = {topic: row for row, topic in enumerate(second.topics)}
    second_rows = [place[topic] for topic in first.topics] if shared else list(place.values())
    sides = [first.oriented[:, _columns(first, runs)], second.oriented[second_rows][:, _columns(second, runs)]]
    x, y = map(tied_means, sides)
    tau = kendall_tau(
        x, y, ties=ties, interval=interval, confidence=confidence, trials=trials, rng=rng, workers=workers
    )
    return RankAgreement(
        *(names or (first.measure, second.measure)),
        runs,
        tau,
        tau_ap(x, y),
        symmetric_tau_ap(x, y),
        rank_biased_overlap(x, y, persistence=persistence),
        rank_biased_overlap(x, y, persistence=persistence, ties="a"),
        rank_biased_overlap(x, y, persistence=persistence, ties="w"),
        persistence,
        {k: top_overlap(x, y, k=k) for k in TOPS if k <= len(runs)},
        _over_topics(sides, tau, _topic_draws(sides, tau, shared=shared, rng=rng), trials=trials, workers=workers),
        tuple(run for run in (*first.runs, *second.runs) if run not in runs),
        (first.direction, second.direction),
        first.axes,
    )


def _columns(scores: Scores, runs: tuple[str, ...]) -> list[int]:
    place = {run: column for column, run in enumerate(scores.runs)}
    return [place[run] for run in runs]


def _over_topics(
    sides: Sequence[FloatArray],
    tau: TauResult,
    draws: Callable[[int, int], FloatArray],
    *,
    trials: int,
    workers: Workers,
) -> tuple[float, float] | None:
    """The limits of the tau from as many other topics, with topics drawn for both sides together if they share them.

    Measured rankings agree less than the true ones, and drawn ones still less. So the limits are for the tau of another
    set of topics, which has the same bias, and not for the tau of the true rankings (docs/decisions/077). The
    difference of two such taus has twice the variance of one.
    """
    fewest = min(map(len, sides))
    if fewest < 2:  # noqa: PLR2004  one topic does not vary
        return None
    drawn = np.concatenate(list(trial_blocks(draws, trials=trials, size=TAU_BLOCK, workers=workers)))
    taus = drawn[~np.isnan(drawn)]
    error = float(np.std(taus, ddof=1)) if len(taus) > 1 else 0.0
    reach = normal_quantile(tau.confidence) * sqrt(2 * fewest / (fewest - 1)) * error
    return tau.tau - reach, tau.tau + reach


def _topic_draws(
    sides: Sequence[FloatArray], tau: TauResult, *, shared: bool, rng: np.random.Generator
) -> Callable[[int, int], FloatArray]:
    """The taus of given trials; sides that share their topics also share the key, so that they draw the same ones."""
    first = trial_key(rng)
    keys = (first, first if shared else trial_key(rng))
    exact, tolerances = [exact_multiples(side) for side in sides], [tie_tolerance(side) for side in sides]
    return partial(_tau_block, sides=exact, tolerances=tolerances, keys=keys, ties=tau.ties)


def _tau_block(
    first: int, trials: int, *, sides: Sequence[FloatArray], tolerances: Sequence[float], keys: Sequence[int], ties: str
) -> FloatArray:
    """The tau of each draw of topics with replacement; NaN if all means of a side are equal."""
    means = [
        drawn_counts(key, first, trials, len(side)) @ side / len(side) for side, key in zip(sides, keys, strict=True)
    ]
    return np.array([_drawn_tau(pair, tolerances, ties) for pair in zip(*means, strict=True)])


def _drawn_tau(means: Sequence[FloatArray], tolerances: Sequence[float], ties: str) -> float:
    x, y = (with_ties(one, tolerance) for one, tolerance in zip(means, tolerances, strict=True))
    if not (np.ptp(x) and np.ptp(y)):
        return float("nan")
    return tau_b(listed_order(x), listed_order(y)) if ties == "listed" else tau_b(x, y)
