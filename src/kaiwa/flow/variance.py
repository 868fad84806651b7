"""Variances of one measure, pooled over the score files given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.compare.variance_components import Variance, pooled_variance
from kaiwa.errors import InputError
from kaiwa.formats.score_loading import matrices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.formats.score_loading import Directions
    from kaiwa.model.scores import Scores


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
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> MeasuredVariance:
    """V_E and V_E2 of one measure, with bootstrap limits over topics; ``remark`` gets each line on the files."""
    loaded = matrices(paths, measure, directions)
    for line in (line for one in loaded for line in one.remarks):
        remark(line)
    values = [one.scores.values for one in loaded]
    try:
        found = pooled_variance(values, trials=trials, confidence=confidence, rng=rng)
    except InputError as fault:
        raise InputError(f"{', '.join(map(str, paths))}: {fault}") from None
    return MeasuredVariance(found, loaded[0].scores)
