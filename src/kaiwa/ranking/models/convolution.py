"""A small convolutional network that matches a post and a comment.

In the family of Hu et al. 2014 (ARC-I), HITSZ at NTCIR-12 STC: filters over three neighbouring word vectors, tanh, the
largest value of each filter over the text, and a bilinear score of the two texts. Trained on true pairs against the
other comments of their batch. It is small: word vectors are given and stay, and at most 100,000 pairs are read.
Gradients are written out; tests compare them with differences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ambient import no_progress
from kaiwa.ranking.models.towers import Moments, cross_entropy
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens

    Reals = NDArray[Any]  # Any: single precision, double in the test of gradients


FILTERS = 64
LONGEST = 30
BATCH = 256
MOST_PAIRS = 100_000
EPOCHS = 2


class Convolution(NamedTuple):
    """Word vectors; for posts (0) and comments (1) the filters ("inputs x filters") and biases; the bilinear match."""

    vectors: Reals
    filters: Reals
    biases: Reals
    match: Reals


class Matching(NamedTuple):
    """A trained network, and what each word adds to the filters of comments ("words x places x filters")."""

    model: Convolution
    products: Reals


class Pooled(NamedTuple):
    """Three word vectors at each place of each text, the place of each filter's largest value, and this value."""

    windows: Reals
    best: IntArray
    values: Reals


class Slopes(NamedTuple):
    """The loss of a batch, and its derivatives by the filters, the biases and the match."""

    loss: float
    filters: Reals
    biases: Reals
    match: Reals


