"""Scores of texts by an encoder-decoder: the mean log-probability of a text's words given another text.

The steps of all texts are computed together, in arrays: the tanh of one number at a time was most of the cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.rank.models.encoder_decoder import encode_texts, shortened

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.models.encoder_decoder import Decoder, Reals
    from kaiwa.rank.models.token_lists import TokenLists


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
    >>> from kaiwa.rank.models.token_lists import token_lists
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
    counts = np.diff(targets.starts) + 1
    hidden = model.before[steps.before]
    hidden += model.second[steps.second]
    hidden += encodings if len(encodings) == 1 else np.repeat(encodings, counts, axis=0)
    np.tanh(hidden, out=hidden)
    scores = np.einsum("sh,sh->s", hidden, model.output[steps.rows]) + model.shift[steps.rows] + steps.rest
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)[:-1]))
    means: FloatArray = np.add.reduceat(scores, starts) / counts
    return means


def _scores_of_one(encodings: Reals, steps: Steps, model: Decoder) -> FloatArray:
    """The mean score of one target for each encoding, one word of the target after another."""
    scores = np.zeros(len(encodings))
    for step in range(len(steps.rows)):
        row = steps.rows[step]
        hidden = np.tanh(encodings + (model.before[steps.before[step]] + model.second[steps.second[step]]))
        scores += hidden @ model.output[row] + (model.shift[row] + steps.rest[step])
    return scores / len(steps.rows)
