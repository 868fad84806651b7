"""The quality of each assessor: severity with an interval, use of the levels, agreement, confusion of levels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import Names, counted
from kaiwa.labelling.coefficients import item_shares, merged
from kaiwa.labelling.estimates import CONFIDENCE, Estimate, defined, divided, estimate, topic_numbers
from kaiwa.nouns.votes import NA, SIMULATED_NOTICE
from kaiwa.show.result import Description, Result, Table
from kaiwa.stats.resampling import topic_counts

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.votes import Votes
    from kaiwa.show.text import Cell


# Each assessor's use of the levels, and agreement with the other assessors.


@dataclass(frozen=True)
class AssessorLevels:
    """One assessor: votes, NA votes, mean level, shares of the lowest and the highest level, agreement and kappa.

    ``agreement`` is the mean, over the assessor's items that others voted on too, of the share of the others' votes
    at the same level; ``kappa`` is the same beyond chance: with two assessors, Cohen's kappa. What is undefined is NaN.
    """

    name: str
    votes: int
    missing: int
    mean_level: float
    share_lowest: float
    share_highest: float
    agreement: float
    kappa: float


def levels_by_assessor(votes: Votes, *, classes: IntArray | None = None) -> tuple[AssessorLevels, ...]:
    """A line per assessor, in the order of the votes; levels merged by ``classes`` agree with each other.

    >>> from kaiwa.nouns.votes import Votes
    >>> rows = [("q", "a", "ann", 2), ("q", "a", "bob", 2), ("q", "b", "ann", 0), ("q", "b", "bob", 1)]
    >>> [(one.name, one.mean_level, one.agreement) for one in levels_by_assessor(Votes.from_rows(rows))]
    [('ann', 1.0, 0.5), ('bob', 1.5, 0.5)]
    """
    given = votes.level != NA
    who, level = votes.assessor[given], votes.level[given]
    people = len(votes.assessors)
    count = np.bincount(who, minlength=people)
    columns = (
        count,
        np.bincount(votes.assessor[~given], minlength=people),
        divided(np.bincount(who, weights=level, minlength=people), count),
        divided(np.bincount(who[level == 0], minlength=people), count),
        divided(np.bincount(who[level == votes.top], minlength=people), count),
        *_with_others(votes, np.arange(votes.top + 1) if classes is None else classes),
    )
    rows = zip(votes.assessors, *(column.tolist() for column in columns), strict=True)
    return tuple(AssessorLevels(*row) for row in rows)


def _with_others(votes: Votes, classes: IntArray) -> tuple[FloatArray, FloatArray]:
    """The agreement of each assessor with the others' votes on the same items, and the same beyond chance."""
    counts = merged(votes.counts(), classes)
    rows = (votes.level != NA) & (counts.sum(axis=1)[votes.item] > 1)
    who, item, own = votes.assessor[rows], votes.item[rows], classes[votes.level[rows]]
    others = counts.sum(axis=1)[item] - 1
    compared = np.bincount(who, minlength=len(votes.assessors))

    def mean(values: FloatArray) -> FloatArray:
        return divided(np.bincount(who, weights=values, minlength=len(compared)), compared)

    observed = mean((counts[item, own] - 1) / others)
    expected = np.zeros(len(compared))
    for level in range(counts.shape[1]):
        same = (own == level).astype(np.float64)
        expected += mean(same) * mean((counts[item, level] - same) / others)
    return observed, divided(observed - expected, np.where(expected < 1.0, 1.0 - expected, 0.0))


# The level that each item probably has, and each assessor's confusion of levels, by the model of Dawid and Skene.


MAX_ROUNDS = 1000
TOLERANCE = 1e-6
"""The smallest rise of the mean log likelihood of a vote for which another round is made."""
_NO_VOTE = 0.01
"""Expected votes on items of a level, below which nothing is known of the assessor's confusion there."""
_TINY = 1e-10  # instead of a probability of 0, whose logarithm is infinite


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """The model of the votes: shares of the levels, confusion of each assessor, probabilities of each item's level.

    ``confusion`` is assessors x probable level x level given; each row sums to 1, or is NaN if the assessor voted on no
    item of that level. ``probabilities`` is items x levels, NaN for an item without a vote. ``log_likelihood`` is that
    of all votes.
    """

    shares: FloatArray
    confusion: FloatArray
    probabilities: FloatArray
    log_likelihood: float
    rounds: int


