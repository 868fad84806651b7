"""Topics drawn with replacement, and limits from what a statistic does on the draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.model import FloatArray

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


def bca_limits(drawn: FloatArray, *, observed: float, left_out: FloatArray, confidence: float) -> tuple[float, float]:
    """Bias-corrected and accelerated limits (Efron 1987): percentiles moved for the bias and skew of a statistic.

    ``left_out`` holds the statistic without each topic in turn.

    >>> drawn = np.random.default_rng(1).normal(size=4_000)
    >>> [round(limit, 1) for limit in bca_limits(drawn, observed=0.0, left_out=np.arange(5.0), confidence=0.95)]
    [-1.9, 2.0]
    """
    from scipy.special import ndtr, ndtri

    below = (np.count_nonzero(drawn < observed) + 0.5 * np.count_nonzero(drawn == observed)) / len(drawn)
    shift = float(ndtri(np.clip(below, 0.5 / len(drawn), 1 - 0.5 / len(drawn))))
    pull = left_out.mean() - left_out
    scale = float((pull**2).sum()) ** 1.5
    skew = float((pull**3).sum()) / (6 * scale) if scale else 0.0
    reach = np.array([-1.0, 1.0]) * float(ndtri((1 + confidence) / 2)) + shift
    levels = ndtr(shift + reach / np.maximum(1 - skew * reach, 1e-3))
    low, high = np.quantile(drawn, levels)
    return float(low), float(high)
