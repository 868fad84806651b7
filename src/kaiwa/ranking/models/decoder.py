"""A small encoder-decoder: log P(comment | query) and log P(query | comment), word by word.

In the family of USTC at NTCIR-12 STC, in the form of Rush et al. 2015: the encoder is the mean of word vectors, and the
decoder sees it and the two words before. The hidden layer is tanh(encoding + vectors of the two words + bias). The
scores of words are normalised by noise-contrastive estimation (Mnih and Teh 2012) and not by a sum over all
words, so that a word costs one product. It is small: no recurrent layer, and at most 100,000 pairs are read. Gradients
are written out; tests compare them with differences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ambient import no_progress, share
from kaiwa.ranking.texts import TokenLists
from kaiwa.stats.compiled import kernel, kernel_part, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Bitext, Corpus, Tokens

    Reals = NDArray[Any]  # Any: single precision in training, double in the test of gradients


HIDDEN = 64
MOST_WORDS = 30_000
MOST_PAIRS = 100_000
LONGEST = 30
NOISE = 15
EPOCHS = 3
_BLOCK = 2048  # pairs whose noise is drawn at a time
_RATE = 0.1
_DIRECTIONS = ("to_comments", "to_posts")


class Decoder(NamedTuple):
    """Vectors of source words, of the word before and of the one before it, and of the word to come with its bias.

    Words have their numbers; two more rows are any other word, and the edge of a text. ``noise`` is the logarithm of
    the share of each row among the target words, and ``rest`` that of each word among the other words.
    """

    source: Reals
    before: Reals
    second: Reals
    bias: Reals
    output: Reals
    shift: Reals
    noise: Reals
    rest: Reals

    @property
    def trained(self) -> tuple[Reals, ...]:
        """The arrays that training changes."""
        return self[:6]


def trained_decoders(corpus: Corpus, *, seed: int, progress: Progress = no_progress) -> dict[str, Any]:  # Any: arrays
    """The arrays of both directions, trained on pairs of a corpus."""
    arrays = {}
    for place, (name, pairs) in enumerate(zip(_DIRECTIONS, (corpus.bitext, corpus.bitext.reversed()), strict=True)):
        rng = np.random.default_rng([seed, place])
        own = share(progress, place / len(_DIRECTIONS), (place + 1) / len(_DIRECTIONS))
        for part, values in _trained(pairs, len(corpus.words), rng, own)._asdict().items():
            arrays[f"{name}.{part}"] = values
    return arrays


def opened_decoders(arrays: Mapping[str, Any]) -> tuple[Decoder, Decoder]:  # Any: arrays
    """The decoder of comments and that of posts, from their arrays."""
    first, second = (Decoder(*(arrays[f"{name}.{part}"] for part in Decoder._fields)) for name in _DIRECTIONS)
    return first, second


def initial_decoder(counts: IntArray, words: int, rng: np.random.Generator, *, hidden: int = HIDDEN) -> Decoder:
    """Random inputs, and outputs that give each word its share, which is that of these counts."""
    rows = words + 2
    inputs = (rng.standard_normal((3, rows, hidden)) / np.sqrt(hidden)).astype(np.float32)
    known = np.append(counts[:words], (counts[words:-1].sum(), counts[-1])) + 0.5
    noise = np.log(known / known.sum()).astype(np.float32)
    others = counts[words:-1] + 0.5
    rest = np.log(others / max(others.sum(), 1.0)).astype(np.float32)
    zeros = np.zeros((rows, hidden), dtype=np.float32)
    return Decoder(inputs[0], inputs[1], inputs[2], zeros[0].copy(), zeros, noise.copy(), noise, rest)


def _trained(pairs: Bitext, words: int, rng: np.random.Generator, progress: Progress) -> Decoder:
    chosen = rng.permutation(len(pairs.source_of))[:MOST_PAIRS]
    counts = np.zeros(words + 1, dtype=np.int64)
    targets = pairs.targets.of(pairs.target_of[chosen].astype(np.int64))
    counts[:words] = np.bincount(targets.tokens, minlength=words)
    counts[-1] = len(targets)
    model = initial_decoder(counts, min(words, MOST_WORDS), rng)
    squares = tuple(np.full(len(part), 1e-4, dtype=np.float32) for part in model.trained)
    shares = np.cumsum(np.exp(model.noise.astype(np.float64)))
    for epoch in range(EPOCHS):
        order = rng.permutation(chosen)
        for low in range(0, len(order), _BLOCK):
            places = order[low : low + _BLOCK]
            sources = shortened(pairs.sources.of(pairs.source_of[places].astype(np.int64)))
            own = shortened(pairs.targets.of(pairs.target_of[places].astype(np.int64)))
            steps = len(own.tokens) + len(own)
            drawn = np.searchsorted(shares / shares[-1], rng.random((steps, NOISE)), side="right").astype(np.int32)
            descend(*sources, *own, drawn, model.trained, model.noise, squares, _RATE)
            progress(epoch * len(order) + low, EPOCHS * len(order))
    return model


def shortened(texts: TokenLists) -> TokenLists:
    """The first ``LONGEST`` tokens of each text."""
    lengths = np.minimum(np.diff(texts.starts), LONGEST)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    places = np.arange(starts[-1]) + np.repeat(texts.starts[:-1] - starts[:-1], lengths)
    return TokenLists(starts, texts.tokens[places])


@kernel
def row_of(word: int, rows: int) -> int:
    """The row of a word: its number, or that of all other words."""
    return min(word, rows - 2)


@kernel
def encode(tokens: Tokens, low: int, high: int, source: Reals, encoding: Reals) -> None:
    """The mean of the vectors of a text's words; 0 for an empty text."""
    encoding[:] = 0
    for at in range(low, high):
        row = row_of(tokens[at], len(source))
        for place in range(len(encoding)):
            encoding[place] += source[row, place] / (high - low)