def dawid_skene(votes: Votes, *, rounds: int = MAX_ROUNDS, tolerance: float = TOLERANCE) -> DawidSkene:
    """The maximum-likelihood model of the votes (Dawid and Skene 1979, section 3), by EM from the shares of the votes.

    NA votes are ignored. The levels are not ordered in this model.

    >>> from kaiwa.nouns.votes import Votes
    >>> levels = {"ann": (0, 0, 1, 1), "bob": (0, 0, 1, 1), "eve": (0, 1, 0, 1)}
    >>> rows = [("q", str(item), name, one) for name, given in levels.items() for item, one in enumerate(given)]
    >>> dawid_skene(Votes.from_rows(rows)).confusion.round(2).tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]]
    """
    given = votes.level != NA
    item, who, level = votes.item[given], votes.assessor[given], votes.level[given]
    levels, people = votes.top + 1, len(votes.assessors)
    voted = np.bincount(item, minlength=votes.items) > 0
    probable = item_shares(votes.counts())
    before, made = -np.inf, 0
    while True:
        shares = probable[voted].mean(axis=0) if voted.any() else np.full(levels, np.nan)
        mass = _mass(probable[item], who * levels + level, people * levels)
        by_assessor = mass.reshape(people, levels, levels).swapaxes(1, 2)  # assessors x probable x given
        votes_on = by_assessor.sum(axis=2, keepdims=True)
        confusion = divided(by_assessor, votes_on)
        logs = np.log(np.maximum(np.nan_to_num(confusion), _TINY))[who, :, level]
        joint = np.log(np.maximum(shares, _TINY)) + _mass(logs, item, votes.items)
        likelihood = np.logaddexp.reduce(joint, axis=1)
        probable = np.where(voted[:, None], np.exp(joint - likelihood[:, None]), np.nan)
        now = float(likelihood[voted].sum())
        made += 1
        if made >= rounds or now - before <= tolerance * max(len(item), 1):
            return DawidSkene(shares, np.where(votes_on < _NO_VOTE, np.nan, confusion), probable, now, made)
        before = now


def _mass(values: FloatArray, group: IntArray, groups: int) -> FloatArray:
    """The sum of the rows of each group, groups x columns."""
    columns = [np.bincount(group, weights=column, minlength=groups) for column in values.T]
    return np.column_stack(columns)


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


def assessor_quality(
    votes: Votes, *, rng: np.random.Generator, trials: int = 1000, confidence: float = CONFIDENCE
) -> tuple[AssessorQuality, ...]:
    """A line per assessor, the one who agrees least with the others first; ``items`` counts votes that are not NA.

    The interval of the severity is the percentile interval over ``trials`` resamples of whole topics.

    >>> from kaiwa.nouns.votes import Votes
    >>> levels = {"ann": (2, 2, 1, 1), "bob": (2, 2, 1, 1), "eve": (1, 2, 0, 0)}
    >>> rows = [(f"q{item}", "c", name, one) for name, given in levels.items() for item, one in enumerate(given)]
    >>> found = assessor_quality(Votes.from_rows(rows), rng=np.random.default_rng(1))
    >>> [(one.name, round(one.severity.value, 2)) for one in found]
    [('eve', 0.5), ('ann', -0.25), ('bob', -0.25)]
    """
    severities = severity(votes, rng=rng, trials=trials, confidence=confidence)
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


_MOST_LEVELS = 5
"""Levels whose shares and confusion fit on a line."""
NOTES = (
    "agreement: with the others' votes on the same items; kappa: beyond chance.",
    "confusion: of 100 votes on items of probable level 0 / 1 / ..., those at each level (Dawid and Skene).",
)
ANONYMOUS = "A column of an STC label file need not be the same person on every item: do not read a line as a person."


