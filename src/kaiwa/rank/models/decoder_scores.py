"""Scores of texts by an encoder-decoder: the mean log-probability of a text's words given another text.

The hidden layer is computed with its tanh and its product in one loop, which uses vector instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.rank.models.encoder_decoder import encode_texts, shortened
from kaiwa.stats.compiled import kernel_part, sum_kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.models.encoder_decoder import Decoder, Reals
    from kaiwa.rank.texts.token_lists import TokenLists

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

    >>> from kaiwa.rank.models.encoder_decoder import initial_decoder
    >>> from kaiwa.rank.texts.token_lists import token_lists
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
