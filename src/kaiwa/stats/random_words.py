"""Random numbers of the trials: 64-bit words by position, and several bounded draws from each word."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

WordArray = NDArray[np.uint64]
Words = TypeVar("Words", np.uint64, WordArray)

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
RETRY = np.uint64(0xD1B54A32D192ED03)
FRACTION_BITS = 48
MASK = np.uint64((1 << FRACTION_BITS) - 1)
MAX_RUNS = 1 << (64 - FRACTION_BITS)


@dataclass(frozen=True)
class Draws:
    """How one row of m scores is shuffled: several bounded draws come from each 64-bit word.

    Numbers below b1, b2, ... are drawn from one 48-bit fraction. The fraction is rejected if the remainder,
    fraction * b1 b2 ... mod 2^48, is below 2^48 mod b1 b2 ...; this makes every shuffle exactly equally
    likely (Brackett-Rozinsky & Lemire 2024).
    """

    per_word: int
    products: WordArray
    limits: WordArray

    @classmethod
    def of(cls, runs: int) -> Draws:
        """As many draws per word as keep rejections under one in 65,536."""
        per_word = 1
        while per_word < runs - 1 and runs ** (per_word + 1) <= 1 << 32:
            per_word += 1
        products = [prod(range(max(top - per_word, 0) + 2, top + 2)) for top in range(runs - 1, 0, -per_word)]
        limits = [(1 << FRACTION_BITS) % product for product in products]
        return cls(per_word, np.array(products, dtype=np.uint64), np.array(limits, dtype=np.uint64))


def mixed(word: Words) -> Words:
    """SplitMix64's output function: every bit of the result depends on every bit of the state."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def trial_words(key: int, first: int, trials: int, words: int) -> WordArray:
    """The first random words of each trial, "trials x words"; trial t of a key always has the same ones.

    >>> bool((trial_words(7, 2, 1, 3)[0] == trial_words(7, 0, 5, 9)[2, :3]).all())
    True
    """
    steps = np.arange(1, words + 1, dtype=np.uint64) * GOLDEN
    return mixed(trial_states(key, first, trials)[:, None] + steps)


def trial_states(key: int, first: int, trials: int) -> WordArray:
    """Where the stream of random words of each trial starts: a hash of the key and the trial's number."""
    trial = np.arange(trials, dtype=np.uint64)
    return mixed(np.uint64(key) + (np.uint64(first + 1) + trial) * GOLDEN)


def fractions(state: WordArray, product: np.uint64, limit: np.uint64) -> WordArray:
    """A 48-bit fraction per trial, drawn again if the draws from it would not be equally likely."""
    fraction = mixed(state) >> np.uint64(64 - FRACTION_BITS)
    source = state
    while (rejected := (fraction * product) & MASK < limit).any():
        source = source + RETRY
        fraction[rejected] = (mixed(source) >> np.uint64(64 - FRACTION_BITS))[rejected]
    return fraction
