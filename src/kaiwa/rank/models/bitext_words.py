"""The pairs of a bitext by target word, and the cells: the source words that each target word occurs with.

A target word is read with all its pairs at once, so that its cells are in one array by source word, which fits in
the cache of a processor. No table of all cells is searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray
    from kaiwa.rank.texts.token_lists import Bitext, TokenLists

MANY_OCCURRENCES = 30_000_000
"""Occurrences of cells above which a cell must occur in two pairs."""
_BUFFER = 1 << 22  # cells

Numbers = NDArray[np.uint32]


class BitextWords(NamedTuple):
    """The texts of each target word, the source texts of each of them, and the words of each source text.

    ``texts[word_starts[t]:word_starts[t + 1]]`` are the target texts with word t, as often as they have it;
    ``partners`` by ``text_starts`` are their source texts, and ``sources`` by ``source_starts`` the words of those.
    Words from ``words`` on are left out.
    """

    words: int
    word_starts: IntArray
    texts: Numbers
    text_starts: IntArray
    partners: Numbers
    source_starts: IntArray
    sources: Numbers


class Cells(NamedTuple):
    """Source words by target word: those of word t are ``sources[starts[t]:starts[t + 1]]``, in no order."""

    starts: IntArray
    sources: NDArray[np.int32]


def words_of_bitext(bitext: Bitext, words: int) -> BitextWords:
    """The bitext by its ``words`` most frequent target words.

    >>> from kaiwa.rank.texts.token_lists import Bitext, token_lists
    >>> one = np.zeros(1, dtype=np.uint32)
    >>> made = words_of_bitext(Bitext(token_lists([[0, 1, 9]]), token_lists([[2, 2]]), one, one), 3)
    >>> made.word_starts.tolist(), made.texts.tolist(), made.sources.tolist()
    ([0, 0, 0, 2], [0, 0], [0, 1])
    """
    starts, targets = _frequent(bitext.targets, words)
    word_starts, order = grouped(targets, words)
    texts = np.repeat(np.arange(len(bitext.targets), dtype=np.uint32), np.diff(starts))[order]
    del order, targets
    text_starts, pairs = grouped(bitext.target_of, len(bitext.targets))
    sources = _frequent(bitext.sources, words)
    return BitextWords(words, word_starts, texts, text_starts, bitext.source_of[pairs].astype(np.uint32), *sources)


def _frequent(texts: TokenLists, words: int) -> tuple[IntArray, Numbers]:
    """The starts and tokens of the texts without rare words."""
    kept = np.asarray(texts.tokens) < words
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    return before[texts.starts], np.asarray(texts.tokens)[kept].astype(np.uint32)


def cells_of_words(bitext: BitextWords, *, fewest_pairs: int | None = None) -> Cells:
    """The cells of words that occur together in ``fewest_pairs`` pairs (default: 1, or 2 in a large bitext).

    >>> from kaiwa.rank.texts.token_lists import Bitext, token_lists
    >>> both = np.arange(2, dtype=np.uint32)
    >>> pairs = Bitext(token_lists([[0, 1], [0]]), token_lists([[2], [2]]), both, both)
    >>> [values.tolist() for values in cells_of_words(words_of_bitext(pairs, 3), fewest_pairs=2)]
    [[0, 0, 0, 1], [0]]
    """
    if fewest_pairs is None:
        fewest_pairs = 1 if _occurrences(bitext) <= MANY_OCCURRENCES else 2
    counts, parts = np.zeros(bitext.words + 1, dtype=np.int64), []
    buffer = np.empty(_BUFFER + bitext.words, dtype=np.int32)
    texts = len(bitext.source_starts) - 1
    times, seen = np.zeros(texts, dtype=np.int32), np.empty(texts, dtype=np.uint32)
    target = 0
    while target < bitext.words:
        target, used = find_cells(*bitext[1:], target, fewest_pairs, counts[1:], buffer, times, seen)
        parts.append(buffer[:used].copy())
    return Cells(np.cumsum(counts), np.concatenate(parts) if parts else buffer[:0])


def _occurrences(bitext: BitextWords) -> int:
    """How often a source word and a target word are in the same pair."""
    tokens = np.diff(bitext.source_starts)[bitext.partners]
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(tokens)))
    of_texts = before[bitext.text_starts[1:]] - before[bitext.text_starts[:-1]]
    return int(of_texts[bitext.texts].sum())


@kernel
def grouped(keys: Numbers | NDArray[np.int32], size: int) -> tuple[IntArray, Numbers]:
    """Where each key's places start, and the places of all keys, ascending for each key."""
    starts, order = np.zeros(size + 1, dtype=np.int64), np.empty(len(keys), dtype=np.uint32)
    for key in keys:
        starts[key + 1] += 1
    starts = np.cumsum(starts)
    following = starts.copy()
    for place in range(len(keys)):
        order[following[keys[place]]] = place
        following[keys[place]] += 1
    return starts, order


@kernel
def gather_partners(
    texts: Numbers, text_starts: IntArray, partners: Numbers, times: NDArray[np.int32], seen: Numbers
) -> int:
    """The number of different source texts of some target texts; sets ``seen``, and how often each is met."""
    found = 0
    for text in texts:
        for at in range(text_starts[text], text_starts[text + 1]):
            partner = partners[at]
            if times[partner] == 0:
                seen[found] = partner
                found += 1
            times[partner] += 1
    return found


@kernel
def without_repeats(texts: Numbers, distinct: Numbers) -> int:
    """Copy ascending numbers without repeats; how many there are."""
    found = 0
    for text in texts:
        if found == 0 or distinct[found - 1] != text:
            distinct[found] = text
            found += 1
    return found


@kernel
def find_cells(
    word_starts: IntArray, texts: Numbers, text_starts: IntArray, partners: Numbers, source_starts: IntArray,
    sources: Numbers, first: int, fewest: int, counts: IntArray, buffer: NDArray[np.int32],
    times: NDArray[np.int32], seen: Numbers,
) -> tuple[int, int]:  # fmt: skip
    """Fill the buffer with the cells of targets from the first on; the next target, and the number of cells."""
    words, used, target = len(word_starts) - 1, 0, first
    pairs, last = np.zeros(words, dtype=np.int64), np.full(words, -1, dtype=np.int64)
    met = np.empty(words, dtype=np.int32)
    distinct = np.empty(np.diff(word_starts).max(), dtype=np.uint32)
    stamp = 0
    while target < words and used + words <= len(buffer):
        own = without_repeats(texts[word_starts[target] : word_starts[target + 1]], distinct)
        different = 0
        for place in range(gather_partners(distinct[:own], text_starts, partners, times, seen)):
            text, stamp = seen[place], stamp + 1
            for at in range(source_starts[text], source_starts[text + 1]):
                source = sources[at]
                if last[source] != stamp:
                    if pairs[source] == 0:
                        met[different] = source
                        different += 1
                    last[source] = stamp
                    pairs[source] += times[text]
            times[text] = 0
        for source in met[:different]:
            if pairs[source] >= fewest:
                buffer[used] = source
                used += 1
                counts[target] += 1
            pairs[source] = 0
        target += 1
    return target, used
