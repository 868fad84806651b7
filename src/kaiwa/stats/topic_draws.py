"""Topics drawn with replacement and random signs of topics, by key and trial.

Trial t of a key always has the same draws: they come from random words at fixed positions of a stream that starts at a
hash of (key, t). So the draws depend neither on the size of a block, nor on the workers that compute it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.random_words import trial_words

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray

WORD_BITS = 64
HALF_BITS = 32


def trial_key(rng: np.random.Generator) -> int:
    """The key of the trials of one test, bootstrap or simulation, drawn from the caller's generator."""
    return int(rng.integers(1 << 63))


def block_generator(key: int, first: int) -> np.random.Generator:
    """The generator of the block of trials that starts at ``first``: for draws that need one.

    The blocks must have the same sizes whoever computes them.

    >>> bool(block_generator(7, 500).random() == block_generator(7, 500).random())
    True
    """
    return np.random.default_rng([key, first])


def drawn_places(key: int, first: int, trials: int, topics: int) -> IntArray:
    """Which topics each trial draws with replacement, as many as there are, "trials x topics".

    Two draws come from each random word. A topic's chance is 1 in n up to n in 2^32.

    >>> bool((drawn_places(7, 2, 1, 3)[0] == drawn_places(7, 0, 5, 3)[2]).all())
    True
    """
    words = trial_words(key, first, trials, -(-topics // 2))
    halves = np.stack((words >> np.uint64(HALF_BITS), words & np.uint64((1 << HALF_BITS) - 1)), axis=2)
    picks = (halves.reshape(trials, -1)[:, :topics] * np.uint64(topics)) >> np.uint64(HALF_BITS)
    return picks.astype(np.int64)


def drawn_counts(key: int, first: int, trials: int, topics: int) -> FloatArray:
    """How often each trial draws each topic, "trials x topics".

    >>> drawn_counts(7, 0, 2, 4).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    places = drawn_places(key, first, trials, topics) + topics * np.arange(trials)[:, None]
    counts = np.bincount(places.ravel(), minlength=trials * topics).reshape(trials, topics)
    return counts.astype(np.float64)


def drawn_pluses(key: int, first: int, trials: int, topics: int) -> FloatArray:
    """1 for a topic with a plus and 0 for one with a minus, with equal chances, "trials x topics".

    >>> set(drawn_pluses(7, 0, 2, 4).ravel().tolist())
    {0.0, 1.0}
    """
    words = trial_words(key, first, trials, -(-topics // WORD_BITS))
    octets = words.astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, count=topics, bitorder="little").astype(np.float64)
