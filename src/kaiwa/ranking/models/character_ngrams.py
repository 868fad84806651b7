"""Character n-grams of texts, and the number of texts that have each: the statistics of a probabilistic model.

A text is the characters of its tokens. An n-gram of two or three characters is known by a number of twenty bits, so a
few share one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.retrieval.query import K1, B
from kaiwa.retrieval.query import bm25_inverse_document_frequency as inverse_document_frequency
from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens

    Unsigned = NDArray[np.uint32]


BITS = 20
_OTHERS = 16
_FREE = np.uint32(0xFFFFFFFF)
_SHIFT = np.uint64(32 - BITS)
_HALF = np.uint64(32)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads consecutive keys (Knuth 1973)


class CharacterNgrams(NamedTuple):
    """The characters of each word (``characters[starts[w]:starts[w + 1]]``), idf per n-gram, and the mean length."""

    starts: IntArray
    characters: NDArray[np.int32]
    rarity: FloatArray
    mean_length: FloatArray  # one number


class Slots(NamedTuple):
    """The number of the n-gram in each slot, and the place of its count. Unsigned: a signed place may be negative."""

    numbers: Unsigned
    places: Unsigned


def trained_character_ngrams(corpus: Corpus) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, counted on the posts and comments of a corpus."""
    words = [corpus.words.text_of(number) for number in range(len(corpus.words))]
    starts = np.cumsum([0, *map(len, words)], dtype=np.int64)
    characters = np.array([ord(one) for word in words for one in word], dtype=np.int32)
    containing, total, texts = np.zeros(1 << BITS, dtype=np.int64), 0, 0
    for side in (corpus.posts, corpus.comments):
        total += count_ngrams(*side, starts, characters, containing)
        texts += len(side)
    rarity = inverse_document_frequency(containing.astype(np.float64), texts)
    return CharacterNgrams(starts, characters, rarity, np.array([total / max(texts, 1)]))._asdict()


def opened_character_ngrams(arrays: Mapping[str, Any]) -> CharacterNgrams:  # Any: arrays
    """The model, from its arrays."""
    return CharacterNgrams(*(arrays[part] for part in CharacterNgrams._fields))


def ngram_scores(query: Tokens, texts: TokenLists, model: CharacterNgrams) -> FloatArray:
    """The BM25 of the query's n-grams and each text."""
    asked, counts = np.unique(ngrams_of(query, model.starts, model.characters), return_counts=True)
    return score_texts(*texts, asked, counts * model.rarity[asked], model, K1, B)


@kernel
def hashed(key: np.int64) -> np.uint64:
    """A number of 32 bits that looks random."""
    mixed = np.uint64(key) * _GOLDEN
    mixed ^= mixed >> _HALF
    return (mixed * _GOLDEN) >> _HALF


@kernel
def ngrams_of(tokens: Tokens, starts: IntArray, characters: NDArray[np.int32]) -> IntArray:
    """The numbers of a text's n-grams of two and three characters, in order."""
    length = 0
    for token in tokens:
        length += starts[token + 1] - starts[token]
    found = np.empty(max(2 * length - 3, 0), dtype=np.int64)
    one, two, seen, made = np.int64(0), np.int64(0), 0, 0  # the characters before: the last but one, the last
    for token in tokens:
        for at in range(starts[token], starts[token + 1]):
            own = np.int64(characters[at])
            if seen >= 1:
                found[made] = np.int64(hashed((two << 21) | own) >> _SHIFT)
                made += 1
            if seen >= 2:  # noqa: PLR2004  two characters before
                found[made] = np.int64(hashed((((one << 21) | two) << 21) | own) >> _SHIFT)
                made += 1
            one, two, seen = two, own, seen + 1
    return found[:made]


@kernel
def count_ngrams(
    starts: IntArray, tokens: Tokens, word_starts: IntArray, characters: NDArray[np.int32], containing: IntArray
) -> int:
    """Add each text to the counts of its distinct n-grams; the number of all n-grams."""
    total = 0
    for text in range(len(starts) - 1):
        own = np.sort(ngrams_of(tokens[starts[text] : starts[text + 1]], word_starts, characters))
        total += len(own)
        for at in range(len(own)):
            if at == 0 or own[at] != own[at - 1]:
                containing[own[at]] += 1
    return total


@kernel
def slots_of(asked: IntArray) -> Slots:
    """A table of slots, most of them free: the number of an n-gram and the place of its count.

    It is small enough for the nearest cache of a processor, unlike a table of all n-grams. The n-grams that are not
    asked for are counted at the first ``_OTHERS`` places, by slot: one count for all would be waited for each time.
    """
    size = 1024
    while size < 8 * len(asked):
        size *= 2
    slots = Slots(np.full(size, _FREE), (np.arange(size) % _OTHERS).astype(np.uint32))
    for place in range(len(asked)):
        slot = slot_of(np.uint32(asked[place]), slots.numbers)
        slots.numbers[slot], slots.places[slot] = asked[place], place + _OTHERS
    return slots


@kernel
def slot_of(number: np.uint32, numbers: Unsigned) -> np.uint32:
    """The slot of an n-gram, or the free slot where it belongs."""
    last = np.uint32(len(numbers) - 1)
    slot = number & last
    while numbers[slot] != _FREE and numbers[slot] != number:
        slot = (slot + np.uint32(1)) & last
    return slot


@kernel
def place_of(key: np.int64, slots: Slots) -> np.uint32:
    """The place of the count of an n-gram, by the key of its characters."""
    place: np.uint32 = slots.places[slot_of(np.uint32(hashed(key) >> _SHIFT), slots.numbers)]
    return place


@kernel
def count_asked(tokens: Tokens, model: CharacterNgrams, slots: Slots, counts: FloatArray) -> int:
    """Add the n-grams of a text to the counts at their places; the number of the text's characters.

    Three characters are looked up only if the last two are asked for: whoever asks for the three asks for these too.
    """
    one, two, seen = np.int64(0), np.int64(0), 0  # as in ngrams_of
    for token in tokens:
        for at in range(model.starts[token], model.starts[token + 1]):
            own = np.int64(model.characters[at])
            if seen >= 1:
                place = place_of((two << 21) | own, slots)
                counts[place] += 1.0
                if seen >= 2 and place >= _OTHERS:  # noqa: PLR2004  two characters before
                    counts[place_of((((one << 21) | two) << 21) | own, slots)] += 1.0
            one, two, seen = two, own, seen + 1
    return seen


@sum_kernel
def frequency_score(weights: FloatArray, counts: FloatArray, base: float, k1: float) -> float:
    """The sum of weight x count (k1 + 1) / (count + base)."""
    total = 0.0
    for place in range(len(weights)):
        total += weights[place] * counts[place] * (k1 + 1) / (counts[place] + base + 1e-30)
    return total


@kernel
def score_texts(
    starts: IntArray, tokens: Tokens, asked: IntArray, weights: FloatArray, model: CharacterNgrams, k1: float, b: float
) -> FloatArray:
    """The sum over the n-grams asked for of weight x tf (k1 + 1) / (tf + k1 (1 - b + b length / mean))."""
    scores, counts = np.zeros(len(starts) - 1), np.zeros(len(asked) + _OTHERS)
    slots = slots_of(asked)
    for text in range(len(scores)):
        counts[:] = 0.0
        seen = count_asked(tokens[starts[text] : starts[text + 1]], model, slots, counts)
        base = k1 * (1 - b + b * max(2 * seen - 3, 0) / max(model.mean_length[0], 1e-9))
        scores[text] = frequency_score(weights, counts[_OTHERS:], base, k1)
    return scores
