"""Votes to gains: one scheme for each way to turn the votes on an item into its gain.

Every scheme uses only the number of votes of an item at each level, "items x levels".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, Names, option
from kaiwa.nouns.ids import group_by_topic
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.votes import NA

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IdArray, IntArray
    from kaiwa.nouns.votes import Votes

    Levels = Mapping[int, float] | Mapping[float, float]


UNANIMITY_WEIGHT = 0.2
"""The p that Sakai (EVIA 2017) recommends against 0, 0.1 and 0.5."""


@dataclass(frozen=True)
class Scheme:
    """How an item's votes become its gain: ``gain(counts, values, p)``, items x levels in, items out.

    ``top`` gives the highest possible gain from the top value and the number of votes of an item;
    the default value of level l is 2^l - 1 in ``exponential`` schemes, l in the others.
    """

    description: str
    gain: Callable[[IntArray, FloatArray, float], FloatArray]
    top: Callable[[float, int, float], float]
    exponential: bool = True


def _mean(counts: IntArray, values: FloatArray, _p: float) -> FloatArray:
    mean: FloatArray = (counts @ values) / counts.sum(axis=1)
    return mean


def _sum(counts: IntArray, values: FloatArray, _p: float) -> FloatArray:
    return counts @ values


def _unanimity(counts: IntArray, values: FloatArray, p: float) -> FloatArray:
    return unanimity_gains(counts, values, p)


def unanimity_gains(counts: IntArray, values: FloatArray, p: float, *, confusability: str = "range") -> FloatArray:
    """UG = RawG + p N (Dmax - D) where RawG > 0 (Sakai, EVIA 2017), by a confusability D of CONFUSABILITY.

    >>> unanimity_gains(np.array([[0, 2, 1, 2], [4, 0, 0, 1]]), np.arange(4.0), 0.2)
    array([11.,  3.])
    """
    raw = _sum(counts, values, p)
    spread = CONFUSABILITY[confusability](counts, values)
    return np.where(raw > 0, raw + p * counts.sum(axis=1) * (values.max() - spread), 0.0)


def _weighted(counts: IntArray, values: FloatArray, p: float) -> FloatArray:
    """WG = (1 - D/Dmax) RawG (Sakai, EVIA 2017)."""
    kept: FloatArray = 1.0 - _spread(counts, values) / values.max()
    return kept * _sum(counts, values, p)


def _majority(counts: IntArray, values: FloatArray, _p: float) -> FloatArray:
    """The most frequent level, the lowest if there are several."""
    winners: FloatArray = values[counts.argmax(axis=1)]
    return winners


def _median(counts: IntArray, values: FloatArray, _p: float) -> FloatArray:
    """The middle vote; the mean of the two middle ones of an even number."""
    below = np.cumsum(counts, axis=1)
    total = below[:, -1:]
    low = (below < (total + 1) // 2).sum(axis=1)
    high = (below < total // 2 + 1).sum(axis=1)
    middle: FloatArray = (values[low] + values[high]) / 2.0
    return middle


def _only(counts: IntArray, values: FloatArray, _p: float) -> FloatArray:
    if (several := counts.sum(axis=1) > 1).any():
        item = int(several.argmax())
        raise InputError(
            f"item {item + 1} has {int(counts[item].sum())} votes, but the scheme 'levels' takes one per item; "
            "choose mean, sum, unanimity, weighted, majority or median"
        )
    return counts @ values


# The confusability D of an item's votes, from 0 if they agree to Dmax, the value of the highest level; items out.


def _spread(counts: IntArray, values: FloatArray) -> FloatArray:
    """D, the value of the highest vote minus that of the lowest; per item."""
    given = counts > 0
    highest: FloatArray = np.where(given, values, -np.inf).max(axis=1)
    lowest: FloatArray = np.where(given, values, np.inf).min(axis=1)
    return highest - lowest


def _trimmed_spread(counts: IntArray, values: FloatArray) -> FloatArray:
    """D without the highest and the lowest tenth of the votes, one each at least; of fewer than three votes, D."""
    votes = counts.sum(axis=1)
    left_out = np.where(votes >= FEWEST_TO_TRIM, np.maximum(1, votes // 10), 0)
    below = np.cumsum(counts, axis=1)
    low = (below <= left_out[:, None]).sum(axis=1)
    high = (below <= (votes - 1 - left_out)[:, None]).sum(axis=1)
    trimmed: FloatArray = values[high] - values[low]
    return trimmed


def _deviation(counts: IntArray, values: FloatArray) -> FloatArray:
    """Twice the standard deviation of the votes, which is at most half of Dmax."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    mean = shares @ values
    variance = shares @ values**2 - mean**2
    deviation: FloatArray = np.sqrt(np.maximum(variance, 0.0))
    return 2.0 * deviation


