"""Weighted text matrix factorisation: short texts as vectors that explain the words they have, and those they lack.

Guo and Diab 2012, "Modeling sentences in the latent space": X ("words x texts") of tf-idf values is about P Q;
a missing word counts with a small weight. Alternating least squares; a large corpus is sampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ambient import no_progress
from kaiwa.ranking.models.topic_words import word_rarity
from kaiwa.ranking.texts import TokenLists
from kaiwa.stats.compiled import kernel, sum_kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus
    from kaiwa.ranking.words import LocalWords


DIMENSIONS = 32
ROUNDS = 6
MISSING = 0.01
PENALTY = 20.0
MOST_WORDS = 20_000
MOST_TEXTS = 60_000
_BLOCK = 1 << 16  # texts whose vectors are made at a time


class Cells(NamedTuple):
    """The values of a sparse matrix by row: columns ``starts[r]:starts[r + 1]``, each once."""

    starts: IntArray
    columns: IntArray
    values: FloatArray


def trained_text_factors(
    corpus: Corpus, *, seed: int, progress: Progress = no_progress
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: a vector for each of the most frequent words, the rarity of every word, and all texts.

    To solve the equations of a text takes longer than to read its solution, so those of all posts and comments are
    stored, in half precision.
    """
    rng = np.random.default_rng(seed)
    words = min(len(corpus.words), MOST_WORDS)
    rarity = word_rarity(corpus)
    texts = rarity_cells(_sample(corpus, rng), rarity, words)
    vectors = word_factors(texts, words, rng, progress=progress).astype(np.float32)
    model = {"vectors": vectors, "rarity": rarity.astype(np.float32), **folding(vectors)}
    stored = {name: _stored(texts, model) for name, texts in (("posts", corpus.posts), ("comments", corpus.comments))}
    return {**model, **stored}


def _stored(texts: TokenLists, model: Mapping[str, Any]) -> NDArray[np.float16]:  # Any: arrays
    """The vectors of all texts in half precision, made in blocks."""
    found = np.zeros((len(texts), model["folded"].shape[1]), dtype=np.float16)
    for low in range(0, len(texts), _BLOCK):
        chosen = np.arange(low, min(low + _BLOCK, len(texts)))
        found[chosen] = text_factors(texts.of(chosen), model)
    return found


def folding(vectors: NDArray[np.float32]) -> dict[str, Any]:  # Any: arrays
    """The map L with L L' = (m P' P + lambda I)^-1, and P L: in these coordinates a new text has a simple equation."""
    inner = vectors.astype(np.float64)
    base = MISSING * (inner.T @ inner) + PENALTY * np.eye(inner.shape[1])
    turn = np.linalg.cholesky(np.linalg.inv(base))
    return {"map": turn, "folded": inner @ turn}


def word_factors(
    texts: Cells,
    words: int,
    rng: np.random.Generator,
    *,
    dimensions: int = DIMENSIONS,
    rounds: int = ROUNDS,
    progress: Progress = no_progress,
) -> FloatArray:
    """P ("words x dimensions") after some rounds of least squares, from random numbers."""
    by_word = turned(texts, words)
    vectors: FloatArray = rng.standard_normal((words, dimensions))
    for number in range(rounds):
        vectors = least_squares(by_word, least_squares(texts, vectors))
        progress(number + 1, rounds)
    return vectors


def text_factors(texts: TokenLists, model: Mapping[str, Any]) -> FloatArray:  # Any: arrays
    """The vectors of texts by the model's words, of length 1 ("texts x dimensions"); 0 without any known word.

    They solve the equations of ``least_squares``.
    """
    inner = fold_texts(*texts, model["rarity"], model["folded"], 1.0 - MISSING)
    found: FloatArray = inner @ model["map"].T
    lengths = np.sqrt((found**2).sum(axis=1))
    return found / np.where(lengths > 0, lengths, 1.0)[:, None]


