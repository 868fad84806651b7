"""Word vectors from the words that occur together: positive pointwise mutual information, reduced by an SVD.

Levy and Goldberg 2014, "Neural word embedding as implicit matrix factorization"; the truncated SVD by random projection
(Halko, Martinsson and Tropp 2011), seeded. Texts are weighted means of word vectors, without the directions that all
texts share (Arora, Liang and Ma 2017; Mu and Viswanath 2018): with them, any two texts are similar.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.models.corpus import Corpus
    from kaiwa.rank.models.token_lists import TokenLists, Tokens

DIMENSIONS = 100
MOST_WORDS = 30_000
WINDOW = 5
_POWERS = 3
_COMMON = 2  # directions that all texts share
_SMOOTHING = 1e-3
_SAMPLE = 10_000  # texts of a side from which these directions come
_BLOCK = 1 << 22  # pairs of words counted at a time


def trained_word_vectors(corpus: Corpus, *, seed: int) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: a vector for each of the most frequent words, and the weight of every word by rarity."""
    rng = np.random.default_rng(seed)
    words = min(len(corpus.words), MOST_WORDS)
    information = mutual_information(together(corpus, words))
    vectors = reduced(information, min(DIMENSIONS, words), rng).astype(np.float32)
    arrays = {"vectors": vectors, "rarity": (_SMOOTHING / (_SMOOTHING + corpus.shares)).astype(np.float32)}
    sample = [one.of(rng.permutation(len(one))[:_SAMPLE]) for one in (corpus.posts, corpus.comments)]
    texts = np.concatenate([text_vectors(one, arrays) for one in sample])
    common = min(_COMMON, vectors.shape[1] // 10)  # few words have few dimensions
    return {**arrays, "vectors": without_common(vectors, texts, common).astype(np.float32)}


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


def together(corpus: Corpus, words: int) -> Any:  # Any: a sparse matrix
    """How often two words occur at most ``WINDOW`` tokens apart, in posts and comments ("words x words", symmetric)."""
    from scipy import sparse

    total = sparse.csr_matrix((words, words), dtype=np.float64)
    for texts in (corpus.posts, corpus.comments):
        for low, high in _ranges(texts.starts):
            keys, counts = np.unique(
                window_keys(texts.starts[low : high + 1], texts.tokens, words, WINDOW), return_counts=True
            )
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


def _ranges(starts: IntArray) -> list[tuple[int, int]]:
    """The texts in ranges of at most about ``_BLOCK`` pairs of words."""
    cuts = np.searchsorted(starts, np.arange(0, int(starts[-1]) + 1, _BLOCK // WINDOW))
    bounds = np.unique(np.append(cuts, len(starts) - 1)).tolist()
    return list(pairwise(bounds))


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


def text_vectors(texts: TokenLists, model: Mapping[str, Any]) -> FloatArray:  # Any: arrays
    """The mean of each text's word vectors, weighted by rarity, of length 1 ("texts x dimensions"); 0 without any."""
    summed = np.zeros((len(texts), model["vectors"].shape[1]))
    add_vectors(*texts, model["vectors"], model["rarity"], summed)
    norms = np.sqrt((summed**2).sum(axis=1))
    return summed / np.where(norms > 0, norms, 1.0)[:, None]


def vector_cosines(texts: TokenLists, query: FloatArray, model: Mapping[str, Any]) -> FloatArray:  # Any: arrays
    """The cosine of a vector of length 1 and the vector of each text; 0 for a text without any."""
    return sum_cosines(*texts, model["vectors"], model["rarity"], query.astype(np.float32))


@sum_kernel
def sum_cosines(
    starts: IntArray, tokens: Tokens, vectors: NDArray[np.float32], weights: NDArray[np.float32],
    query: NDArray[np.float32],
) -> FloatArray:  # fmt: skip
    """The cosine of a vector and, for each text, the sum of the weighted vectors of its tokens."""
    found, total = np.zeros(len(starts) - 1), np.zeros(len(query), dtype=np.float32)
    for text in range(len(found)):
        total[:] = 0
        for at in range(starts[text], starts[text + 1]):
            word = tokens[at]
            if word < len(vectors):
                for place in range(len(total)):
                    total[place] += weights[word] * vectors[word, place]
        found[text] = unit_product(total, query)
    return found


@sum_kernel
def unit_product(vector: NDArray[np.float32], query: NDArray[np.float32]) -> float:
    """The product of the query and a vector divided by its length; 0 for a vector of length 0."""
    product, square = np.float32(0), np.float32(0)
    for place in range(len(vector)):
        product += vector[place] * query[place]
        square += vector[place] * vector[place]
    return product / np.sqrt(square) if square > 0 else 0.0


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
