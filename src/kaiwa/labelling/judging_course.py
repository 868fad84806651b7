"""The course of judging: agreement after each part of the votes, drift, self-consistency, speed, order, confusion."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.labelling.agreement import agreement
from kaiwa.labelling.coefficients import coincidences
from kaiwa.labelling.estimates import Estimate, estimate
from kaiwa.nouns.votes import NA, Votes
from kaiwa.stats.resampling import topic_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray


_PARTS = 10
_FEWEST = 2
_HUNDRED = 100
_WILSON = 1.959963984540054
"""The 97.5% point of the normal distribution."""
_ATTENTIVE_MS = 10 * 60 * 1000
"""A comment that was open for longer was left open; it is not counted in the speed."""


@dataclass(frozen=True, slots=True)
class TimedVote:
    """A vote with its circumstances: milliseconds seen, characters of the comment, place in the list."""

    topic: str
    comment: str
    assessor: str
    level: int
    seen_ms: int = 0
    characters: int = 0
    position: int = 0


@dataclass(frozen=True)
class AgreementPoint:
    """Krippendorff's ordinal alpha of the first so many votes."""

    votes: int
    alpha: Estimate


@dataclass(frozen=True)
class Consistency:
    """How often an assessor gave the same level again, of so many items that came back, with a 95% interval."""

    same: int
    repeats: int
    low: float
    high: float


def votes_of(given: Sequence[TimedVote], *, top: int) -> Votes:
    """The votes without their circumstances.

    >>> votes_of([TimedVote("q", "c", "ann", 2), TimedVote("q", "c", "bob", NA)], top=2)
    Votes(1 item, 2 assessors, 2 votes of which 1 NA)
    """
    rows = ((one.topic, one.comment, one.assessor, None if one.level == NA else one.level) for one in given)
    return Votes.from_rows(rows, max_level=top)