def factor_cosines(
    texts: LocalWords, query: FloatArray, model: Mapping[str, Any], stored: NDArray[np.float16] | None = None
) -> FloatArray:  # Any: arrays
    """The cosine of a vector of length 1 and each text's vector; 0 for a text without any known word.

    ``stored`` are the vectors of the texts, if the model has them.
    """
    vectors = text_factors(texts.token_lists(), model) if stored is None else stored.astype(np.float64)
    cosines: FloatArray = np.einsum("td,d->t", vectors, query)
    return cosines


def least_squares(cells: Cells, vectors: FloatArray) -> FloatArray:
    """The row vectors q that minimise, for each row x, sum_w W_w (x_w - p_w q)^2 + lambda |q|^2; 0 for an empty row."""
    base = MISSING * (vectors.T @ vectors) + PENALTY * np.eye(vectors.shape[1])
    found = np.zeros((len(cells.starts) - 1, vectors.shape[1]))
    solve_rows(*cells, vectors, base, MISSING, found)
    return found


@kernel
def count_words(
    starts: IntArray, tokens: NDArray[np.int32], rarity: FloatArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """Where each text's known words start, these words, ascending and each once, and their frequency times rarity."""
    own_starts, words = np.zeros(len(starts), dtype=np.int64), np.empty(len(tokens), dtype=np.int64)
    values = np.empty(len(tokens))
    made = 0
    for text in range(len(starts) - 1):
        first = made
        for word in np.sort(tokens[starts[text] : starts[text + 1]]):
            if word >= len(rarity):
                break
            if made > first and words[made - 1] == word:
                values[made - 1] += rarity[word]
            else:
                words[made], values[made], made = word, rarity[word], made + 1
        own_starts[text + 1] = made
    return own_starts, words[:made], values[:made]


@sum_kernel
def solve_in_place(matrix: FloatArray, target: FloatArray, size: int) -> None:
    """Solve a symmetric positive definite system of some size by Cholesky's method; the result replaces the target.

    The lower part of the matrix is read. Its diagonal is replaced by the reciprocals of the factor's.
    """
    for row in range(size):
        for column in range(row + 1):
            total = matrix[row, column]
            for at in range(column):
                total -= matrix[row, at] * matrix[column, at]
            matrix[row, column] = 1.0 / np.sqrt(total) if row == column else total * matrix[column, column]
        for at in range(row):
            target[row] -= matrix[row, at] * target[at]
        target[row] *= matrix[row, row]
    for row in range(size - 1, -1, -1):
        target[row] *= matrix[row, row]
        for at in range(row):
            target[at] -= matrix[row, at] * target[row]


@kernel
def gather_words(
    tokens: NDArray[np.int32], rarity: NDArray[np.float32], folded: FloatArray, own: FloatArray, values: FloatArray
) -> int:
    """Copy the vectors of a text's distinct known words, and their frequency times rarity; the number of words."""
    made = 0
    words = np.empty(len(tokens), dtype=np.int32)
    for word in tokens:
        if word >= len(folded):
            continue
        place = 0
        while place < made and words[place] != word:
            place += 1
        if place == made:
            words[made], values[made], made = word, 0.0, made + 1
            for at in range(folded.shape[1]):
                own[place, at] = folded[word, at]
        values[place] += rarity[word]
    return made


@sum_kernel
def fold_by_words(own: FloatArray, values: FloatArray, weight: float, matrix: FloatArray, found: FloatArray) -> None:
    """Solve by the words of a text: z = U' (I + w U U')^-1 x; changes the values."""
    words, dimensions = own.shape
    for one in range(words):
        for other in range(one + 1):
            total = 0.0
            for at in range(dimensions):
                total += own[one, at] * own[other, at]
            matrix[one, other] = weight * total + (1.0 if one == other else 0.0)
    solve_in_place(matrix, values, words)
    for one in range(words):
        for at in range(dimensions):
            found[at] += values[one] * own[one, at]


@sum_kernel
def fold_by_dimensions(
    own: FloatArray, values: FloatArray, weight: float, matrix: FloatArray, found: FloatArray
) -> None:
    """Solve by dimensions: z = (I + w U' U)^-1 U' x."""
    words, dimensions = own.shape
    for one in range(dimensions):
        for other in range(dimensions):
            matrix[one, other] = 1.0 if one == other else 0.0
    for word in range(words):
        for one in range(dimensions):
            found[one] += values[word] * own[word, one]
            for other in range(one + 1):
                matrix[one, other] += weight * own[word, one] * own[word, other]
    solve_in_place(matrix, found, dimensions)


@kernel
def fold_texts(
    starts: IntArray, tokens: NDArray[np.int32], rarity: NDArray[np.float32], folded: FloatArray, weight: float
) -> FloatArray:
    """The solution of (I + w U' U) z = U' x for each text, where U are the vectors of its words and x their values.

    A text with fewer words than dimensions is solved by its words: z = U' (I + w U U')^-1 x.
    """
    dimensions, longest = folded.shape[1], 0
    for text in range(len(starts) - 1):
        longest = max(longest, starts[text + 1] - starts[text])
    own, values, matrix = np.empty((longest, dimensions)), np.empty(longest), np.empty((dimensions, dimensions))
    found = np.zeros((len(starts) - 1, dimensions))
    for text in range(len(found)):
        words = gather_words(tokens[starts[text] : starts[text + 1]], rarity, folded, own, values)
        if words <= dimensions:
            fold_by_words(own[:words], values[:words], weight, matrix, found[text])
        else:
            fold_by_dimensions(own[:words], values[:words], weight, matrix, found[text])
    return found


def rarity_cells(texts: TokenLists, rarity: FloatArray, words: int) -> Cells:
    """The frequency of each word in each text times its rarity, of the most frequent words."""
    return Cells(*count_words(*texts, rarity[:words].astype(np.float64)))


def turned(cells: Cells, columns: int) -> Cells:
    """The same values by column.

    >>> [part.tolist() for part in turned(Cells(np.array([0, 2]), np.array([0, 2]), np.array([5.0, 6.0])), 3)]
    [[0, 1, 1, 2], [0, 0], [5.0, 6.0]]
    """
    rows = np.repeat(np.arange(len(cells.starts) - 1), np.diff(cells.starts))
    order = np.argsort(cells.columns, kind="stable")
    return Cells(np.searchsorted(cells.columns[order], np.arange(columns + 1)), rows[order], cells.values[order])


def _sample(corpus: Corpus, rng: np.random.Generator) -> TokenLists:
    """Posts and comments, half of the texts each, by chance."""
    chosen = [
        side.of(np.sort(rng.permutation(len(side))[: MOST_TEXTS // 2])) for side in (corpus.posts, corpus.comments)
    ]
    starts = np.concatenate((chosen[0].starts, chosen[1].starts[1:] + chosen[0].starts[-1]))
    return TokenLists(starts, np.concatenate([one.tokens for one in chosen]))


@kernel
def solve_rows(
    starts: IntArray, columns: IntArray, values: FloatArray, vectors: FloatArray, base: FloatArray, missing: float,
    found: FloatArray,
) -> None:  # fmt: skip
    """Solve the normal equations of each row that has a value."""
    dimensions = vectors.shape[1]
    for row in range(len(found)):
        if starts[row] == starts[row + 1]:
            continue
        matrix, target = base.copy(), np.zeros(dimensions)
        for at in range(starts[row], starts[row + 1]):
            own = vectors[columns[at]]
            for one in range(dimensions):
                target[one] += values[at] * own[one]
                for other in range(dimensions):
                    matrix[one, other] += (1.0 - missing) * own[one] * own[other]
        found[row] = np.linalg.solve(matrix, target)
