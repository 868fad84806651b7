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
    """95% intervals of the mean scores had the assessors voted again, measures x runs.

    ``shift`` is how far resampling alone moves the mean: noise in the votes makes the ideal list look better than
    it is, so normalised measures come out low, and the interval allows for it. ``undefined`` counts the (resample,
    topic) pairs whose votes left no relevant item; they are passed over.
    """

    low: FloatArray
    high: FloatArray
    shift: FloatArray
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
    """Basic bootstrap intervals of the mean scores over resampled votes; ``worth`` makes votes into gains.

    After the agreement-aware measures of Maddalena et al., ICTIR 2017. The interval is [2m - q(.975), 2m - q(.025)],
    m the score and q the quantiles of the resampled scores (Davison and Hinkley 1997, section 5.2).
    """
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
    actual = values_of(answers, judgements, measures, reading)[:, :, defined].mean(axis=2)
    low, high = np.percentile(np.stack(means), [2.5, 97.5], axis=0)
    return VoteIntervals(2 * actual - high, 2 * actual - low, np.mean(means, axis=0) - actual, undefined)