@kernel
def encode_texts(starts: IntArray, tokens: Tokens, source: Reals, encodings: Reals) -> None:
    """Encode each text."""
    for text in range(len(starts) - 1):
        encode(tokens, starts[text], starts[text + 1], source, encodings[text])


@kernel
def hide(encoding: Reals, before: Reals, second: Reals, bias: Reals, hidden: Reals) -> None:
    """The hidden layer at one place of a text."""
    for place in range(len(hidden)):
        hidden[place] = np.tanh(encoding[place] + before[place] + second[place] + bias[place])


@kernel
def word_score(hidden: Reals, output: Reals, shift: Reals, row: int) -> float:
    """The score of a word: its logarithm of probability, if the scores are normalised."""
    total = float(shift[row])
    for place in range(len(hidden)):
        total += hidden[place] * output[row, place]
    return total


@kernel
def move(table: Reals, squares: Reals, row: int, slope: Reals, rate: float) -> None:
    """Change one row against its slope, by Adagrad with one sum of squares for the row."""
    total = 0.0
    for place in range(len(slope)):
        total += slope[place] * slope[place]
    squares[row] += total / len(slope)
    step = rate / np.sqrt(squares[row])
    for place in range(len(slope)):
        table[row, place] -= step * slope[place]


@kernel
def noise_slopes(
    hidden: Reals, drawn: Tokens, target: int, output: Reals, shift: Reals, noise: Reals, slopes: Reals
) -> float:
    """The loss of one word among drawn ones; sets its derivatives by their scores, the word's own first."""
    loss = 0.0
    for place in range(len(drawn) + 1):
        row = target if place == 0 else drawn[place - 1]
        odds = word_score(hidden, output, shift, row) - np.log(len(drawn)) - noise[row]
        chance = 1 / (1 + np.exp(-odds))
        slopes[place] = chance - 1 if place == 0 else chance
        loss -= np.log(max(chance if place == 0 else 1 - chance, 1e-30))
    return loss