def agreement_history(
    given: Sequence[TimedVote], *, top: int, rng: np.random.Generator, trials: int = 200
) -> list[AgreementPoint]:
    """Alpha after each tenth of the votes, which are in the order of time; tenths without an alpha are left out.

    >>> rows = [TimedVote(f"q{item}", "c", who, item % 3) for item in range(20) for who in ("ann", "bob")]
    >>> [(one.votes, one.alpha.value) for one in agreement_history(rows, top=2, rng=np.random.default_rng(1))][-1]
    (40, 1.0)
    """
    ends = sorted({len(given) * part // _PARTS for part in range(1, _PARTS + 1)} - {0})
    points = list[AgreementPoint]()
    for end in ends:
        found = agreement(votes_of(given[:end], top=top), rng=rng, trials=trials)
        if not np.isnan(found.alpha["ordinal"].value):
            points.append(AgreementPoint(end, found.alpha["ordinal"]))
    return points


def drift(given: Sequence[TimedVote], *, rng: np.random.Generator, trials: int = 1000) -> dict[str, Estimate]:
    """How many levels lower than the others each assessor judged in the second half of the own votes than in the first.

    A level is compared with the mean level of the other assessors on the same item; items that nobody else judged are
    left out. The interval is the 95% percentile interval over resampled topics.

    >>> rows = [TimedVote(f"q{n}", "c", "ann", 2 - n // 4) for n in range(8)]
    >>> rows += [TimedVote(f"q{n}", "c", "bob", 2) for n in range(8)]
    >>> round(drift(rows, rng=np.random.default_rng(1))["ann"].value, 2)
    1.0
    """
    counted = [one for one in given if one.level != NA]
    sums, numbers = dict[tuple[str, str], int](), dict[tuple[str, str], int]()
    for one in counted:
        item = one.topic, one.comment
        sums[item] = sums.get(item, 0) + one.level
        numbers[item] = numbers.get(item, 0) + 1
    lower: dict[str, list[tuple[str, float]]] = {}
    for one in counted:
        item = one.topic, one.comment
        if (others := numbers[item] - 1) > 0:
            gap = (sums[item] - one.level) / others - one.level
            lower.setdefault(one.assessor, []).append((one.topic, gap))
    return {name: _drift_of(gaps, rng, trials) for name, gaps in lower.items() if len(gaps) >= 2 * _FEWEST}


def _drift_of(gaps: Sequence[tuple[str, float]], rng: np.random.Generator, trials: int) -> Estimate:
    codes = np.unique([topic for topic, _ in gaps], return_inverse=True)[1].ravel()
    values = np.array([gap for _, gap in gaps])
    late = (np.arange(len(gaps)) >= len(gaps) / 2).astype(np.float64)
    topics = int(codes.max()) + 1
    weights = topic_counts(rng, trials, topics, size=topics)[:, codes]
    return estimate(float(_mean_gap(values, late, np.ones((1, len(gaps))))[0]), _mean_gap(values, late, weights))


def _mean_gap(values: FloatArray, late: FloatArray, weights: FloatArray | IntArray) -> FloatArray:
    """The weighted mean of the late values minus that of the early ones, per row of weights; NaN without either."""
    second, first = weights * late, weights * (1 - late)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap: FloatArray = second @ values / second.sum(axis=1) - first @ values / first.sum(axis=1)
    return gap


def self_consistency(pairs: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, Consistency]:
    """By assessor: of the items that came back, those with the same level twice, with Wilson's interval.

    >>> found = self_consistency({"ann": [(2, 2), (1, 1), (0, 1)]})["ann"]
    >>> found.same, found.repeats, round(found.low, 3), round(found.high, 3)
    (2, 3, 0.208, 0.939)
    """
    same = {name: sum(first == again for first, again in both) for name, both in pairs.items()}
    return {
        name: Consistency(same[name], len(both), *_wilson(same[name], len(both)))
        for name, both in pairs.items()
        if both
    }


def _wilson(hits: int, number: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share (1927)."""
    share, squared = hits / number, _WILSON**2
    middle = (share + squared / (2 * number)) / (1 + squared / number)
    reach = _WILSON * sqrt(share * (1 - share) / number + squared / (4 * number**2)) / (1 + squared / number)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def seconds_per_hundred(given: Sequence[TimedVote]) -> dict[str, float]:
    """The median over an assessor's votes of the seconds per 100 characters; comments left open are not counted.

    >>> seconds_per_hundred([TimedVote("q", "c", "ann", 2, seen_ms=3000, characters=50)])
    {'ann': 6.0}
    """
    times: dict[str, list[float]] = {}
    for one in given:
        if 0 < one.seen_ms < _ATTENTIVE_MS and one.characters:
            times.setdefault(one.assessor, []).append(one.seen_ms / 1000 * _HUNDRED / one.characters)
    return {name: median(seconds) for name, seconds in times.items()}


def level_by_position(
    given: Sequence[TimedVote], *, rng: np.random.Generator, trials: int = 1000
) -> dict[int, Estimate]:
    """The mean level of the votes at each place of the list, with its interval over resampled topics.

    >>> rows = [TimedVote(f"q{n}", "c", "ann", n % 2, position=1) for n in range(10)]
    >>> level_by_position(rows, rng=np.random.default_rng(1))[1].value
    0.5
    """
    placed = [one for one in given if one.level != NA and one.position > 0]
    if not placed:
        return {}
    codes = np.unique([one.topic for one in placed], return_inverse=True)[1].ravel()
    level, position = (np.array([getattr(one, name) for one in placed]) for name in ("level", "position"))
    topics = int(codes.max()) + 1
    drawn = topic_counts(rng, trials, topics, size=topics)
    found = dict[int, Estimate]()
    for place in np.unique(position).tolist():
        here = position == place
        sums = np.bincount(codes[here], weights=level[here], minlength=topics)
        numbers = np.bincount(codes[here], minlength=topics)
        again = drawn @ numbers
        means = np.divide(drawn @ sums, again, out=np.full(trials, np.nan), where=again > 0)
        found[place] = estimate(float(level[here].mean()), means)
    return found


def confusion_between(votes: Votes) -> FloatArray:
    """Of two votes on one item: the share of each level (columns) among the others' votes, per level (rows).

    A row without votes is NaN.

    >>> confusion_between(Votes.from_rows([("q", "c", "ann", 0), ("q", "c", "bob", 1)])).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    counts = votes.counts()
    matrix = coincidences(counts[counts.sum(axis=1) >= _FEWEST])
    total = matrix.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(matrix, total, out=np.full(matrix.shape, np.nan), where=total > 0)
    return shares
