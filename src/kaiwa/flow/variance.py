"""Variances of one measure, pooled over the score files given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.compare.variance_components import Variance, pooled_variance
from kaiwa.errors import InputError
from kaiwa.formats.score_loading import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np


def variance_of_files(
    paths: Sequence[Path],
    *,
    measure: str | None = None,
    trials: int = 2_000,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> Variance:
    """V_E and V_E2 of one measure, with bootstrap limits over topics."""
    tables = matrices(paths, measure)
    try:
        return pooled_variance([table.values for table in tables], trials=trials, confidence=confidence, rng=rng)
    except InputError as fault:
        raise InputError(f"{', '.join(map(str, paths))}: {fault}") from None
