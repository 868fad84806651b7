"""Agreement of a whole collection of votes: the statistics with intervals over topics, and the contested items."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.label.assessor_levels import AssessorLevels, levels_by_assessor
from kaiwa.label.coefficients import (
    METRICS,
    agreeing_pairs,
    alpha_of,
    cohen_kappa,
    coincidences,
    fleiss_kappa,
    item_agreement,
    item_shares,
    kappa_of,
    krippendorff_alpha,
    merged,
    parse_merge,
    raw_agreement,
)
from kaiwa.model.shown import Shown
from kaiwa.model.topic_lists import group_by_topic
from kaiwa.model.votes import NA
from kaiwa.stats.topic_bootstrap import percentile_limits, topic_counts

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.votes import Votes

_CONFIDENCE = 0.95
_PAIR = 2


@dataclass(frozen=True)
class Estimate:
    """A statistic with its 95% interval over resampled topics; the bounds are NaN if there is one topic."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Contested:
    """An item on which its assessors disagree: its votes at each level, and the share of agreeing pairs."""

    topic: str
    comment: str
    votes: tuple[int, ...]
    agreement: float


@dataclass(frozen=True)
class AssessorPair:
    """Two assessors, the items both voted on, and Cohen's kappa plain, linear and quadratic."""

    first: str
    second: str
    items: int
    agreement: float
    kappa: float
    linear: float
    quadratic: float


@dataclass(frozen=True)
class Agreement(Shown):
    """The agreement of the votes: kappa and alpha by metric with intervals, raw agreement, counts, and the assessors.

    ``items`` counts the items with two votes or more; without any, the statistics are NaN. ``missing`` counts the NA
    votes, which are ignored. ``assessors`` has a line for each assessor, in the order of the votes.

    >>> import kaiwa
    >>> kaiwa.Votes.from_rows([("q", "c", "ann", 2), ("q", "c", "bob", 2)]).agree().raw.value
    1.0
    """

    items: int
    topics: int
    votes: int
    missing: int
    votes_per_item: float
    raw: Estimate
    fleiss: Estimate
    alpha: dict[str, Estimate]
    assessors: tuple[AssessorLevels, ...] = field(repr=False)


def agreement(
    votes: Votes, *, rng: np.random.Generator, classes: IntArray | None = None, samples: int = 1000
) -> Agreement:
    """The agreement statistics of the votes, with levels merged by ``classes`` if given.

    Intervals are 95% percentile intervals over ``samples`` resamples of whole topics, because items of one topic
    share its difficulty.
    """
    counts = votes.counts() if classes is None else merged(votes.counts(), classes)
    voted = counts.sum(axis=1) >= _PAIR
    topic_of, topics = topic_numbers(votes)
    parts = _by_topic(counts[voted], topic_of[voted], topics)
    weights = topic_counts(rng, samples, topics, size=topics)
    matrices = np.einsum("bt,tij->bij", weights, parts.coincidences)
    observed = (weights @ parts.agreement) / np.maximum(weights @ parts.items, 1)
    agreeing, pairs = np.moveaxis(weights @ parts.pairs, 1, 0)
    totals = weights @ parts.totals
    kappas = np.array([_kappa(share, total) for share, total in zip(observed.tolist(), totals, strict=True)])
    return Agreement(
        items=int(voted.sum()),
        topics=topics,
        votes=int(counts.sum()),
        missing=votes.missing,
        votes_per_item=float(counts[voted].sum() / voted.sum()) if voted.any() else float("nan"),
        raw=estimate(raw_agreement(counts), agreeing / np.maximum(pairs, 1)),
        fleiss=estimate(fleiss_kappa(counts), kappas),
        alpha={
            metric: estimate(
                krippendorff_alpha(counts, metric), np.array([alpha_of(matrix, metric) for matrix in matrices])
            )
            for metric in METRICS
        },
        assessors=levels_by_assessor(votes, classes=classes),
    )


