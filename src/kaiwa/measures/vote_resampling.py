"""Intervals of the scores from other assessors' votes, by resampling assessors, or votes if nobody is known."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measures.scoring import values_of
from kaiwa.nouns.ids import FloatArray
from kaiwa.nouns.votes import NA

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kaiwa.measures.judgements import Answers, Judgements
    from kaiwa.measures.scoring import Reading
    from kaiwa.measures.table import Chosen
    from kaiwa.nouns.ids import IntArray
    from kaiwa.nouns.votes import Votes


CONFIDENCE = 0.95
MIN_SAMPLES = 2
SAMPLES = 200


@dataclass(frozen=True, eq=False)
class VoteIntervals:
    """95% intervals of the mean scores from another panel of the same size and population: measures x runs.

    ``error`` is the standard error of a mean score that comes from the choice of assessors. ``undefined`` counts the
    (resample, topic) pairs without a relevant item; they are ignored. ``assessors`` is how many people were resampled,
    with all their votes; None if votes were resampled as if each were of another person.
    """

    low: FloatArray
    high: FloatArray
    error: FloatArray
    undefined: int
    assessors: int | None = None


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


def resample_assessors(votes: Votes, counts: IntArray, *, rng: np.random.Generator) -> IntArray:
    """The votes of as many assessors drawn with replacement, items x levels; each item keeps its number of votes.

    An assessor who is drawn twice votes twice. An item with more or fewer votes than before has its number drawn from
    these votes; an item without any, from its own.

    >>> from kaiwa.nouns.votes import Votes
    >>> rows = [("q", comment, name, level) for comment in "xy" for level, name in enumerate(("ann", "bob"))]
    >>> votes = Votes.from_rows(rows)
    >>> resample_assessors(votes, votes.counts(), rng=np.random.default_rng(1)).tolist()
    [[1, 1], [1, 1]]
    """
    people = len(votes.assessors)
    times = np.bincount(rng.integers(people, size=people), minlength=people)
    given = votes.level != NA
    cells = votes.item[given] * counts.shape[1] + votes.level[given]
    weights = times[votes.assessor[given]]
    drawn = np.bincount(cells, weights=weights, minlength=counts.size).astype(np.int64).reshape(counts.shape)
    total, got = counts.sum(axis=1), drawn.sum(axis=1)
    off = np.flatnonzero(got != total)
    source = np.where(got[off, None] > 0, drawn[off], counts[off])
    drawn[off] = rng.multinomial(total[off], source / source.sum(axis=1, keepdims=True))
    return drawn


def vote_intervals(
    answers: Answers,
    judgements: Judgements,
    measures: Sequence[Chosen],
    reading: Reading,
    *,
    gain: Callable[[IntArray], FloatArray],
    by_person: Votes | None = None,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> VoteIntervals:
    """Intervals of the mean scores for another panel, from resampled votes; ``gain`` turns votes into gains.

    After the agreement-aware measures of Maddalena et al., ICTIR 2017. The scores of two panels differ by chance
    only, each with the same error, so 95% of the differences are within t sqrt(2) errors. Votes whose assessors are
    known (``by_person``, whose items are the judged rows) are resampled by assessor, because a lenient one is lenient
    on all items; the quantile t then has as many degrees of freedom as there are assessors, less one.
    """
    votes = judgements.votes
    if votes is None:
        raise ValueError("judgements without votes cannot be resampled")
    widening = _widening(votes.sum(axis=1))
    people = None if by_person is None or by_person.anonymous else by_person
    defined = judgements.ideals.relevant > 0
    means, undefined = list[FloatArray](), 0
    for done in range(samples):
        on_progress(done, samples)
        drawn = resample_assessors(people, votes, rng=rng) if people else resample_votes(votes, rng=rng)
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
    reach = _quantile(people) * sqrt(2) * error
    return VoteIntervals(actual - reach, actual + reach, error, undefined, len(people.assessors) if people else None)


def _quantile(people: Votes | None) -> float:
    """The 97.5% point of t with as many degrees of freedom as assessors of equal work, less one; else of the normal."""
    from scipy.special import ndtri, stdtrit

    if people is None:
        return float(ndtri((1 + CONFIDENCE) / 2))
    work = np.bincount(people.assessor[people.level != NA]).astype(np.float64)
    alike = work.sum() ** 2 / (work**2).sum()
    return float(stdtrit(max(alike - 1, 1.0), (1 + CONFIDENCE) / 2))


def _widening(votes: IntArray) -> float:
    """The factor that corrects the variance of resampled votes, which is (n - 1) / n of that of n votes per item."""
    several = votes[votes > 1]
    if not len(several):
        what = "no item has two votes, so the variance of votes is unknown"
        raise InputError(f"{what}; leave out {option('uncertainty')}")
    return float(np.sqrt((several / (several - 1)).mean()))
