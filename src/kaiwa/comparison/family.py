"""One family over several measures: p-values and intervals that hold over all pairs of runs under all measures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.allpairs import (
    AllPairs,
    RangeTest,
    Settings,
    interaction_squares,
    least_p,
    require_trials,
    studentised,
)
from kaiwa.comparison.leaderboard import assembled, require_comparable, with_verdicts
from kaiwa.comparison.ranks import sets_at
from kaiwa.errors import InputError
from kaiwa.stats.anova import two_way_anova
from kaiwa.stats.p_values import tie_tolerance
from kaiwa.stats.resampling import ONE_THREAD, Workers, resampled_means, residual_vectors, trial_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kaiwa.comparison.leaderboard import Leaderboard
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.stats.p_values import PRule


def compare_family(
    scores: Iterable[Matrix],
    *,
    trials: int = 5_000,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    margin: float | None = None,
) -> dict[str, Leaderboard]:
    """The comparison under each measure; the familywise error is over all pairs and all measures together.

    Each measure is divided by its residual standard deviation. A trial flips the signs of the same topics for all
    measures and records the largest studentised range; a difference is compared with these after the same division.

    >>> from kaiwa.nouns.matrix import Matrix
    >>> values = np.random.default_rng(1).normal([0.9, 0.1], 0.2, (20, 2))
    >>> topics, runs = tuple(map(str, range(20))), ("A", "B")
    >>> found = compare_family(
    ...     [Matrix("nG@1", topics, runs, values), Matrix("loss", topics, runs, 9 - 50 * values)],
    ...     rng=np.random.default_rng(1),
    ... )
    >>> {measure: one.ranks for measure, one in found.items()}
    {'nG@1': {'A': 1, 'B': 2}, 'loss': {'A': 1, 'B': 2}}
    """
    aligned = _aligned(list(scores))
    settings = Settings(trials, alpha, rng, p_rule, workers=workers, progress=progress)
    for one in aligned:
        require_comparable(one, "robust", settings, margin)
    require_trials(trials)
    scales = [two_way_anova(one.values).v_e2 ** 0.5 for one in aligned]
    scaled = [one.values / (scale or np.inf) for one, scale in zip(aligned, scales, strict=True)]
    test = _largest_ranges(scaled, settings)
    names = tuple(one.measure for one in aligned)
    return {
        one.measure: replace(_under_one(one, scale, test, settings, margin), family=names)
        for one, scale in zip(aligned, scales, strict=True)
    }


def _largest_ranges(scaled: Sequence[FloatArray], settings: Settings) -> RangeTest:
    """The test whose statistic is the largest studentised range over the measures, each trial with the same signs."""
    topics, runs = scaled[0].shape
    side_by_side = np.hstack(scaled)
    squares = [interaction_squares(residual_vectors(one)) for one in scaled]
    blocks = resampled_means(
        side_by_side,
        trials=int(settings.trials),
        key=trial_key(settings.rng),
        workers=settings.workers,
        progress=settings.progress,
    )
    drawn = [
        np.max(
            [
                np.ptp(studentised(block[:, place * runs : (place + 1) * runs], own, topics), axis=1)
                for place, own in enumerate(squares)
            ],
            axis=0,
        )
        for block in blocks
    ]
    means, tolerance = side_by_side.mean(axis=0), tie_tolerance(side_by_side)
    return RangeTest(means, np.sort(np.concatenate(drawn)), tolerance, settings.p_rule, least_p(side_by_side))


def _under_one(scores: Matrix, scale: float, test: RangeTest, settings: Settings, margin: float | None) -> Leaderboard:
    means = scores.values.mean(axis=0)
    critical = test.critical_difference(settings.alpha)
    p = test.p_of(_standardised(np.abs(means[:, None] - means), scale, tie_tolerance(scores.values)))
    found = AllPairs(p, critical * scale, test.trials, float((test.ranges > critical + test.tolerance).mean()))
    beyond = critical * scale + tie_tolerance(scores.values)
    sets = sets_at(scores.oriented.mean(axis=0), beyond)
    compared = assembled(scores, "robust", settings, found, sets)
    return compared if margin is None else with_verdicts(compared, margin)


def _standardised(differences: FloatArray, scale: float, tolerance: float) -> FloatArray:
    """The differences over the residual standard deviation; without one, any difference is infinitely large."""
    if scale:
        return differences / scale
    return np.where(differences > tolerance, np.inf, 0.0)


def _aligned(scores: Sequence[Matrix]) -> list[Matrix]:
    """The scores with topics and runs in the order of the first."""
    if len(scores) < 2:  # noqa: PLR2004  a family has several measures
        raise InputError("a family needs at least two measures; give their names")
    first = scores[0]
    for one in scores[1:]:
        for noun, own, others in zip(first.axes, (one.topics, one.runs), (first.topics, first.runs), strict=True):
            if set(own) != set(others):
                odd = min(set(own) ^ set(others))
                raise InputError(
                    f"{one.measure} and {first.measure} have different {noun}s ({odd!r}); a family needs scores of the "
                    f"same {first.axes.topic}s and {first.axes.run}s"
                )
    return [first, *(_reordered(one, first) for one in scores[1:])]


def _reordered(scores: Matrix, like: Matrix) -> Matrix:
    rows, columns = map(scores.topics.index, like.topics), map(scores.runs.index, like.runs)
    values = scores.values[np.ix_(list(rows), list(columns))]
    return replace(scores, topics=like.topics, runs=like.runs, values=values)