def _entropy(counts: IntArray, values: FloatArray) -> FloatArray:
    """Dmax times the entropy of the votes over that of votes which are even on all levels."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(np.where(counts > 0, shares, 1.0))
    found: FloatArray = -(shares * logs).sum(axis=1) / np.log(len(values)) * values.max()
    return np.maximum(found, 0.0)


FEWEST_TO_TRIM = 3
CONFUSABILITY: Names[Callable[[IntArray, FloatArray], FloatArray]] = Names(
    "confusability",
    {"range": _spread, "trimmed-range": _trimmed_spread, "deviation": _deviation, "entropy": _entropy},
)
"""How far the votes on an item disagree. ``range`` is the D of the paper, whose footnotes 1 and 2 name the others."""


SCHEMES = Names(
    "scheme",
    {
        "levels": Scheme("the level of the only vote", _only, lambda high, _n, _p: high),
        "mean": Scheme("the mean of the votes (STC Japanese subtask)", _mean, lambda high, _n, _p: high),
        "sum": Scheme("RawG, the sum of the votes", _sum, lambda high, n, _p: n * high, exponential=False),
        "unanimity": Scheme(
            "UG, the sum plus a bonus for agreement",
            _unanimity,
            lambda high, n, p: (1 + p) * n * high,
            exponential=False,
        ),
        "weighted": Scheme(
            "WG, the sum reduced by disagreement", _weighted, lambda high, n, _p: n * high, exponential=False
        ),
        "majority": Scheme("the most frequent level, the lowest of several", _majority, lambda high, _n, _p: high),
        "median": Scheme("the middle vote", _median, lambda high, _n, _p: high),
    },
)
"""Every scheme."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """A scheme with its settings for one collection: the value of each level, p and the top gain."""

    scheme: str
    values: FloatArray
    p: float
    top: float

    def gain(self, counts: IntArray) -> FloatArray:
        """The gain of each item from its votes, items x levels in, items out."""
        return SCHEMES[self.scheme].gain(counts, self.values, self.p)


def weighing(
    votes: Votes, scheme: str, *, values: Sequence[float] | None = None, p: float = UNANIMITY_WEIGHT
) -> Weighing:
    """The scheme of that name for these votes; ``values`` are those of the levels from 0.

    >>> from kaiwa.nouns.votes import Votes
    >>> from kaiwa.nouns.ids import pack
    >>> one = Votes(pack(["q"]), pack(["c"]), ("a", "b"), np.array([0, 0]), np.array([0, 1]), np.array([1, 2]), 2)
    >>> weighing(one, "mean").gain(one.counts())
    array([2.])
    """
    chosen = SCHEMES[scheme]
    if not 0 <= p < float("inf"):
        raise InputError(f"the unanimity weight p is {p:g}; give a number from 0, such as {option('p', '0.2')}")
    levels = np.arange(votes.top + 1.0)
    used = (
        np.asarray(values, dtype=np.float64)
        if values is not None
        else (2**levels - 1 if chosen.exponential else levels)
    )
    if len(used) != votes.top + 1 or not np.isfinite(used).all() or (used < 0).any() or used.max() <= 0:
        raise InputError(f"levels 0..{votes.top} need one value each, from 0 up; see {option('levels')}")
    most = int(votes.counts().sum(axis=1).max(initial=0))
    return Weighing(scheme, used, p, float(chosen.top(float(used.max()), most, p)))


@dataclass(frozen=True, eq=False)
class VotedGains:
    """Gains from votes, the number of votes behind each at each level, and the number of items without a vote.

    ``counts`` is judged rows x levels; the items of ``votes`` are the judged rows.
    """

    gains: Qrels
    counts: IntArray
    how: Weighing
    without_votes: int
    votes: Votes


def gains_of(votes: Votes, how: Weighing) -> VotedGains:
    """The gains of the items that have a vote, topic by topic; the rest stay unjudged."""
    counts = votes.counts()
    kept = np.flatnonzero(counts.sum(axis=1) > 0)
    topics: IdArray = votes.topics[kept]
    grouping = group_by_topic(topics)
    kept = kept if grouping.order is None else kept[grouping.order]
    gains = Qrels(
        topics=grouping.topics,
        starts=grouping.starts,
        comments=votes.comments[kept],
        gains=how.gain(counts[kept]),
        top=how.top,
        how=how.scheme,
        without_votes=votes.items - len(kept),
    )
    return VotedGains(gains, counts[kept], how, votes.items - len(kept), votes.of_items(kept))


def voted_gains(
    votes: Votes, scheme: str = "mean", *, levels: Levels | None = None, p: float = UNANIMITY_WEIGHT
) -> VotedGains:
    """The gains of the votes by the scheme of that name; ``levels`` gives the value of each level.

    >>> from kaiwa.nouns.votes import Votes
    >>> votes = Votes.from_rows([("q", "c", "a", 1), ("q", "c", "b", 2)])
    >>> voted_gains(votes, "sum", levels={1: 1, 2: 3}).gains.of("q")
    {'c': 4.0}
    """
    return gains_of(votes, weighing(votes, scheme, values=_level_values(levels, votes), p=p))


def _level_values(levels: Levels | None, votes: Votes) -> list[float] | None:
    if levels is None:
        return None
    top = votes.top
    if unknown := sorted(set(levels) - set(range(top + 1))):
        what = f"{option('levels')} names level {unknown[0]:g}, but votes go from 0 to {top}"
        raise InputError(f"{what}; leave it out, or see {option('max_level')}")
    given = {0.0: 0.0} | {float(level): value for level, value in levels.items()}
    if missing := sorted(set(votes.level[votes.level >= 0].tolist()) - set(given)):
        raise InputError(f"votes have the level {missing[0]}; give it a gain with {option('levels')}")
    return [given.get(level, 0.0) for level in range(top + 1)]


# Simulated votes: from binary judgements, or from known gains.


def simulated_counts(relevant: NDArray[np.bool_], *, assessors: int, top: int, rng: np.random.Generator) -> IntArray:
    """The ratings of each item by ``assessors`` people, items x levels (after Sakai, EVIA 2017).

    The ratings of a relevant item are uniform on 0..top, those of any other item are 0.

    >>> simulated_counts(np.array([True, False]), assessors=4, top=3, rng=np.random.default_rng(1)).sum(axis=1)
    array([4, 4])
    """
    ratings = rng.integers(0, top + 1, size=(len(relevant), assessors)) * relevant[:, None]
    cells = ratings + (top + 1) * np.arange(len(relevant))[:, None]
    return np.bincount(cells.ravel(), minlength=len(relevant) * (top + 1)).reshape(len(relevant), top + 1)


def simulated_levels(gains: FloatArray, *, assessors: int, rng: np.random.Generator) -> IntArray:
    """Levels 0, 1 and 2 (items x assessors) from the gain of each item with noise, by assessors of unequal strictness.

    In standard deviations of the gains, noise and strictness are normal with standard deviations 0.8 and 0.3. Without
    them, three items in five would get level 0 and one in eight level 2.

    >>> simulated_levels(np.arange(10.0), assessors=3, rng=np.random.default_rng(1))[[0, -1]]
    array([[0, 0, 0],
           [2, 1, 1]])
    """
    scaled = gains / (gains.std() or 1.0)
    strictness = rng.normal(0.0, 0.3, size=assessors)
    seen = scaled[:, None] - strictness + rng.normal(0.0, 0.8, size=(len(gains), assessors))
    return np.digitize(seen, np.quantile(scaled, (0.6, 0.88))).astype(np.int64)


# The votes of a smaller panel: of fewer people if they are known, else of fewer votes per item.


def votes_of_fewer(counts: IntArray, assessors: int, *, rng: np.random.Generator) -> IntArray:
    """At most ``assessors`` of each item's votes, drawn without replacement; items x levels in and out.

    >>> votes_of_fewer(np.array([[1, 4], [0, 3]]), 4, rng=np.random.default_rng(1)).sum(axis=1)
    array([4, 3])
    """
    drawn = np.zeros_like(counts)
    rest = counts.sum(axis=1)
    left = np.minimum(assessors, rest)
    for level in range(counts.shape[1]):
        rest = rest - counts[:, level]
        drawn[:, level] = rng.hypergeometric(counts[:, level], rest, left)
        left = left - drawn[:, level]
    return drawn


def votes_of_fewer_people(votes: Votes, assessors: int, *, rng: np.random.Generator) -> IntArray:
    """At most ``assessors`` of each item's votes, items x levels: the first by one random order of all assessors.

    If everybody voted on every item, these are the votes of the same few people on all items.

    >>> from kaiwa.nouns.votes import Votes
    >>> rows = [("q", comment, name, level) for comment in "xy" for level, name in enumerate(("ann", "bob", "eve"))]
    >>> votes_of_fewer_people(Votes.from_rows(rows), 1, rng=np.random.default_rng(1)).tolist()
    [[1, 0, 0], [1, 0, 0]]
    """
    given = votes.level != NA
    item, level = votes.item[given], votes.level[given]
    order = np.lexsort((rng.permutation(len(votes.assessors))[votes.assessor[given]], item))
    first = np.searchsorted(item[order], np.arange(votes.items))
    kept = order[np.arange(len(order)) - first[item[order]] < assessors]
    cells = item[kept] * (votes.top + 1) + level[kept]
    return np.bincount(cells, minlength=votes.items * (votes.top + 1)).reshape(votes.items, votes.top + 1)
