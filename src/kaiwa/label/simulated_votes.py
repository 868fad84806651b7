"""Simulated votes: from binary judgements, or from known gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray


def simulated_counts(relevant: NDArray[np.bool_], *, assessors: int, top: int, rng: np.random.Generator) -> IntArray:
    """The ratings of each item by ``assessors`` people, items x levels (after Sakai, EVIA 2017).

    The ratings of a relevant item are uniform on 0..top, those of any other item are 0.

    >>> simulated_counts(np.array([True, False]), assessors=4, top=3, rng=np.random.default_rng(1)).sum(axis=1)
    array([4, 4])
    """
    ratings = rng.integers(0, top + 1, size=(len(relevant), assessors)) * relevant[:, None]
    cells = ratings + (top + 1) * np.arange(len(relevant))[:, None]
    return np.bincount(cells.ravel(), minlength=len(relevant) * (top + 1)).reshape(len(relevant), top + 1)


def simulated_levels(gains: FloatArray, *, assessors: int, rng: np.random.Generator) -> IntArray:
    """Levels 0, 1 and 2 (items x assessors) from the gain of each item with noise, by assessors of unequal strictness.

    In standard deviations of the gains, noise and strictness are normal with standard deviations 0.8 and 0.3. Without
    them, three items in five would get level 0 and one in eight level 2.

    >>> simulated_levels(np.arange(10.0), assessors=3, rng=np.random.default_rng(1))[[0, -1]]
    array([[0, 0, 0],
           [2, 1, 1]])
    """
    scaled = gains / (gains.std() or 1.0)
    strictness = rng.normal(0.0, 0.3, size=assessors)
    seen = scaled[:, None] - strictness + rng.normal(0.0, 0.8, size=(len(gains), assessors))
    return np.digitize(seen, np.quantile(scaled, (0.6, 0.88))).astype(np.int64)
