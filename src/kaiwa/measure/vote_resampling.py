"""Intervals of the scores that other assessors' votes would give, by resampling the votes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measure.scoring import values_of
from kaiwa.model.ids import FloatArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.measure.chosen_measure import Chosen
    from kaiwa.measure.judgements import Answers, Judgements
    from kaiwa.measure.scoring import Reading
    from kaiwa.model.ids import IntArray


COVER = 1.959963984540054
"""The 97.5% point of the normal distribution."""
MIN_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class VoteIntervals:
    """95% intervals of the mean scores from another panel of the same size and population: measures x runs.

    ``error`` is the standard error of a mean score that comes from the choice of assessors. ``undefined`` counts the
    (resample, topic) pairs without a relevant item; they are ignored.
    """

    low: FloatArray
    high: FloatArray
    error: FloatArray
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
    gain: Callable[[IntArray], FloatArray],
    rng: np.random.Generator,
    samples: int = 200,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> VoteIntervals:
    """Intervals of the mean scores for another panel, from resampled votes; ``gain`` turns votes into gains.

    After the agreement-aware measures of Maddalena et al., ICTIR 2017. The scores of two panels differ by chance
    only, each with the same error, so 95% of the differences are within 1.96 sqrt(2) errors.
    """
    votes = judgements.votes
    if votes is None:
        raise ValueError("judgements without votes cannot be resampled")
    widening = _widening(votes.sum(axis=1))
    defined = judgements.ideals.relevant > 0
    means, undefined = list[FloatArray](), 0
    for done in range(samples):
        on_progress(done, samples)
        drawn = resample_votes(votes, rng=rng)
        again = judgements.revalued(gain(drawn), votes=drawn)
        kept = defined & (again.ideals.relevant > 0)
        undefined += int((defined & ~kept).sum())
        if not kept.any():
            continue
        values = values_of(answers, again, measures, reading)[:, :, kept]
        means.append(values.mean(axis=2))
    actual = values_of(answers, judgements, measures, reading)[:, :, defined].mean(axis=2)
    if len(means) < MIN_SAMPLES:
        raise InputError("resampled votes leave no topic a relevant item; give more votes or topics")
    error = np.std(np.stack(means), axis=0, ddof=1) * widening
    reach = COVER * sqrt(2) * error
    return VoteIntervals(actual - reach, actual + reach, error, undefined)


def _widening(votes: IntArray) -> float:
    """The factor that corrects the variance of resampled votes, which is (n - 1) / n of that of n votes per item."""
    several = votes[votes > 1]
    if not len(several):
        what = "no item has two votes, so the variance of votes is unknown"
        raise InputError(f"{what}; leave out {option('uncertainty')}")
    return float(np.sqrt((several / (several - 1)).mean()))
