"""Variances of one measure, pooled over the score files given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from kaiwa.compare.crossed_variance import CrossedVariance, crossed_variance
from kaiwa.compare.variance_components import Variance, pooled_variance
from kaiwa.compare.vote_variance import vote_variance
from kaiwa.errors import InputError
from kaiwa.formats.format import SCORES, VOTES
from kaiwa.formats.readers import format_of, read_votes
from kaiwa.formats.score_loading import load_observations, matrices
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.formats.score_loading import Directions
    from kaiwa.model.scores import Scores

T = TypeVar("T")


@dataclass(frozen=True)
class MeasuredVariance:
    """The variance, and the first of the matrices that it was measured on."""

    found: Variance
    scores: Scores


def variance_of_files(
    paths: Sequence[Path],
    *,
    measure: str | None = None,
    trials: int = 2_000,
    confidence: float = 0.95,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> MeasuredVariance:
    """V_E and V_E2 of one measure, with bootstrap limits over topics; ``remark`` gets each line on the files."""
    loaded = matrices(paths, measure, directions)
    for line in (line for one in loaded for line in one.remarks):
        remark(line)
    values = [one.scores.values for one in loaded]
    pooled = partial(pooled_variance, values, trials=trials, confidence=confidence, rng=rng, workers=workers)
    found = _placed(paths, pooled)
    return MeasuredVariance(found, loaded[0].scores)


def crossed_variance_of_files(
    paths: Sequence[Path],
    *,
    measure: str | None = None,
    confidence: float = 0.95,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> CrossedVariance:
    """The crossed model of one measure of the files, with assessors and repeats; or that of a file of votes."""
    if len(paths) == 1 and format_of(paths[0], SCORES, VOTES).noun is VOTES:
        return _placed(paths, partial(vote_variance, read_votes(paths[0]), confidence=confidence))
    loaded = load_observations(paths, measure=measure, directions=directions)
    for line in loaded.remarks:
        remark(line)
    return _placed(paths, partial(crossed_variance, loaded.observed, confidence=confidence))


def _placed(paths: Sequence[Path], work: Callable[[], T]) -> T:
    """What the work gives; its errors name the files."""
    try:
        return work()
    except InputError as fault:
        raise InputError(f"{', '.join(map(str, paths))}: {fault.marked}") from None