@kernel
def descend(
    source_starts: IntArray, sources: Tokens, target_starts: IntArray, targets: Tokens, drawn: NDArray[np.int32],
    trained: tuple[Reals, ...], noise: Reals, squares: tuple[Reals, ...], rate: float,
) -> float:  # fmt: skip
    """Change all arrays against the slope of each pair in turn; the sum of the losses before each change."""
    source, before, second, bias, output, shift = trained
    edge, step, loss = len(source) - 1, 0, 0.0
    encoding, hidden = np.zeros_like(bias), np.zeros_like(bias)
    by_hidden, by_encoding, by_word = np.zeros_like(bias), np.zeros_like(bias), np.zeros_like(bias)
    slopes = np.zeros(drawn.shape[1] + 1, dtype=bias.dtype)
    for text in range(len(source_starts) - 1):
        low, high = source_starts[text], source_starts[text + 1]
        encode(sources, low, high, source, encoding)
        by_encoding[:] = 0
        first, last = edge, edge
        for at in range(target_starts[text], target_starts[text + 1] + 1):
            hide(encoding, before[last], second[first], bias, hidden)
            target = edge if at == target_starts[text + 1] else row_of(targets[at], len(source))
            loss += noise_slopes(hidden, drawn[step], target, output, shift, noise, slopes)
            by_hidden[:] = 0
            for place in range(len(slopes)):
                row = target if place == 0 else drawn[step, place - 1]
                for part in range(len(hidden)):
                    by_hidden[part] += slopes[place] * output[row, part]
                    by_word[part] = slopes[place] * hidden[part]
                move(output, squares[4], row, by_word, rate)
                squares[5][row] += slopes[place] * slopes[place]
                shift[row] -= rate * slopes[place] / np.sqrt(squares[5][row])
            for part in range(len(hidden)):
                by_hidden[part] *= 1 - hidden[part] * hidden[part]
                by_encoding[part] += by_hidden[part]
                squares[3][part] += by_hidden[part] * by_hidden[part]
                bias[part] -= rate * by_hidden[part] / np.sqrt(squares[3][part])
            move(before, squares[1], last, by_hidden, rate)
            move(second, squares[2], first, by_hidden, rate)
            first, last = last, target
            step += 1
        for at in range(low, high):
            by_word[:] = by_encoding / (high - low)
            move(source, squares[0], row_of(sources[at], len(source)), by_word, rate)
    return loss


# Scores of texts by an encoder-decoder: the mean log-probability of a text's words given another text.


_FLAT_LOW, _FLAT_HIGH = np.float32(-10), np.float32(10)  # tanh is -1 or 1 beyond them in single precision
_HALF, _TWO = np.float32(0.5), np.float32(2)
_T0, _T1, _T2 = np.float32(135135), np.float32(17325), np.float32(378)
_B1, _B2, _B3 = np.float32(62370), np.float32(3150), np.float32(28)


class Steps(NamedTuple):
    """The rows of each word and end of the targets, of the two words before each, and a constant for rare words."""

    rows: IntArray
    before: IntArray
    second: IntArray
    rest: FloatArray


def mean_log_scores(sources: TokenLists, targets: TokenLists, model: Decoder) -> FloatArray:
    """The mean log-probability of each target's words and its end given its source; one source or one target for all.

    The probabilities sum to 1 as well as training has made them.
    """
    own, asked = shortened(sources), shortened(targets)
    if not len(own) or not len(asked):
        return np.zeros(0)
    encodings = np.zeros((len(own), len(model.bias)), dtype=model.source.dtype)
    encode_texts(*own, model.source, encodings)
    if len(asked) == 1:
        return _scores_of_one(encodings + model.bias, steps_of(asked, model), model)
    return _scores_of_many(encodings + model.bias, steps_of(asked, model), asked, model)


