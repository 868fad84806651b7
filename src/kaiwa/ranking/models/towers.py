"""Two towers: a post encoder and a comment encoder, trained so that true pairs have a high cosine.

In the family of Shen et al. 2014 (CDSSM). A text is the mean of the vectors of its words and phrases, each weighted by
a gate of its side, then one linear map of its side, then length 1. The loss is the cross-entropy of the true comment
among the comments of its batch, and of the true post among the posts. Vectors are trained by row-wise Adagrad, the maps
by Adam. Gradients are written out; tests compare them with differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.ambient import no_progress
from kaiwa.ranking.words import Phrases, frequent_phrases, product
from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens


Singles = NDArray[np.float32]

SIDES = ("posts", "comments")
"""The order of the gates and maps."""
DIMENSIONS = 128
MOST_WORDS = 250_000
MOST_PHRASES = 300_000
FEWEST_OF_A_PHRASE = 5
BATCH = 1024
EPOCHS = 2
SHARPNESS = 15.0
_VECTOR_RATE = 0.1
_MAP_RATE = 0.002
_FIRST_MOMENT, _SECOND_MOMENT = 0.9, 0.999
_PHRASE_GATE = 0.25  # at first, of that of a word as rare
_LARGEST_SCORE = 40.0
_FEWEST_PAIRS = 1_000_000  # seen in training: small corpora get more epochs


class Towers(NamedTuple):
    """The vectors of words, then of phrases, and for posts (0) and comments (1) their gates and the map."""

    vectors: Singles  # words and phrases x dimensions
    gates: Singles  # sides x words and phrases
    maps: Singles  # sides x dimensions x dimensions
    phrase_starts: IntArray
    phrase_seconds: Tokens

    @property
    def phrases(self) -> Phrases:
        """The phrases that have a vector."""
        return Phrases(self.phrase_starts, self.phrase_seconds)

    def encoded(self, texts: TokenLists, side: int) -> Singles:
        """The vectors of texts, of length 1 ("texts x dimensions"); 0 for a text without a known word."""
        return _lengths_of_one(_means(self.phrases.added(texts), self, side) @ self.maps[side].T)[0]


class Gradient(NamedTuple):
    """The loss of a batch and its derivatives by the vectors of texts before the maps, and by the maps."""

    loss: float
    means: tuple[Singles, Singles]
    maps: tuple[Singles, Singles]


@dataclass
class Moments:
    """Adam's running means of a gradient and of its square (Kingma and Ba 2015)."""

    mean: Singles
    square: Singles
    steps: int = 0

    def step(self, gradient: Singles) -> Singles:
        """The change of the parameters."""
        self.steps += 1
        self.mean += (1 - _FIRST_MOMENT) * (gradient - self.mean)
        self.square += (1 - _SECOND_MOMENT) * (gradient**2 - self.square)
        mean = self.mean / (1 - _FIRST_MOMENT**self.steps)
        square = self.square / (1 - _SECOND_MOMENT**self.steps)
        change: Singles = -_MAP_RATE * mean / (np.sqrt(square) + 1e-8)
        return change


def initial_towers(corpus: Corpus, rng: np.random.Generator, *, dimensions: int = DIMENSIONS) -> Towers:
    """Random vectors of words, phrases that change nothing, gates that follow rarity, and maps that change nothing."""
    words = min(len(corpus.words), MOST_WORDS)
    phrases, occurrences = frequent_phrases(
        (corpus.posts, corpus.comments), words, most=MOST_PHRASES, fewest=FEWEST_OF_A_PHRASE
    )
    counts = np.concatenate((corpus.counts[:words], occurrences)).astype(np.float64)
    rarity = np.log(max(counts.sum(), 1.0) / np.maximum(counts, 1.0))
    gates = (rarity / max(float(rarity.mean()), 1e-9)).astype(np.float32)
    gates[words:] *= np.float32(_PHRASE_GATE)
    vectors = np.zeros((len(counts), dimensions), dtype=np.float32)
    vectors[:words] = rng.standard_normal((words, dimensions)) / np.sqrt(dimensions)
    maps = np.stack([np.eye(dimensions, dtype=np.float32)] * 2)
    return Towers(vectors, np.stack((gates, gates)), maps, *phrases)


