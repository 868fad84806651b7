"""The topic bootstrap: how often each topic is drawn, in blocks that fit in memory, and percentile limits.

There are two ways to draw: ``topic_weights`` by key and trial, so that blocks can be computed anywhere, and
``topic_counts`` at once, for agreement and for decisions on sets of any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.topic_draws import drawn_counts, trial_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.model.ids import FloatArray, IntArray

BLOCK_CELLS = 2_000_000
"""Topic weights held at once: 16 MB."""


def topic_weights(rng: np.random.Generator, draws: int, topics: int) -> Iterator[FloatArray]:
    """How often each topic is drawn with replacement, as many times as there are topics, in blocks "draws x topics".

    >>> [block.sum(axis=1).tolist() for block in topic_weights(np.random.default_rng(1), 2, 4)]
    [[4.0, 4.0]]
    """
    key, first = trial_key(rng), 0
    for size in blocks(draws, topics):
        yield drawn_counts(key, first, size, topics)
        first += size


def topic_counts(rng: np.random.Generator, draws: int, topics: int, *, size: int) -> IntArray:
    """How often each topic is drawn when ``size`` are drawn with replacement, "draws x topics", all at once.

    >>> topic_counts(np.random.default_rng(1), 2, 4, size=9).sum(axis=1).tolist()
    [9, 9]
    """
    return rng.multinomial(size, np.full(topics, 1.0 / topics), size=draws)


def percentile_limits(resampled: FloatArray, confidence: float) -> tuple[float, float]:
    """The percentiles between which the middle ``confidence`` of the resampled values lie.

    >>> percentile_limits(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def blocks(trials: int, topics: int) -> Iterator[int]:
    """Block sizes that sum to the trials; each block of trials x topics fits in memory.

    >>> list(blocks(2_500, 2_000))
    [1000, 1000, 500]
    """
    size = block_size(topics)
    for start in range(0, trials, size):
        yield min(size, trials - start)


def block_size(topics: int) -> int:
    """How many trials of so many topics fit in memory as one block.

    >>> block_size(2_000)
    1000
    """
    return max(1, BLOCK_CELLS // topics)