def steps_of(targets: TokenLists, model: Decoder) -> Steps:
    """The words of all targets, each target followed by the edge.

    >>> from kaiwa.ranking.models.decoder import initial_decoder
    >>> from kaiwa.ranking.texts import token_lists
    >>> model = initial_decoder(np.ones(4, dtype=np.int64), 3, np.random.default_rng(1), hidden=2)
    >>> [rows.tolist() for rows in steps_of(token_lists([[0, 1], [2]]), model)[:3]]
    [[0, 1, 4, 2, 4], [4, 0, 1, 4, 2], [4, 4, 0, 4, 4]]
    """
    edge = len(model.source) - 1
    ends = targets.starts[1:] + np.arange(len(targets))
    rows = np.full(len(targets.tokens) + len(targets), edge)
    is_word = np.ones(len(rows), dtype=bool)
    is_word[ends] = False
    rows[is_word] = np.minimum(targets.tokens, edge - 1)
    rest = np.zeros(len(rows))
    rare = np.flatnonzero(targets.tokens >= edge - 1)
    rest[np.flatnonzero(is_word)[rare]] = model.rest[targets.tokens[rare] - (edge - 1)]
    before = np.concatenate(([edge], rows[:-1]))
    second = np.where(before == edge, edge, np.concatenate(([edge], before[:-1])))
    return Steps(rows, before, second, rest)


def _scores_of_many(encodings: Reals, steps: Steps, targets: TokenLists, model: Decoder) -> FloatArray:
    """The mean score of each target; one encoding for each, or one for all."""
    return step_scores(encodings, *steps, np.diff(targets.starts) + 1, model)


def _scores_of_one(encodings: Reals, steps: Steps, model: Decoder) -> FloatArray:
    """The mean score of one target for each encoding, one word of the target after another."""
    inputs = model.before[steps.before] + model.second[steps.second]
    outputs, shifts = model.output[steps.rows], model.shift[steps.rows] + steps.rest
    return target_scores(encodings, inputs, outputs, shifts)


@kernel_part
def hidden_product(
    encodings: Reals, text: int, first: Reals, one: int, second: Reals, other: int, output: Reals, row: int
) -> float:
    """The product of tanh(encoding + first + second) and an output; all are rows of tables.

    tanh x = 2 t / (1 + t t) with t = tanh(x / 2), of which seven terms of Lambert's continued fraction are taken: the
    error is below 2e-8, and all places are computed together.
    """
    total = np.float32(0)
    for place in range(encodings.shape[1]):
        inner = encodings[text, place] + first[one, place] + second[other, place]
        half = min(max(inner, _FLAT_LOW), _FLAT_HIGH) * _HALF
        square = half * half
        above = half * (_T0 + square * (_T1 + square * (_T2 + square)))
        below = _T0 + square * (_B1 + square * (_B2 + square * _B3))
        total += output[row, place] * (_TWO * above * below) / (below * below + above * above)
    return float(total)


@sum_kernel
def step_scores(
    encodings: Reals, rows: IntArray, before: IntArray, second: IntArray, rest: FloatArray, counts: IntArray,
    model: Decoder,
) -> FloatArray:  # fmt: skip
    """The mean score of each target's steps, of which ``counts`` are the numbers."""
    means, step = np.zeros(len(counts)), 0
    for text in range(len(counts)):
        own = min(text, len(encodings) - 1)
        for _ in range(counts[text]):
            row = rows[step]
            means[text] += model.shift[row] + rest[step] + hidden_product(
                encodings, own, model.before, before[step], model.second, second[step], model.output, row
            )  # fmt: skip
            step += 1
        means[text] /= counts[text]
    return means


@sum_kernel
def target_scores(encodings: Reals, inputs: Reals, outputs: Reals, shifts: FloatArray) -> FloatArray:
    """The mean score of the steps of one target for each encoding."""
    means, nothing = np.zeros(len(encodings)), np.zeros_like(inputs[:1])
    for text in range(len(encodings)):
        for step in range(len(inputs)):
            means[text] += shifts[step] + hidden_product(encodings, text, inputs, step, nothing, 0, outputs, step)
        means[text] /= len(inputs)
    return means
