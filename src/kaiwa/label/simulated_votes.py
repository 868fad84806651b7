"""Votes that could have been: ratings drawn for the relevant items of ordinary judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray


def simulated_counts(relevant: NDArray[np.bool_], *, assessors: int, top: int, rng: np.random.Generator) -> IntArray:
    """The ratings of each item by ``assessors`` people, items x levels (after Sakai, EVIA 2017).

    A relevant item's ratings are drawn evenly from 0..top, a worthless item's are all 0.

    >>> simulated_counts(np.array([True, False]), assessors=4, top=3, rng=np.random.default_rng(1)).sum(axis=1)
    array([4, 4])
    """
    ratings = rng.integers(0, top + 1, size=(len(relevant), assessors)) * relevant[:, None]
    cells = ratings + (top + 1) * np.arange(len(relevant))[:, None]
    return np.bincount(cells.ravel(), minlength=len(relevant) * (top + 1)).reshape(len(relevant), top + 1)


def simulated_levels(worth: FloatArray, *, assessors: int, rng: np.random.Generator) -> IntArray:
    """Levels 0, 1 and 2 (items x assessors) of people who see each item's worth dimly, some more strictly than others.

    Worth counts in its own standard deviations; noise and strictness are normal (0.8 and 0.3 of them). Without
    either, three items in five would be given 0 and one in eight 2.

    >>> simulated_levels(np.arange(10.0), assessors=3, rng=np.random.default_rng(1))[[0, -1]]
    array([[0, 0, 0],
           [2, 1, 1]])
    """
    shown = worth / (worth.std() or 1.0)
    strictness = rng.normal(0.0, 0.3, size=assessors)
    seen = shown[:, None] - strictness + rng.normal(0.0, 0.8, size=(len(worth), assessors))
    return np.digitize(seen, np.quantile(shown, (0.6, 0.88))).astype(np.int64)