def agreement_of_levels(
    votes: Votes, *, rng: np.random.Generator, merge: str | None = None, samples: int = 1000
) -> Agreement:
    """The agreement of the votes, with levels merged by a text such as ``L1+L2`` if given."""
    classes = None if merge is None else parse_merge(merge, votes.top)
    return agreement(votes, rng=rng, classes=classes, samples=samples)


def contested(votes: Votes, number: int) -> list[Contested]:
    """The items whose votes agree least; ties by the variance of the levels, largest first, then by file order."""
    counts = votes.counts()
    agreeing = item_agreement(counts)
    voted = np.flatnonzero(~np.isnan(agreeing))
    levels = np.arange(counts.shape[1])
    total = np.maximum(counts.sum(axis=1), 1)
    spread = (counts @ levels**2) / total - ((counts @ levels) / total) ** 2
    order = voted[np.lexsort((-spread[voted], agreeing[voted]))][:number]
    return [
        Contested(
            votes.topics[item].decode(),
            votes.comments[item].decode(),
            tuple(counts[item].tolist()),
            float(agreeing[item]),
        )
        for item in order.tolist()
    ]


def assessor_pairs(votes: Votes) -> list[AssessorPair]:
    """Cohen's kappa of every two assessors who voted on the same item."""
    by_assessor = votes.by_assessor()
    levels = votes.top + 1
    pairs = list[AssessorPair]()
    for one, two in combinations(range(len(votes.assessors)), 2):
        both = (by_assessor[:, one] != NA) & (by_assessor[:, two] != NA)
        if both.any():
            first, second = by_assessor[both, one], by_assessor[both, two]
            kappas = (
                cohen_kappa(first, second, levels, weights=weights) for weights in ("none", "linear", "quadratic")
            )
            same = float((first == second).mean())
            pairs.append(AssessorPair(votes.assessors[one], votes.assessors[two], int(both.sum()), same, *kappas))
    return pairs


@dataclass(frozen=True, eq=False)
class _Parts:
    """What each topic adds to the statistics."""

    agreement: FloatArray
    items: IntArray
    pairs: IntArray
    totals: FloatArray
    coincidences: FloatArray


def _by_topic(counts: IntArray, topic_of: IntArray, topics: int) -> _Parts:
    order = np.argsort(topic_of, kind="stable")
    bounds = np.searchsorted(topic_of[order], np.arange(topics + 1))
    spans = [order[low:high] for low, high in pairwise(bounds)]
    return _Parts(
        np.bincount(topic_of, weights=item_agreement(counts), minlength=topics).astype(np.float64),
        np.bincount(topic_of, minlength=topics),
        np.stack([agreeing_pairs(counts[span]).sum(axis=0) for span in spans]),
        np.stack([item_shares(counts[span]).sum(axis=0) for span in spans]),
        np.stack([coincidences(counts[span]) for span in spans]),
    )


def topic_numbers(votes: Votes) -> tuple[IntArray, int]:
    """The number of each item's topic, and how many topics there are."""
    grouping = group_by_topic(votes.topics)
    numbers = np.repeat(np.arange(len(grouping.topics)), np.diff(grouping.starts))
    if grouping.order is not None:
        back = np.empty_like(numbers)
        back[grouping.order] = numbers
        numbers = back
    return numbers, len(grouping.topics)


def _kappa(observed: float, totals: FloatArray) -> float:
    return kappa_of(observed, totals) if totals.sum() else float("nan")


def estimate(value: float, resampled: FloatArray) -> Estimate:
    """The value with the limits of its resampled values; NaN limits if fewer than two of them differ."""
    defined = resampled[~np.isnan(resampled)]
    if len(defined) < _PAIR or np.ptp(defined) == 0:
        return Estimate(value, float("nan"), float("nan"))
    return Estimate(value, *percentile_limits(defined, _CONFIDENCE))