def trained_convolution(
    corpus: Corpus, vectors: Reals, *, seed: int, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, trained on pairs of a corpus with given word vectors."""
    rng = np.random.default_rng(seed)
    model = initial_convolution(np.asarray(vectors, dtype=np.float32), rng)
    moments = [Moments(np.zeros_like(own), np.zeros_like(own)) for own in model[1:]]
    pairs = corpus.bitext
    chosen = rng.permutation(len(pairs.source_of))[:MOST_PAIRS]
    batches = len(chosen) // BATCH + 1
    for epoch in range(EPOCHS):
        for number, places in enumerate(np.array_split(rng.permutation(chosen), batches)):
            posts, comments = pairs.source_of[places].astype(np.int64), pairs.target_of[places].astype(np.int64)
            same = (posts[:, None] == posts) | (comments[:, None] == comments)
            slopes = batch_slopes(model, (pairs.sources.of(posts), pairs.targets.of(comments)), same)
            for own, slope, moment in zip(model[1:], slopes[1:], moments, strict=True):
                own[...] += moment.step(slope)
            progress(epoch * batches + number + 1, EPOCHS * batches)
    return {**model._asdict(), "products": products_of(model)}


def products_of(model: Convolution) -> Reals:
    """The part of each word at each place of a window in the filters of comments ("words x places x filters")."""
    words, dimensions = model.vectors.shape
    parts = model.filters[1].reshape(3, dimensions, -1)
    return np.stack([model.vectors @ part for part in parts], axis=1).reshape(words, 3, -1)


def initial_convolution(vectors: Reals, rng: np.random.Generator, *, filters: int = FILTERS) -> Convolution:
    """Random filters, and a match that multiplies them one by one."""
    inputs = 3 * vectors.shape[1]
    drawn = rng.standard_normal((inputs, filters)) / np.sqrt(inputs)
    both = np.stack((drawn, drawn)).astype(vectors.dtype)
    return Convolution(vectors, both, np.zeros((2, filters), vectors.dtype), np.eye(filters, dtype=vectors.dtype))


def opened_convolution(arrays: Mapping[str, Any]) -> Matching:  # Any: arrays
    """The model, from its arrays."""
    return Matching(Convolution(*(arrays[part] for part in Convolution._fields)), arrays["products"])


def match_scores(query: TokenLists, texts: TokenLists, matching: Matching) -> Reals:
    """The bilinear score of one query and each text.

    The largest tanh is the tanh of the largest sum, and the sum of a window is that of three stored products: a text
    costs its tokens times the filters, not times the vectors as well.
    """
    model = matching.model
    asked = pooled(query, model, 0).values[0] @ model.match
    values = np.tanh(largest_sums(*texts, matching.products, LONGEST) + model.biases[1])
    values[np.diff(texts.starts) == 0] = 0.0
    scores: Reals = np.einsum("tf,f->t", values, asked).astype(np.float64)
    return scores


@kernel
def largest_sums(starts: IntArray, tokens: Tokens, products: Reals, longest: int) -> Reals:
    """The largest sum of each filter over the windows of each text's first tokens ("texts x filters")."""
    words, _, filters = products.shape
    largest = np.full((len(starts) - 1, filters), -np.inf, dtype=products.dtype)
    total = np.zeros(filters, dtype=products.dtype)
    for text in range(len(starts) - 1):
        low, high = starts[text], min(starts[text + 1], starts[text] + longest)
        for place in range(low, high):
            total[:] = 0
            for at in range(max(place - 1, low), min(place + 2, high)):
                word, part = tokens[at], at - place + 1
                if word < words:
                    for one in range(filters):
                        total[one] += products[word, part, one]
            for one in range(filters):
                largest[text, one] = max(largest[text, one], total[one])
    return largest


def pooled(texts: TokenLists, model: Convolution, side: int) -> Pooled:
    """The largest value of each filter over each text's first ``LONGEST`` tokens; 0 for a text without any."""
    lengths = np.minimum(np.diff(texts.starts), LONGEST)
    longest = max(int(lengths.max(initial=0)), 1)
    places = np.arange(longest)
    is_word = places < lengths[:, None]
    words = np.full(is_word.shape, len(model.vectors))
    words[is_word] = texts.tokens[(texts.starts[:-1, None] + places)[is_word]]
    known = words < len(model.vectors)
    padded = np.zeros((len(texts), longest + 2, model.vectors.shape[1]), model.vectors.dtype)
    padded[:, 1:-1][known] = model.vectors[words[known]]
    windows = np.concatenate([padded[:, at : at + longest] for at in range(3)], axis=2)
    hidden = np.tanh(windows @ model.filters[side] + model.biases[side])
    hidden[~is_word] = -2.0  # below any tanh
    best = hidden.argmax(axis=1)
    values = np.take_along_axis(hidden, best[:, None], axis=1)[:, 0]
    values[lengths == 0] = 0.0
    return Pooled(windows, best, values)


def batch_slopes(model: Convolution, texts: tuple[TokenLists, TokenLists], same: NDArray[np.bool_]) -> Slopes:
    """The mean cross-entropy of a batch in both directions, and its derivatives; ``same`` as in the towers."""
    posts, comments = (pooled(one, model, side) for side, one in enumerate(texts))
    scores = posts.values @ model.match @ comments.values.T
    scores[same & ~np.eye(len(same), dtype=bool)] = -np.inf
    loss, slope = cross_entropy(scores)
    by_values = slope @ comments.values @ model.match.T, slope.T @ posts.values @ model.match
    sides = [_filter_slopes(*one) for one in zip((posts, comments), by_values, texts, strict=True)]
    filters, biases = (np.stack(part) for part in zip(*sides, strict=True))
    return Slopes(loss, filters, biases, posts.values.T @ slope @ comments.values)


def _filter_slopes(side: Pooled, slope: Reals, texts: TokenLists) -> tuple[Reals, Reals]:
    """The derivatives by the filters and biases of one side, given those by its values."""
    inner = slope * (1 - side.values**2) * (np.diff(texts.starts) > 0)[:, None]
    chosen = np.take_along_axis(side.windows, side.best[:, :, None], axis=1)
    return np.einsum("tf,tfi->if", inner, chosen), inner.sum(axis=0)
