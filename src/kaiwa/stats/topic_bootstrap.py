"""Topics drawn with replacement, as weights, in blocks that fit in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.model.ids import FloatArray

BLOCK_CELLS = 2_000_000
"""Topic weights held at once: 16 MB."""


def topic_draws(rng: np.random.Generator, draws: int, topics: int) -> FloatArray:
    """How often each topic is drawn, "draws x topics".

    >>> topic_draws(np.random.default_rng(1), 2, 4).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    picks = rng.integers(topics, size=(draws, topics)) + topics * np.arange(draws)[:, None]
    return np.bincount(picks.ravel(), minlength=draws * topics).reshape(draws, topics).astype(np.float64)


def blocks(trials: int, topics: int) -> Iterator[int]:
    """Sizes that sum to the trials, each times the topics small enough to hold in memory.

    >>> list(blocks(2_500, 2_000))
    [1000, 1000, 500]
    """
    size = max(1, BLOCK_CELLS // topics)
    for start in range(0, trials, size):
        yield min(size, trials - start)
