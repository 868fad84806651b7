"""Word translation probabilities T(target | source) by IBM Model 1, from pairs of texts.

Brown et al. 1993, "The mathematics of statistical machine translation", model 1. Every source text has in addition the
empty word, to which a target word is aligned that no word explains. The expected counts of a target word need its own
cells alone, so the target words are read one after another, each with all its pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.ambient import no_progress, share
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Bitext, Corpus, TokenLists, Tokens


# The pairs of a bitext by target word, and the cells: the source words that each target word occurs with.


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

    >>> from kaiwa.ranking.texts import Bitext, token_lists
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

    >>> from kaiwa.ranking.texts import Bitext, token_lists
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


ITERATIONS = 5
MOST_WORDS = 50_000
SMALLEST = 1e-4
_BLOCKS = 64  # reports of progress in an iteration


class Translation(NamedTuple):
    """T(target | source) by source: its targets, ascending, and their probabilities; ``empty`` is T(target | empty).

    Rows are ``starts[s]:starts[s + 1]``. Cells below ``SMALLEST`` are not kept.
    """

    starts: IntArray
    targets: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    empty: NDArray[np.float32]

    def by_target(self) -> Translation:
        """The same cells by target: the rows hold sources."""
        words = len(self.starts) - 1
        sources = np.repeat(np.arange(words, dtype=np.int32), np.diff(self.starts))
        starts, order = grouped(self.targets, words)
        return Translation(starts, sources[order], self.probabilities[order], self.empty)


@dataclass(frozen=True, eq=False)
class TrainedTranslation:
    """The probabilities after training, in double precision, and the log-likelihood per target word of each iteration.

    ``cells`` are the source words of each target word; a probability belongs to each.
    """

    cells: Cells
    probabilities: FloatArray
    empty: FloatArray
    likelihoods: tuple[float, ...]

    @property
    def sources(self) -> NDArray[np.int32]:
        """The source word of each cell."""
        return self.cells.sources

    @property
    def targets(self) -> NDArray[np.int32]:
        """The target word of each cell."""
        words = len(self.cells.starts) - 1
        return np.repeat(np.arange(words, dtype=np.int32), np.diff(self.cells.starts))

    def kept(self, smallest: float = SMALLEST) -> Translation:
        """The cells of at least this probability, by source."""
        chosen = self.probabilities >= smallest
        starts, order = grouped(self.sources[chosen], len(self.cells.starts) - 1)
        probabilities = self.probabilities[chosen].astype(np.float32)[order]
        return Translation(starts, self.targets[chosen][order], probabilities, self.empty.astype(np.float32))


def train_translation(
    bitext: Bitext,
    *,
    words: int,
    iterations: int = ITERATIONS,
    fewest_pairs: int | None = None,
    progress: Progress = no_progress,
) -> TrainedTranslation:
    """Translation probabilities from the source to the target texts, among the ``words`` most frequent words.

    A cell is trained if its words occur together in ``fewest_pairs`` pairs (default: 1, or 2 in a large bitext, whose
    cells would not fit in memory).

    >>> from kaiwa.ranking.texts import Bitext, token_lists
    >>> both = np.arange(2, dtype=np.uint32)
    >>> pairs = Bitext(token_lists([[0, 1], [0]]), token_lists([[2, 3], [2]]), both, both)
    >>> trained = train_translation(pairs, words=4, iterations=20)
    >>> [round(float(p), 1) for s, t, p in zip(trained.sources, trained.targets, trained.probabilities) if s == t - 2]
    [1.0, 1.0]
    """
    by_word = words_of_bitext(bitext, words)
    cells = cells_of_words(by_word, fewest_pairs=fewest_pairs)
    values, totals, empty = np.ones(len(cells.sources)), np.ones(words), np.ones(words)
    likelihoods = []
    for iteration in range(iterations):
        own = share(progress, iteration / iterations, (iteration + 1) / iterations)
        totals, likelihood = _expected(by_word, cells, values, totals, empty, own)
        empty /= max(empty.sum(), np.finfo(np.float64).tiny)
        likelihoods.append(likelihood)
    values /= np.maximum(totals[cells.sources], np.finfo(np.float64).tiny)
    return TrainedTranslation(cells, values, empty, tuple(likelihoods))


def _expected(
    by_word: BitextWords, cells: Cells, values: FloatArray, totals: FloatArray, empty: FloatArray, progress: Progress
) -> tuple[FloatArray, float]:
    """Replace the values of cells and empty word by expected counts; their sums by source, the mean log-likelihood."""
    found, likelihood = np.zeros(by_word.words), 0.0
    texts = len(by_word.source_starts) - 1
    times, seen = np.zeros(texts, dtype=np.int32), np.empty(texts, dtype=np.uint32)
    ends = np.searchsorted(by_word.word_starts, np.linspace(0, by_word.word_starts[-1], _BLOCKS + 1)[1:])
    low = 0
    for block, end in enumerate([*ends[:-1].tolist(), by_word.words]):
        high = max(low, min(end, by_word.words))
        likelihood += expected_counts(*by_word[1:], *cells, low, high, values, totals, empty, found, times, seen)
        low = high
        progress(block + 1, _BLOCKS)
    pairs = np.diff(by_word.text_starts)[by_word.texts].sum()
    return found, likelihood / max(int(pairs), 1)


@kernel
def expected_counts(
    word_starts: IntArray, texts: Numbers, text_starts: IntArray, partners: Numbers, source_starts: IntArray,
    sources: Numbers, cell_starts: IntArray, cell_sources: Tokens, low: int, high: int, values: FloatArray,
    totals: FloatArray, empty: FloatArray, found: FloatArray, times: Tokens, seen: Numbers,
) -> float:  # fmt: skip
    """Replace the values of some target words by their expected counts, and add them up by source; the log-likelihood.

    The value of a cell over the total of its source is its probability. A pair's share is the same for all its words,
    so the shares are added up first, and multiplied by the probability of the cell once.
    """
    likelihood = 0.0
    column, shares = np.zeros(len(totals)), np.zeros(len(totals))
    for target in range(low, high):
        own = cell_sources[cell_starts[target] : cell_starts[target + 1]]
        own_values = values[cell_starts[target] : cell_starts[target + 1]]
        for place in range(len(own)):
            total = totals[own[place]]
            column[own[place]] = own_values[place] / total if total > 0.0 else 0.0
            shares[own[place]] = 0.0
        alone, count = empty[target], 0.0
        with_word = texts[word_starts[target] : word_starts[target + 1]]
        for place in range(gather_partners(with_word, text_starts, partners, times, seen)):
            text = seen[place]
            often, words = times[text], sources[source_starts[text] : source_starts[text + 1]]
            times[text] = 0
            total = alone
            for word in words:
                total += column[word]
            if total > 0.0:
                for word in words:
                    shares[word] += often / total
                count += often / total
                likelihood += often * np.log(total / (len(words) + 1))
        empty[target] = alone * count
        for place in range(len(own)):
            own_values[place] = shares[own[place]] * column[own[place]]
            found[own[place]] += own_values[place]
            column[own[place]] = 0.0
    return likelihood


class Translations(NamedTuple):
    """T(comment word | post word) by source and by target, and T(post word | comment word) by target."""

    to_comments: Translation
    to_comments_by_target: Translation
    to_posts_by_target: Translation


def trained_translations(corpus: Corpus, *, progress: Progress = no_progress) -> dict[str, Any]:  # Any: arrays
    """The arrays of both directions, trained on the pairs of a corpus."""
    words = min(len(corpus.words), MOST_WORDS)
    arrays: dict[str, Any] = {}  # Any: as above
    for name, bitext, half in (("to_comments", corpus.bitext, 0), ("to_posts", corpus.bitext.reversed(), 1)):
        trained = train_translation(bitext, words=words, progress=share(progress, half / 2, (half + 1) / 2))
        kept = trained.kept()
        by_target = kept.by_target()
        if name == "to_comments":
            arrays |= _arrays(name, kept)
        arrays |= _arrays(f"{name}_by_target", by_target)
    return arrays


def opened_translations(arrays: Mapping[str, Any]) -> Translations:  # Any: arrays
    """Both directions, from their arrays."""
    return Translations(
        *(Translation(*(arrays[f"{name}.{part}"] for part in Translation._fields)) for name in Translations._fields)
    )


def _arrays(name: str, translation: Translation) -> dict[str, Any]:  # Any: arrays
    return {f"{name}.{part}": values for part, values in translation._asdict().items()}
