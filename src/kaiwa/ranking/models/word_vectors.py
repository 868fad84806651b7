"""Word vectors from the words that occur together: positive pointwise mutual information, reduced by an SVD.

Words occur together in a pair: a post and its comment are one text, so that the words of an answer are near those that
they answer.

Levy and Goldberg 2014, "Neural word embedding as implicit matrix factorization"; the truncated SVD by random projection
(Halko, Martinsson and Tropp 2011), seeded. Texts are weighted means of word vectors, without the directions that all
texts share (Arora, Liang and Ma 2017; Mu and Viswanath 2018): with them, any two texts are similar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ranking.texts import joined
from kaiwa.ranking.words import LENGTHS, cosines, products, text_lengths
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens
    from kaiwa.ranking.words import LocalWords


DIMENSIONS = 100
MOST_WORDS = 30_000
WINDOW = 20
MOST_PAIRS = 400_000
_POWERS = 3
_COMMON = 2  # directions that all texts share
_SMOOTHING = 1e-3
_SAMPLE = 10_000  # texts of a side from which these directions come
_BLOCK = 20_000  # pairs of texts counted at a time


def trained_word_vectors(corpus: Corpus, *, seed: int) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: a vector for each of the most frequent words, and the weight of every word by rarity."""
    rng = np.random.default_rng(seed)
    words = min(len(corpus.words), MOST_WORDS)
    information = mutual_information(together(corpus, words, rng))
    vectors = reduced(information, min(DIMENSIONS, words), rng).astype(np.float32)
    arrays = {"vectors": vectors, "rarity": (_SMOOTHING / (_SMOOTHING + corpus.shares)).astype(np.float32)}
    sample = [one.of(rng.permutation(len(one))[:_SAMPLE]) for one in (corpus.posts, corpus.comments)]
    texts = np.concatenate([text_vectors(one, arrays) for one in sample])
    common = min(_COMMON, vectors.shape[1] // 10)  # few words have few dimensions
    return with_lengths({**arrays, "vectors": without_common(vectors, texts, common).astype(np.float32)}, corpus)


def with_lengths(arrays: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:  # Any: arrays
    """The arrays, with the length of the vector of each post and comment."""
    sides = {LENGTHS["posts"]: corpus.posts, LENGTHS["comments"]: corpus.comments}
    return {**arrays, **{name: vector_lengths(texts, arrays) for name, texts in sides.items()}}


def without_common(vectors: NDArray[np.float32], texts: FloatArray, count: int) -> FloatArray:
    """The vectors without the ``count`` directions that texts share most.

    >>> vectors = np.array([[1, 2], [3, 4]], dtype=np.float32)
    >>> without_common(vectors, np.array([[1.0, 0.0], [0.9, 0.0]]), 1).tolist()
    [[0.0, 2.0], [0.0, 4.0]]
    """
    directions = np.linalg.eigh(texts.T @ texts)[1][:, texts.shape[1] - count :]
    kept: FloatArray = vectors - (vectors @ directions) @ directions.T
    return kept


def opened_word_vectors(arrays: Mapping[str, Any]) -> Mapping[str, Any]:  # Any: arrays
    """The arrays themselves: ``vectors`` ("words x dimensions") and ``rarity``, the weight of each word."""
    return arrays


def together(corpus: Corpus, words: int, rng: np.random.Generator) -> Any:  # Any: a sparse matrix
    """How often two words occur at most ``WINDOW`` tokens apart in a pair ("words x words", symmetric).

    Of a corpus with more than ``MOST_PAIRS`` pairs, in a random part of them.
    """
    from scipy import sparse

    pairs = corpus.bitext
    chosen = np.sort(rng.permutation(len(pairs.source_of))[:MOST_PAIRS])
    total = sparse.csr_matrix((words, words), dtype=np.float64)
    for part in np.array_split(chosen, max(len(chosen) // _BLOCK, 1)):
        texts = joined(pairs.sources.of(pairs.source_of[part].astype(np.int64)),
                       pairs.targets.of(pairs.target_of[part].astype(np.int64)))  # fmt: skip
        keys, counts = np.unique(window_keys(*texts, words, WINDOW), return_counts=True)
        total += sparse.csr_matrix((counts, (keys // words, keys % words)), shape=(words, words))
    return total + total.T


def mutual_information(counts: Any) -> Any:  # Any: sparse matrices
    """Log of the share of each cell over the product of its margins' shares, where it is positive."""
    cells = counts.tocoo()
    margins = np.asarray(counts.sum(axis=1)).ravel()
    smooth = margins**0.75
    with np.errstate(divide="ignore"):
        values = np.log(cells.data) + np.log(smooth.sum()) - np.log(margins[cells.row]) - np.log(smooth[cells.col])
    cells.data = np.maximum(values, 0.0)
    result = cells.tocsr()
    result.eliminate_zeros()
    return result


def reduced(matrix: Any, dimensions: int, rng: np.random.Generator) -> FloatArray:  # Any: a sparse matrix
    """The left singular vectors of the largest singular values, times the root of the values ("words x dimensions")."""
    basis = np.linalg.qr(matrix @ rng.standard_normal((matrix.shape[1], dimensions + 10)))[0]
    for _ in range(_POWERS):
        basis = np.linalg.qr(matrix @ np.linalg.qr(matrix.T @ basis)[0])[0]
    left, values, _ = np.linalg.svd((matrix.T @ basis).T, full_matrices=False)
    vectors: FloatArray = (basis @ left)[:, :dimensions] * np.sqrt(values[:dimensions])
    return vectors


@kernel
def window_keys(starts: IntArray, tokens: Tokens, words: int, window: int) -> NDArray[np.int64]:
    """A key (word x words + later word) for every two tokens of a text at most ``window`` apart."""
    keys = np.empty((starts[-1] - starts[0]) * window, dtype=np.int64)
    made = 0
    for text in range(len(starts) - 1):
        for at in range(starts[text], starts[text + 1]):
            if tokens[at] >= words:
                continue
            for other in range(at + 1, min(at + 1 + window, starts[text + 1])):
                if tokens[other] < words:
                    keys[made] = np.int64(tokens[at]) * words + tokens[other]
                    made += 1
    return keys[:made]


def text_sums(texts: TokenLists, model: Mapping[str, Any]) -> FloatArray:  # Any: arrays
    """The sum of each text's word vectors, weighted by rarity ("texts x dimensions")."""
    summed = np.zeros((len(texts), model["vectors"].shape[1]))
    add_vectors(*texts, model["vectors"], model["rarity"], summed)
    return summed


def text_vectors(texts: TokenLists, model: Mapping[str, Any]) -> FloatArray:  # Any: arrays
    """The mean of each text's word vectors, weighted by rarity, of length 1 ("texts x dimensions"); 0 without any."""
    summed = text_sums(texts, model)
    norms = np.sqrt((summed**2).sum(axis=1))
    return summed / np.where(norms > 0, norms, 1.0)[:, None]


def vector_lengths(texts: TokenLists, model: Mapping[str, Any]) -> NDArray[np.float32]:  # Any: arrays
    """The length of each text's sum."""
    return text_lengths(texts, lambda own: text_sums(own, model))


def vector_cosines(
    texts: LocalWords, query: FloatArray, model: Mapping[str, Any], lengths: NDArray[np.float32] | None = None
) -> FloatArray:  # Any: arrays
    """The cosine of a vector of length 1 and the vector of each text; 0 for a text without any.

    ``lengths`` are those of the texts' sums, if they are stored.
    """
    known = vector_lengths(texts.token_lists(), model) if lengths is None else lengths
    return cosines(products(texts, model["vectors"], model["rarity"], query), known)


@kernel
def add_vectors(
    starts: IntArray, tokens: Tokens, vectors: NDArray[np.float32], weights: NDArray[np.float32], summed: FloatArray
) -> None:
    """Add up, for each text, the weighted vectors of its tokens."""
    for text in range(len(starts) - 1):
        for at in range(starts[text], starts[text + 1]):
            word = tokens[at]
            if word < len(vectors):
                for place in range(vectors.shape[1]):
                    summed[text, place] += weights[word] * vectors[word, place]