@dataclass(frozen=True)
class PanelQuality(Result):
    """The quality of each assessor, the one who agrees least with the others first; by name too.

    ``anonymous`` votes have columns instead of people, and ``simulated`` ones are no result.

    >>> import kaiwa
    >>> votes = kaiwa.Votes.from_rows([("q", "c", "ann", 2), ("q", "c", "bob", 2)])
    >>> votes.agree(assessors=True).quality["ann"].agreement
    1.0
    """

    assessors: tuple[AssessorQuality, ...]
    topics: int
    max_level: int
    anonymous: bool
    simulated: bool
    confidence: float = CONFIDENCE

    def __repr__(self) -> str:
        return f"PanelQuality({counted(len(self.assessors), 'assessor')}, {counted(self.topics, 'topic')})"

    def __getitem__(self, name: str) -> AssessorQuality:
        return Names("assessor", {one.name: one for one in self.assessors})[name]

    def describe(self) -> Description:
        """A line per assessor, with the shares and confusion of at most five levels."""
        few = self.max_level < _MOST_LEVELS
        levels = [*range(self.max_level + 1)] if few else [0, self.max_level]
        columns = ["assessor", "items", "missing", "mean_level", *(f"share_{level}" for level in levels)]
        columns += ["severity", "low", "high", "agreement", "kappa"]
        header = ["assessor", "items", "NA", "mean", *(f"L{level}" for level in levels), *columns[-5:]]
        rows: list[list[Cell]] = [
            [
                one.name,
                one.items,
                one.missing,
                *map(defined, (one.mean_level, *(one.shares[level] for level in levels))),
                *map(defined, (one.severity.value, one.severity.low, one.severity.high, one.agreement, one.kappa)),
            ]
            for one in self.assessors
        ]
        printed = [[*row, _confusion(one)] for row, one in zip(rows, self.assessors, strict=True)] if few else None
        header = [*header, "confusion"] if few else header
        return Description(
            tables=(Table("quality", columns, rows, header, printed, digits=2),),
            notes=self._notes(few=few),
            fields={
                "assessors": [asdict(one) for one in self.assessors],
                "topics": self.topics,
                "max_level": self.max_level,
                "anonymous": self.anonymous,
                "simulated": self.simulated,
                "confidence": self.confidence,
            },
        )

    def _notes(self, *, few: bool) -> list[str]:
        """How to read the lines, and from which votes they are."""
        size = f"{counted(len(self.assessors), 'assessor')}, {counted(self.topics, 'topic')}"
        interval = f"with a {100 * self.confidence:g}% interval over topics"
        severity = f"severity: levels below the average assessor on the same items, {interval}."
        marks = ([ANONYMOUS] if self.anonymous else []) + ([SIMULATED_NOTICE] if self.simulated else [])
        return [size, severity, *(NOTES if few else NOTES[:-1]), *marks]


def _confusion(one: AssessorQuality) -> str:
    return " / ".join(" ".join("-" if isnan(share) else f"{100 * share:.0f}" for share in row) for row in one.confusion)


def panel_quality(
    votes: Votes, *, rng: np.random.Generator, trials: int = 1000, confidence: float = CONFIDENCE
) -> PanelQuality:
    """The quality of the assessors of these votes."""
    return PanelQuality(
        assessor_quality(votes, rng=rng, trials=trials, confidence=confidence),
        topic_numbers(votes)[1],
        votes.top,
        votes.anonymous,
        votes.simulated,
        confidence,
    )


def severity(
    votes: Votes, *, rng: np.random.Generator, trials: int = 1000, confidence: float = CONFIDENCE
) -> tuple[Estimate, ...]:
    """How many levels lower than the average assessor each one judges the same items, in the order of the votes.

    Level = item - severity, by least squares; severities sum to 0 over the assessors who share items with each other.
    An assessor who shares no item has none (NaN). So a severe colleague, or bad items, do not count as one's own.
    The interval is over topics; who judged items of one topic alone has none.
    """
    topic_of, topics = topic_numbers(votes)
    links = _links(votes, topic_of, topics)
    value = _solved(links, np.ones(topics))
    drawn = np.array([_solved(links, weights) for weights in topic_counts(rng, trials, topics, size=topics)])
    return tuple(
        estimate(float(one), resampled, confidence) if several else Estimate(float(one), np.nan, np.nan)
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
