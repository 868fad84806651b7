"""All pairs of runs by the crossed model: adjusted means, simultaneous intervals, probabilities of being better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.components import missing_cells
from kaiwa.comparison.crossed_model import crossed_model
from kaiwa.comparison.ranks import best_first, group_letters, tied_ranks
from kaiwa.errors import InputError, counted
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Direction, Labelled, better_of, oriented
from kaiwa.stats.p_values import require_alpha
from kaiwa.stats.reml import ANSWER, TOPIC_RUN
from kaiwa.stats.studentised_range import critical_range, range_tail

if TYPE_CHECKING:
    from kaiwa.comparison.crossed_model import CrossedModel
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Observations


_FREEDOMS, _EQUAL, _NEAR = 5, 1 + 1e-6, 1.1
"""Degrees of freedom at which the studentised range is computed, between which it is interpolated; the ratios of the
largest to the smallest below which one and two are enough."""
_SPREADS = 200
"""Standard deviations of the true run means over which the probability of being better is averaged."""
_FEWEST_FOR_SPREAD = 3


@dataclass(frozen=True)
class CrossedPair:
    """One pair of runs: the adjusted difference a - b with its simultaneous interval.

    ``error`` is its standard error, ``df`` its degrees of freedom, ``probability`` that a is better than b.
    """

    a: str
    b: str
    diff: float
    low: float
    high: float
    p: float
    error: float
    df: float
    effect_size: float | None
    probability: float
    significant: bool
    better: str | None


@dataclass(frozen=True)
class AdjustedMean:
    """One run's line of the leaderboard: its adjusted mean, and the number of topics on which it has a score.

    Intervals of two runs that differ significantly do not overlap, except where their numbers of scores are unequal.
    """

    run: str
    mean: float
    low: float
    high: float
    rank: int
    groups: str
    topics: int


@dataclass(frozen=True)
class CrossedComparison(Labelled):
    """All pairs of runs under one measure, compared by the crossed model; prints as a leaderboard, best run first.

    >>> from kaiwa.nouns.matrix import Observations
    >>> rows = [(f"q{i}", run, "", "", i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
    >>> compare_crossed(Observations.from_rows("quality", rows[:-1]))
    CrossedComparison('quality', 9 topics, 2 runs, 17 scores, 1 of 1 pair significant)
    """

    measure: str
    alpha: float
    sizes: tuple[str, ...]
    topics: int
    scores: int
    missing: int
    pairs: tuple[CrossedPair, ...]
    standings: tuple[AdjustedMean, ...]
    terms: tuple[str, ...]
    identical: str = ""
    direction: Direction = "higher"
    axes: Axes = TOPICS_AND_RUNS

    def __repr__(self) -> str:
        found = f"{self.significant_pairs:,} of {counted(len(self.pairs), 'pair')} significant"
        return f"CrossedComparison({self.measure!r}, {', '.join(self.sizes)}, {found})"

    @property
    def ranks(self) -> dict[str, int]:
        """Each run's rank: 1 + the number of runs significantly better."""
        return {standing.run: standing.rank for standing in self.standings}

    @property
    def significant_pairs(self) -> int:
        """How many pairs differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    def probability(self, a: str, b: str) -> float:
        """The probability that run ``a`` is better than run ``b``.

        >>> import kaiwa
        >>> rows = [(f"q{i}", run, "", "", i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
        >>> result = kaiwa.Scores.from_rows(rows, "quality").compare(test="crossed")
        >>> round(result.probability("B", "A") + result.probability("A", "B"), 12)
        1.0
        """
        found = {(pair.a, pair.b): pair.probability for pair in self.pairs}
        if (a, b) in found:
            return found[a, b]
        if (b, a) in found:
            return 1 - found[b, a]
        raise InputError(f"{a!r} and {b!r} are not two of the {self.axes.run}s; see ranks for their names")


def compare_crossed(observed: Observations, *, alpha: float = 0.05) -> CrossedComparison:
    """All pairs by Tukey and Kramer's intervals on the model's adjusted means, with Satterthwaite's degrees of freedom.

    >>> from kaiwa.nouns.matrix import Observations
    >>> rows = [(f"q{i}", run, "", "", i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
    >>> compare_crossed(Observations.from_rows("quality", rows)).ranks
    {'B': 1, 'A': 2}
    """
    require_alpha(alpha)
    model = crossed_model(observed)
    tests = _Tests.of(model, alpha)
    return CrossedComparison(
        measure=observed.measure,
        alpha=alpha,
        sizes=tuple(observed.sizes()),
        topics=len(observed.topics),
        scores=len(observed.values),
        missing=missing_cells(observed),
        pairs=_pairs(model, tests, alpha),
        standings=_standings(model, tests, alpha),
        terms=tuple(model.fit.variances),
        identical=model.identical,
        direction=observed.direction,
        axes=observed.axes,
    )


@dataclass(frozen=True)
class _Tests:
    """Runs x runs: standard error, degrees of freedom, p, reach of the interval, probability that the row is better."""

    errors: FloatArray
    freedom: FloatArray
    p: FloatArray
    reach: FloatArray
    better: FloatArray

    @classmethod
    def of(cls, model: CrossedModel, alpha: float) -> _Tests:
        fit = model.fit
        errors, freedom = fit.differences()
        runs = len(fit.means)
        first, second = np.triu_indices(runs, 1)
        error, df = errors[first, second], freedom[first, second]
        diff = np.abs(fit.means[first] - fit.means[second])
        tails, critical = _range_tests(np.sqrt(2) * diff / error, runs, df, alpha)
        p, reach = np.ones((runs, runs)), np.zeros((runs, runs))
        p[first, second] = p[second, first] = tails
        reach[first, second] = reach[second, first] = critical * error / np.sqrt(2)
        goodness = oriented(fit.means, model.observed.direction)
        return cls(errors, freedom, p, reach, better_probability(goodness, fit.mean_covariance, freedom))


def _range_tests(q: FloatArray, runs: int, df: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """The tail of the studentised range at each q, and its critical value, each at its own degrees of freedom.

    Both are computed at a few degrees of freedom and interpolated in 1 / df, the tail on the log scale.
    """
    inverse = 1 / df
    ends = float(inverse.min()), float(inverse.max())
    apart = ends[1] / ends[0] if ends[0] else np.inf
    grid = np.linspace(*ends, 1 if apart < _EQUAL else 2 if apart < _NEAR else _FREEDOMS)
    tails = np.array([np.log(np.maximum(range_tail(q, runs, float(1 / one)), 1e-300)) for one in grid])
    critical = np.array([critical_range(alpha, runs, float(1 / one)) for one in grid])
    if len(grid) == 1:
        return np.exp(tails[0]), np.full(len(q), critical[0])
    place = np.clip(np.searchsorted(grid, inverse) - 1, 0, len(grid) - 2)
    share = (inverse - grid[place]) / (grid[place + 1] - grid[place])
    columns = np.arange(len(q))
    p = np.exp((1 - share) * tails[place, columns] + share * tails[place + 1, columns])
    return p, (1 - share) * critical[place] + share * critical[place + 1]


def better_probability(goodness: FloatArray, covariance: FloatArray, freedom: FloatArray) -> FloatArray:
    """The probability that the run of the row is better than that of the column, runs x runs.

    The true means are taken as draws from one normal distribution whose standard deviation is unknown, with a flat
    prior (Gelman 2006), so that estimates are drawn towards each other as far as their errors explain how they differ.
    Two runs do not determine that standard deviation: their difference has a flat prior itself.

    >>> chance = better_probability(np.array([0.5, 0.4, 0.3]), 0.01 * np.eye(3), np.full((3, 3), 30.0))
    >>> round(float(chance[0, 2] + chance[2, 0]), 12), bool(0.6 < chance[0, 2] < 0.92)
    (1.0, True)
    """
    from scipy.special import stdtr

    runs = len(goodness)
    basis = np.linalg.qr(np.eye(runs) - 1 / runs)[0][:, : runs - 1]
    noise, axes = np.linalg.eigh(basis.T @ covariance @ basis)
    noise, turned = np.maximum(noise, 1e-300), basis @ axes
    found = turned.T @ goodness
    if runs < _FEWEST_FOR_SPREAD:
        spreads, weights = np.array([np.inf]), np.ones(1)
    else:
        spreads = np.linspace(0, 10 * np.sqrt(np.mean(found**2)), _SPREADS + 1)[1:] ** 2
        logs = -0.5 * (np.log(spreads[:, None] + noise) + found**2 / (spreads[:, None] + noise)).sum(axis=1)
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
    chance = np.zeros((runs, runs))
    for spread, weight in zip(spreads.tolist(), weights.tolist(), strict=True):
        if weight < 1e-9:  # noqa: PLR2004  adds nothing
            continue
        kept = 1 / (1 + noise / spread)
        mean, cover = turned @ (kept * found), (turned * (kept * noise)) @ turned.T
        variance = np.diagonal(cover)[:, None] + np.diagonal(cover) - 2 * cover
        ratio = (mean[:, None] - mean) / np.sqrt(np.where(variance > 0, variance, np.inf))
        chance += weight * stdtr(freedom, ratio)
    np.fill_diagonal(chance, 0.5)
    return chance


def _pairs(model: CrossedModel, tests: _Tests, alpha: float) -> tuple[CrossedPair, ...]:
    fit, runs, direction = model.fit, model.observed.runs, model.observed.direction
    spread = fit.residual + fit.variances.get(TOPIC_RUN, 0.0) + fit.variances.get(ANSWER, 0.0)
    first, second = (places.tolist() for places in np.triu_indices(len(runs), 1))
    means = fit.means.tolist()
    return tuple(
        CrossedPair(
            a=runs[a],
            b=runs[b],
            diff=(diff := means[a] - means[b]),
            low=diff - float(tests.reach[a, b]),
            high=diff + float(tests.reach[a, b]),
            p=float(tests.p[a, b]),
            error=float(tests.errors[a, b]),
            df=float(tests.freedom[a, b]),
            effect_size=diff / spread**0.5 if spread else None,
            probability=float(tests.better[a, b]),
            significant=bool(tests.p[a, b] <= alpha),
            better=better_of(runs[a], runs[b], diff, direction),
        )
        for a, b in zip(first, second, strict=True)
    )


def _standings(model: CrossedModel, tests: _Tests, alpha: float) -> tuple[AdjustedMean, ...]:
    """The leaderboard; a run's interval reaches half as far as its differences do, in the median."""
    observed, means = model.observed, model.fit.means
    goodness, differs = oriented(means, observed.direction), tests.p <= alpha
    ranks, letters = tied_ranks(goodness, differs), group_letters(goodness, differs)
    others = ~np.eye(len(means), dtype=bool)
    cells = np.unique(observed.topic * len(means) + observed.run)
    answered = np.bincount(cells % len(means)).tolist()
    reach = [float(np.median(row[mask])) / 2 for row, mask in zip(tests.reach, others, strict=True)]
    return tuple(
        AdjustedMean(
            observed.runs[run],
            mean := float(means[run]),
            mean - reach[run],
            mean + reach[run],
            ranks[run],
            letters[run],
            answered[run],
        )
        for run in best_first(goodness).tolist()
    )
