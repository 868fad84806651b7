"""How far assessors agree: votes in; kappa, alpha and raw agreement out, each assessor and the contested items.

``agree`` reads the votes and returns an ``Agreement``, which shows itself. The coefficients are in ``coefficients``,
the quality of assessors is in ``assessors``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.reading import seed_of, votes_of
from kaiwa.labelling.assessors import AssessorLevels, PanelQuality, levels_by_assessor, panel_quality
from kaiwa.labelling.coefficients import (
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
from kaiwa.labelling.estimates import (
    CONFIDENCE,
    JACKKNIFE,
    NO_INTERVAL,
    PERCENTILE,
    Estimate,
    defined,
    estimate,
    jackknife_limits,
    topic_numbers,
)
from kaiwa.nouns.votes import NA, SIMULATED_NOTICE
from kaiwa.show.result import Description, Result, Table
from kaiwa.stats.resampling import topic_counts
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from kaiwa.formats.reading import VotesInput
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.votes import Votes
    from kaiwa.show.text import Cell


_PAIR = 2
KAPPA_TOPICS = 5
"""With fewer topics Fleiss' kappa has no interval (benchmarks/results/audit.md)."""
PERCENTILE_TOPICS = 50
"""From so many topics the percentile interval of Fleiss' kappa covers as often as the jackknife's (the same table)."""
CONTESTED, TRIALS, MOST_TRIALS = 5, 1_000, 100_000
NO_PAIR = "no item has two votes, so agreement cannot be measured"
ASSESSOR_NOTE = "agreement: the share of the others' votes on the same items at the same level; kappa: beyond chance"


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


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """The agreement of the votes: kappa and alpha by metric with intervals, raw agreement, counts, and the assessors.

    ``items`` counts the items with two votes or more; without any, the statistics are NaN. ``missing`` counts the NA
    votes, which are ignored. ``fleiss``, ``alpha`` and ``raw`` are the statistics with their intervals. ``assessors``
    has a line for each assessor, in the order of the votes; ``quality`` what is asked for with ``assessors``.

    >>> import kaiwa
    >>> kaiwa.Votes.from_rows([("q", "c", "ann", 2), ("q", "c", "bob", 2)]).agree().raw_agreement
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
    confidence: float
    simulated: bool
    assessors: tuple[AssessorLevels, ...]
    contested: tuple[Contested, ...] = ()
    pairs: tuple[AssessorPair, ...] = ()
    quality: PanelQuality | None = None

    def __repr__(self) -> str:
        return f"Agreement(kappa {self.fleiss_kappa:.4f}, {counted(self.items, 'item')}, {counted(self.votes, 'vote')})"

    @property
    def fleiss_kappa(self) -> float:
        """Fleiss' kappa."""
        return self.fleiss.value

    @property
    def krippendorff_alpha(self) -> dict[str, float]:
        """Krippendorff's alpha by metric: nominal, ordinal, interval."""
        return {metric: found.value for metric, found in self.alpha.items()}

    @property
    def raw_agreement(self) -> float:
        """The share of pairs of votes on one item that have the same level."""
        return self.raw.value

    @property
    def intervals(self) -> dict[str, Any]:  # Any: JSON values
        """The statistics with their limits."""
        return {
            "fleiss_kappa": _limits(self.fleiss) | {"interval": self.fleiss.interval},
            "krippendorff_alpha": {metric: _limits(found) for metric, found in self.alpha.items()},
            "raw_agreement": _limits(self.raw),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """Which intervals these are, a line each."""
        if not self.items:
            return ()
        kappa = {
            PERCENTILE: f"percentile interval over topics ({PERCENTILE_TOPICS} or more)",
            JACKKNIFE: f"jackknife t interval over topics (fewer than {PERCENTILE_TOPICS})",
            NO_INTERVAL: f"no interval, which needs {KAPPA_TOPICS} topics with items of two votes or more",
        }[self.fleiss.interval]
        others = "percentile intervals over topics, which are too narrow with few topics"
        return (f"Fleiss' kappa: {kappa}; the other statistics: {others}.",)

    def describe(self) -> Description:
        """The statistics, each assessor, contested items and pairs; or the quality of each assessor, if asked for."""
        tables = [self._statistics(), _assessor_table(self.assessors), *self._further_tables()]
        if self.quality is not None:
            quality = self.quality.describe()
            return replace(quality, tables=(*quality.tables, *tables), shown=("quality",), fields=self._fields())
        ignored = [f"{counted(self.missing, 'NA vote')} ignored"] if self.missing else []
        marks = [SIMULATED_NOTICE] if self.simulated else []
        return Description(
            title=" ".join([*marks, self._counts()]),
            tables=tables,
            shown=[one.name for one in tables if one.rows or one.name in {"statistics", "assessors"}],
            notes=[*self.notes, *ignored],
            fields=self._fields(),
        )

    def _counts(self) -> str:
        """How many items, topics and votes the statistics come from."""
        size = f"{counted(self.items, 'item')} of {counted(self.topics, 'topic')}, {counted(self.votes, 'vote')}"
        return f"{size}, {round(self.votes_per_item, 2):,g} per item" if self.items else f"{size}; {NO_PAIR}"

    def _statistics(self) -> Table:
        named = {"Fleiss' kappa": self.fleiss}
        named |= {f"Krippendorff's alpha, {metric}": found for metric, found in self.alpha.items()}
        named["raw agreement"] = self.raw
        rows: list[list[Cell]] = [[name, *_limits(found).values()] for name, found in named.items()]
        header = ["statistic", "value", f"{100 * self.confidence:g}% low", "high"]
        return Table("statistics", ["statistic", "value", "low", "high"], rows, header)

    def _further_tables(self) -> list[Table]:
        """The contested items and the pairs of assessors."""
        levels = [f"level_{level}" for level in range(max((len(one.votes) for one in self.contested), default=0))]
        items: list[list[Cell]] = [[one.topic, one.comment, *one.votes, one.agreement] for one in self.contested]
        printed: list[list[Cell]] = [
            [one.topic, one.comment, " ".join(map(str, one.votes)), one.agreement] for one in self.contested
        ]
        names = ["first", "second", "items", "agreement", "cohen_kappa", "linear", "quadratic"]
        pairs = [list(_pair_fields(pair).values()) for pair in self.pairs]
        return [
            Table(
                "contested",
                ["topic", "comment", *levels, "agreement"],
                items,
                ["topic", "comment", "votes L0 L1 ...", "agreement"],
                printed,
                caption="The most contested items.",
            ),
            Table("pairs", names, pairs, ["assessor", "assessor", "items", "agreement", "kappa", *names[-2:]]),
        ]

    def _fields(self) -> dict[str, Any]:  # Any: JSON values
        return {
            "fleiss_kappa": self.fleiss_kappa,
            "krippendorff_alpha": self.krippendorff_alpha,
            "raw_agreement": self.raw_agreement,
            "items": self.items,
            "topics": self.topics,
            "votes": self.votes,
            "missing": self.missing,
            "votes_per_item": self.votes_per_item,
            "confidence": self.confidence,
            "intervals": self.intervals,
            "notes": self.notes,
            "assessors": [asdict(one) for one in self.assessors],
            "contested": [asdict(one) for one in self.contested],
            "pairs": [_pair_fields(pair) for pair in self.pairs],
            "quality": None if self.quality is None else self.quality.describe().fields,
            "simulated": self.simulated,
        }


def _assessor_table(assessors: tuple[AssessorLevels, ...]) -> Table:
    names = ["name", "votes", "missing", "mean_level", "share_lowest", "share_highest", "agreement", "kappa"]
    rows: list[list[Cell]] = [
        [one.name, one.votes, one.missing, *(defined(getattr(one, name)) for name in names[3:])] for one in assessors
    ]
    header = ["assessor", "votes", "NA", "mean level", "share L0", "share top", "agreement", "kappa"]
    return Table("assessors", ["assessor", *names[1:]], rows, header, caption=ASSESSOR_NOTE)


def _limits(found: Estimate) -> dict[str, float | None]:
    return {"value": defined(found.value), "low": defined(found.low), "high": defined(found.high)}


def _pair_fields(pair: AssessorPair) -> dict[str, Any]:  # Any: JSON values
    return {
        "first": pair.first,
        "second": pair.second,
        "items": pair.items,
        "agreement": pair.agreement,
        "cohen_kappa": defined(pair.kappa),
        "linear": defined(pair.linear),
        "quadratic": defined(pair.quadratic),
    }


@takes_task
def agree(
    votes: VotesInput,
    *,
    merge: str | None = None,
    max_level: int | None = None,
    pairs: bool = False,
    assessors: bool = False,
    contested: int = CONTESTED,
    confidence: float = CONFIDENCE,
    trials: int = TRIALS,
    seed: int = 1,
) -> Agreement:
    """Fleiss' kappa, Krippendorff's alpha and raw agreement of the votes, with intervals over topics; each assessor.

    ``merge`` counts levels as one class, like ``L1+L2``. ``max_level`` is the scale's highest level. With ``pairs``
    there is Cohen's kappa of every two assessors; with ``assessors`` the quality of each is shown: severity with its
    interval, use of the levels, agreement, confusion of levels. ``contested`` is the number of contested items to list.
    ``trials`` is the number of resamples of topics. NA votes are counted and otherwise ignored.

    >>> import kaiwa
    >>> rows = [("q1", "c9", "ann", 2), ("q1", "c9", "bob", 2), ("q1", "c4", "ann", 0), ("q1", "c4", "bob", 0)]
    >>> kaiwa.agree(kaiwa.Votes.from_rows(rows)).fleiss_kappa
    1.0
    """
    if assessors and (merge or pairs):
        other = option("merge") if merge else option("pairs")
        raise InputError(f"{option('assessors')} cannot be used with {other}; leave one out")
    if not 0 < confidence < 1:
        raise InputError(f"{option('confidence', f'{confidence:g}')} is not between 0 and 1; give one, such as 0.95")
    if not _PAIR <= trials <= MOST_TRIALS:
        raise InputError(f"{option('trials', str(trials))} is not from {_PAIR} to {MOST_TRIALS:,}; give such a number")
    if contested < 0:
        raise InputError(f"{option('contested', str(contested))} is not a number of items; give one from 0")
    given = votes_of(votes, max_level=max_level)
    classes = None if merge is None else parse_merge(merge, given.top)
    drawn = seed_of(seed)
    with progress("resampling topics"):
        found = agreement(
            given, rng=np.random.default_rng(drawn), classes=classes, trials=trials, confidence=confidence
        )
        quality = (
            panel_quality(given, rng=np.random.default_rng(drawn), trials=trials, confidence=confidence)
            if assessors
            else None
        )
    return replace(
        found,
        contested=tuple(most_contested(given, contested)),
        pairs=tuple(assessor_pairs(given)) if pairs else (),
        quality=quality,
    )


# The statistics of a collection of votes, with intervals over topics; the contested items; pairs of assessors.


def agreement(
    votes: Votes,
    *,
    rng: np.random.Generator,
    classes: IntArray | None = None,
    trials: int = TRIALS,
    confidence: float = CONFIDENCE,
) -> Agreement:
    """The agreement statistics of the votes, with levels merged by ``classes`` if given.

    Intervals are over whole topics, because items of one topic share its difficulty: percentile intervals of
    ``trials`` resamples; for Fleiss' kappa jackknife t intervals below 50 topics, and none below 5.
    """
    counts = votes.counts() if classes is None else merged(votes.counts(), classes)
    voted = counts.sum(axis=1) >= _PAIR
    topic_of, topics = topic_numbers(votes)
    parts = _by_topic(counts[voted], topic_of[voted], topics)
    weights = topic_counts(rng, trials, topics, size=topics)
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
        raw=estimate(raw_agreement(counts), agreeing / np.maximum(pairs, 1), confidence),
        fleiss=_kappa_estimate(fleiss_kappa(counts), parts, kappas, confidence),
        alpha={
            metric: estimate(
                krippendorff_alpha(counts, metric),
                np.array([alpha_of(matrix, metric) for matrix in matrices]),
                confidence,
            )
            for metric in METRICS
        },
        confidence=confidence,
        simulated=votes.simulated,
        assessors=levels_by_assessor(votes, classes=classes),
    )


def most_contested(votes: Votes, number: int) -> list[Contested]:
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


def _kappa_estimate(value: float, parts: _Parts, resampled: FloatArray, confidence: float) -> Estimate:
    """Fleiss' kappa with the interval that covers with so many topics; topics without a pair of votes do not count."""
    voted = parts.items > 0
    topics = int(voted.sum())
    if topics >= PERCENTILE_TOPICS:
        return estimate(value, resampled, confidence)
    if topics < KAPPA_TOPICS:
        return Estimate(value, float("nan"), float("nan"), NO_INTERVAL)
    sums = np.column_stack((parts.agreement, parts.items, parts.totals))[voted]
    without = sums.sum(axis=0) - sums
    left = [_kappa(agreed / items, total) for agreed, items, total in zip(*_columns(without), strict=True)]
    return Estimate(value, *jackknife_limits(value, np.array(left), confidence), JACKKNIFE)


def _columns(sums: FloatArray) -> tuple[list[float], list[float], FloatArray]:
    return sums[:, 0].tolist(), sums[:, 1].tolist(), sums[:, 2:]


def _kappa(observed: float, totals: FloatArray) -> float:
    return kappa_of(observed, totals) if totals.sum() else float("nan")
