"""The quality of each assessor: severity with an interval, use of the levels, agreement, confusion of levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import counted
from kaiwa.label.agreement import Estimate, estimate, topic_numbers
from kaiwa.label.assessor_levels import divided, levels_by_assessor
from kaiwa.label.dawid_skene import dawid_skene
from kaiwa.model.shown import Shown
from kaiwa.model.votes import NA
from kaiwa.registry import Names
from kaiwa.stats.topic_bootstrap import topic_counts

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.votes import Votes


@dataclass(frozen=True)
class AssessorQuality:
    """One assessor: how many items, which levels, how severe, how much like the others.

    ``severity`` is how many levels lower than the average assessor he or she judges the same items. ``shares`` has the
    share of each level. ``agreement`` and ``kappa`` compare with the others' votes, as in ``AssessorLevels``.
    ``confusion`` has a row for each level that an item probably has, with the shares of the levels that the assessor
    gives to such items (Dawid and Skene); ``accuracy`` is the share of votes at the probable level. What is undefined
    is NaN.
    """

    name: str
    items: int
    missing: int
    mean_level: float
    shares: tuple[float, ...]
    severity: Estimate
    agreement: float
    kappa: float
    accuracy: float
    confusion: tuple[tuple[float, ...], ...]


def assessor_quality(votes: Votes, *, rng: np.random.Generator, samples: int = 1000) -> tuple[AssessorQuality, ...]:
    """A line per assessor, the one who agrees least with the others first; ``items`` counts votes that are not NA.

    The interval of the severity is the 95% percentile interval over ``samples`` resamples of whole topics.

    >>> from kaiwa.model.votes import Votes
    >>> levels = {"ann": (2, 2, 1, 1), "bob": (2, 2, 1, 1), "eve": (1, 2, 0, 0)}
    >>> rows = [(f"q{item}", "c", name, one) for name, given in levels.items() for item, one in enumerate(given)]
    >>> found = assessor_quality(Votes.from_rows(rows), rng=np.random.default_rng(1))
    >>> [(one.name, round(one.severity.value, 2)) for one in found]
    [('eve', 0.5), ('ann', -0.25), ('bob', -0.25)]
    """
    severities = severity(votes, rng=rng, samples=samples)
    model = dawid_skene(votes)
    used = _shares_of_levels(votes)
    correct = _accuracy(votes, model.probabilities)
    lines = [
        AssessorQuality(
            name=one.name,
            items=one.votes,
            missing=one.missing,
            mean_level=one.mean_level,
            shares=tuple(used[place].tolist()),
            severity=severities[place],
            agreement=one.agreement,
            kappa=one.kappa,
            accuracy=float(correct[place]),
            confusion=tuple(map(tuple, model.confusion[place].tolist())),
        )
        for place, one in enumerate(levels_by_assessor(votes))
    ]
    return tuple(sorted(lines, key=lambda one: (np.nan_to_num(one.agreement, nan=2.0), one.name)))


@dataclass(frozen=True)
class PanelQuality(Shown):
    """The quality of each assessor, the one who agrees least with the others first; by name too.

    ``anonymous`` votes have columns instead of people, and ``simulated`` ones are no result.

    >>> import kaiwa
    >>> votes = kaiwa.Votes.from_rows([("q", "c", "ann", 2), ("q", "c", "bob", 2)])
    >>> votes.assessor_quality()["ann"].agreement
    1.0
    """

    assessors: tuple[AssessorQuality, ...]
    topics: int
    top: int
    anonymous: bool
    simulated: bool

    def __repr__(self) -> str:
        return f"PanelQuality({counted(len(self.assessors), 'assessor')}, {counted(self.topics, 'topic')})"

    def __getitem__(self, name: str) -> AssessorQuality:
        return Names("assessor", {one.name: one for one in self.assessors})[name]


def panel_quality(votes: Votes, *, rng: np.random.Generator, samples: int = 1000) -> PanelQuality:
    """The quality of the assessors of these votes."""
    return PanelQuality(
        assessor_quality(votes, rng=rng, samples=samples),
        topic_numbers(votes)[1],
        votes.top,
        votes.anonymous,
        votes.simulated,
    )


def severity(votes: Votes, *, rng: np.random.Generator, samples: int = 1000) -> tuple[Estimate, ...]:
    """How many levels lower than the average assessor each one judges the same items, in the order of the votes.

    Level = item - severity, by least squares; severities sum to 0 over the assessors who share items with each other.
    An assessor who shares no item has none (NaN). So a severe colleague, or bad items, do not count as one's own.
    The interval is over topics; who judged items of one topic alone has none.
    """
    topic_of, topics = topic_numbers(votes)
    links = _links(votes, topic_of, topics)
    value = _solved(links, np.ones(topics))
    drawn = np.array([_solved(links, weights) for weights in topic_counts(rng, samples, topics, size=topics)])
    return tuple(
        estimate(float(one), resampled) if several else Estimate(float(one), np.nan, np.nan)
        for one, resampled, several in zip(value, drawn.T, links.judged_topics() > 1, strict=True)
    )


@dataclass(frozen=True, eq=False)
class _Links:
    """The normal equations of the additive model, items eliminated, as a sum over topics.

    An entry of the left side has a topic, a pair of assessors (first x assessors + second) and a value; ``right`` is
    topics x assessors.
    """

    topic: IntArray
    pair: IntArray
    left: FloatArray
    right: FloatArray

    def judged_topics(self) -> IntArray:
        """The number of topics on which each assessor shares an item with another."""
        people = self.right.shape[1]
        own = self.pair[self.pair % (people + 1) == 0]  # first = second
        return np.bincount(own // (people + 1), minlength=people)


def _links(votes: Votes, topic_of: IntArray, topics: int) -> _Links:
    """What each topic adds to the equations: from each item with several votes, every two of its assessors."""
    counts = votes.counts().sum(axis=1)
    rows = np.flatnonzero((votes.level != NA) & (counts[votes.item] > 1))
    rows = rows[np.argsort(votes.item[rows], kind="stable")]
    item, who, level, people = votes.item[rows], votes.assessor[rows], votes.level[rows], len(votes.assessors)
    number = counts[item]
    mean = np.bincount(item, weights=level, minlength=votes.items)[item] / number
    cells = topic_of[item] * people + who
    right = np.bincount(cells, weights=mean - level, minlength=topics * people).astype(np.float64)
    first = np.repeat(np.arange(len(rows)), number)
    begin = np.searchsorted(item, item)
    second = begin[first] + np.arange(len(first)) - np.repeat(np.cumsum(number) - number, number)
    entries, place = np.unique(cells[first] * people + who[second], return_inverse=True)
    shared = (first == second) - 1.0 / number[first]
    left = np.bincount(place, weights=shared, minlength=len(entries)).astype(np.float64)
    return _Links(entries // people**2, entries % people**2, left, right.reshape(topics, people))


def _solved(links: _Links, weights: FloatArray | IntArray) -> FloatArray:
    """The severities with each topic counted ``weights`` times; NaN for an assessor without a shared item."""
    people = links.right.shape[1]
    left = np.bincount(links.pair, weights=links.left * weights[links.topic], minlength=people * people)
    left = left.reshape(people, people)
    alone = left.diagonal() <= 0
    solved = np.linalg.lstsq(left, weights @ links.right, rcond=None)[0].astype(np.float64)
    solved[alone] = np.nan
    return solved


def _shares_of_levels(votes: Votes) -> FloatArray:
    """The share of each assessor's votes at each level, assessors x levels."""
    given = votes.level != NA
    levels, people = votes.top + 1, len(votes.assessors)
    cells = np.bincount(votes.assessor[given] * levels + votes.level[given], minlength=people * levels)
    counts = cells.reshape(people, levels)
    return divided(counts, counts.sum(axis=1, keepdims=True))


def _accuracy(votes: Votes, probabilities: FloatArray) -> FloatArray:
    """The share of each assessor's votes at the probable level of their items."""
    given = votes.level != NA
    who, people = votes.assessor[given], len(votes.assessors)
    right = np.bincount(who, weights=probabilities[votes.item[given], votes.level[given]], minlength=people)
    return divided(right, np.bincount(who, minlength=people))