def trained_towers(
    corpus: Corpus, *, seed: int, epochs: int | None = None, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, trained on the pairs of a corpus; small corpora are read more often."""
    rng = np.random.default_rng(seed)
    towers, pairs = initial_towers(corpus, rng), corpus.bitext
    phrases = towers.phrases
    epochs = epochs or max(EPOCHS, min(10, -(-_FEWEST_PAIRS // max(len(pairs.source_of), 1))))
    squares = np.full(len(towers.vectors), 1e-6, dtype=np.float32)
    gate_squares = np.full(towers.gates.shape, 1e-6, dtype=np.float32)
    moments = [Moments(np.zeros_like(own), np.zeros_like(own)) for own in towers.maps]
    batches = len(pairs.source_of) // BATCH + 1
    for epoch in range(epochs):
        order = rng.permutation(len(pairs.source_of))
        for number, chosen in enumerate(np.array_split(order, batches)):
            posts, comments = pairs.source_of[chosen].astype(np.int64), pairs.target_of[chosen].astype(np.int64)
            texts = phrases.added(pairs.sources.of(posts)), phrases.added(pairs.targets.of(comments))
            gradient = batch_gradient(towers, texts, (posts[:, None] == posts) | (comments[:, None] == comments))
            for side in range(2):
                update_words(
                    *texts[side], gradient.means[side], towers.vectors, towers.gates[side], squares,
                    gate_squares[side], _VECTOR_RATE,
                )  # fmt: skip
                towers.maps[side][:] += moments[side].step(gradient.maps[side])
            progress(epoch * batches + number + 1, epochs * batches)
    return towers._asdict()


def opened_towers(arrays: Mapping[str, Any]) -> Towers:  # Any: arrays
    """The model, from its arrays."""
    return Towers(*(arrays[part] for part in Towers._fields))


def batch_gradient(towers: Towers, texts: tuple[TokenLists, TokenLists], same: NDArray[np.bool_]) -> Gradient:
    """The mean cross-entropy of a batch in both directions, and its derivatives; texts have words and phrases.

    ``same`` marks the pairs of a post and a comment that are true, or may be; only those on the diagonal are asked for.
    """
    means = [_means(one, towers, side) for side, one in enumerate(texts)]
    encoded = [_lengths_of_one(mean @ towers.maps[side].T) for side, mean in enumerate(means)]
    (posts, post_lengths), (comments, comment_lengths) = encoded
    scores: Singles = np.matmul(SHARPNESS * posts, comments.T)
    np.copyto(scores, -np.inf, where=same & ~np.eye(len(same), dtype=bool))
    loss, slope = cross_entropy(scores)
    slopes = SHARPNESS * (slope @ comments), SHARPNESS * (slope.T @ posts)
    by_means, by_maps = [], []
    for side, (unit, lengths) in enumerate(((posts, post_lengths), (comments, comment_lengths))):
        flat = (slopes[side] - unit * (slopes[side] * unit).sum(axis=1, keepdims=True)) / lengths
        by_maps.append((flat.T @ means[side]).astype(np.float32))
        by_means.append((flat @ towers.maps[side]).astype(np.float32))
    return Gradient(loss, (by_means[0], by_means[1]), (by_maps[0], by_maps[1]))


def cross_entropy(scores: Singles) -> tuple[float, Singles]:
    """The mean over rows and columns of -log softmax on the diagonal, and its derivative by the scores.

    A score beyond 40 or -40 counts as that, so that no exponential overflows; -inf leaves a pair out.
    """
    raised = np.exp(np.clip(scores, -_LARGEST_SCORE, _LARGEST_SCORE))
    rows, columns = raised.sum(axis=1), raised.sum(axis=0)
    own = raised.diagonal()
    loss = -(np.log(own / rows).mean() + np.log(own / columns).mean()) / 2
    raised *= (1 / rows)[:, None] + (1 / columns)[None, :]
    np.fill_diagonal(raised, raised.diagonal() - 2)
    raised /= np.float32(2 * len(scores))
    return float(loss), raised


def _means(texts: TokenLists, towers: Towers, side: int) -> Singles:
    """The gated mean of the vectors of each text's words and phrases."""
    means = np.zeros((len(texts), towers.vectors.shape[1]), dtype=np.float32)
    gated_means(*texts, towers.vectors, towers.gates[side], means)
    return means


def _lengths_of_one(vectors: Singles) -> tuple[Singles, Singles]:
    """The vectors with length 1, and their lengths; a vector of length 0 stays."""
    lengths: Singles = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1
    return vectors / lengths, lengths


@kernel
def gated_means(starts: IntArray, tokens: Tokens, vectors: Singles, gates: Singles, means: Singles) -> None:
    """Add up each text's gated vectors, divided by the number of its tokens."""
    for text in range(len(starts) - 1):
        share, mean = np.float32(1.0 / max(starts[text + 1] - starts[text], 1)), means[text]
        for at in range(starts[text], starts[text + 1]):
            vector, weight = vectors[tokens[at]], gates[tokens[at]] * share
            for place in range(len(mean)):
                mean[place] += weight * vector[place]


@sum_kernel
def update_words(
    starts: IntArray, tokens: Tokens, slopes: Singles, vectors: Singles, gates: Singles, squares: Singles,
    gate_squares: Singles, rate: float,
) -> None:  # fmt: skip
    """Change vectors and gates of each token against its slope, by Adagrad with one sum of squares per word."""
    for text in range(len(starts) - 1):
        share, slope = np.float32(1.0 / max(starts[text + 1] - starts[text], 1)), slopes[text]
        square = product(slope, slope) / len(slope)
        for at in range(starts[text], starts[text + 1]):
            word = tokens[at]
            vector, weight = vectors[word], gates[word] * share
            by_gate = product(slope, vector) * share
            squares[word] += square * weight * weight
            step = np.float32(rate * weight / np.sqrt(squares[word]))
            for place in range(len(slope)):
                vector[place] -= step * slope[place]
            gate_squares[word] += by_gate * by_gate
            gates[word] -= np.float32(0.1 * rate * by_gate / np.sqrt(gate_squares[word]))
