"""What the scores would be had the assessors voted a little differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.measure.score import values_of
from kaiwa.model import FloatArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.measure.choose import Chosen
    from kaiwa.measure.judgements import Answers, Judgements
    from kaiwa.measure.score import Reading
    from kaiwa.model import IntArray


@dataclass(frozen=True, eq=False)
class VoteIntervals:
    """95% intervals of the mean scores over resampled votes, measures x runs; ``samples`` x measures x runs beside.

    ``undefined`` counts the (resample, topic) pairs whose votes left no relevant item; they are passed over.
    """

    low: FloatArray
    high: FloatArray
    means: FloatArray
    undefined: int


def resample_votes(counts: IntArray, *, rng: np.random.Generator) -> IntArray:
    """Each item's votes drawn again with replacement, items x levels in and out.

    >>> resample_votes(np.array([[0, 3], [0, 0]]), rng=np.random.default_rng(1))
    array([[0, 3],
           [0, 0]])
    """
    total = counts.sum(axis=1)
    shares = counts / np.maximum(total, 1)[:, None]
    shares[total == 0, 0] = 1.0
    return rng.multinomial(total, shares)


def vote_intervals(
    answers: Answers,
    judgements: Judgements,
    measures: Sequence[Chosen],
    reading: Reading,
    *,
    worth: Callable[[IntArray], FloatArray],
    rng: np.random.Generator,
    samples: int = 200,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> VoteIntervals:
    """The mean scores under resampled votes (after Maddalena et al., ICTIR 2017); ``worth`` makes votes into gains."""
    votes = judgements.votes
    if votes is None:
        raise ValueError("judgements without votes cannot be resampled")
    defined = judgements.ideals.relevant > 0
    means, undefined = list[FloatArray](), 0
    for done in range(samples):
        on_progress(done, samples)
        drawn = resample_votes(votes, rng=rng)
        again = judgements.revalued(worth(drawn), votes=drawn)
        kept = defined & (again.ideals.relevant > 0)
        undefined += int((defined & ~kept).sum())
        values = values_of(answers, again, measures, reading)[:, :, kept]
        means.append(values.mean(axis=2))
    stacked = np.stack(means)
    low, high = np.percentile(stacked, [2.5, 97.5], axis=0)
    return VoteIntervals(low, high, stacked, undefined)
