"""Rankings of provenance lists, learned on the lists of other posts, and the share of true replies that they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.ranking.provenance_lists import RARE
from kaiwa.ranking.models.topic_words import logistic_weights
from kaiwa.ranking.ranker import Pairs, Standard, rank_svm
from kaiwa.ranking.study import folds_of
from kaiwa.ranking.trees import lambda_mart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.ranking.provenance_lists import Lists
    from kaiwa.nouns.ids import FloatArray, IntArray

    Chosen = NDArray[np.bool_]

_FOLDS = 5
_PENALTY = 1e-3
_MOST_OTHERS = 200  # false replies compared with each true one
_BONUSES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)  # added to the log odds of rare replies
_FALSE_SHARE = 0.2
_TREES = 150
_FLIPS = 10_000


def found_by_topic(lists: Lists, scores: FloatArray, depth: int, *, rare: bool = False) -> FloatArray:
    """The share of each topic's true replies among its first ``depth``; of its rare ones if asked for.

    Topics without such a reply are left out.
    """
    order = np.lexsort((_ties(lists), -scores, lists.topic_of))
    places = np.arange(len(order)) - lists.starts[:-1][lists.topic_of]
    counted = order[(places < depth) & lists.is_true[order].astype(bool)]
    if rare:
        counted = counted[is_rare(lists)[counted]]
    wanted = lists.rare if rare else lists.wanted
    found = np.bincount(lists.topic_of[counted], minlength=len(wanted))
    return found[wanted > 0] / wanted[wanted > 0]


def chance_of_difference(one: FloatArray, other: FloatArray) -> float:
    """The two-sided p-value of a paired randomisation test of two means over topics."""
    differences = one - other
    differences = differences[differences != 0]
    signs = np.random.default_rng(4).choice((-1.0, 1.0), size=(_FLIPS, len(differences)))
    beyond = np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12
    return float((beyond.sum() + 1) / (_FLIPS + 1))


def _ties(lists: Lists) -> IntArray:
    """A random number for each item: comments that are put back have high numbers, which must decide nothing."""
    return np.random.default_rng(3).permutation(len(lists.comments))


def is_rare(lists: Lists) -> Chosen:
    """Whether each candidate has at most three posts."""
    rare: Chosen = lists.column("posts") <= np.log(RARE) + 1e-6
    return rare


def by_weights(learned: Lists, measured: Lists, features: Sequence[str]) -> FloatArray:
    """The scores of the measured candidates by a RankSVM over the learned ones, with features standardised by topic."""
    columns = [learned.features.index(name) for name in features]
    better, worse = _pairs(learned)
    pairs = Pairs(learned.standardised[:, columns], better, worse, np.ones(len(better)))
    scores: FloatArray = measured.standardised[:, columns] @ rank_svm(pairs, penalty=_PENALTY)
    return scores


def by_trees(learned: Lists, measured: Lists, features: Sequence[str]) -> FloatArray:
    """The scores of the measured candidates by LambdaMART over the learned ones, with features of both standards."""
    better, worse = _pairs(learned)
    used = np.concatenate((np.unique(better), worse))
    used = used[np.lexsort((used, learned.topic_of[used]))]
    sizes = np.unique(learned.topic_of[used], return_counts=True)[1]
    columns = [learned.features.index(name) for name in features]
    columns += [len(learned.features) + column for column in columns]
    over_all = Standard.of(learned.rows.astype(np.float64))
    rows, asked = (_regressors(lists, over_all, own)[:, 1:][:, columns].astype(np.float32)
                   for lists, own in ((learned, used), (measured, slice(None))))  # fmt: skip
    gains = learned.is_true[used].astype(np.float64)
    return lambda_mart(rows, gains, sizes, rounds=_TREES, seed=1).scores(asked)


def summed(lists: Lists, *scores: FloatArray) -> FloatArray:
    """The sum of several scores, each standardised by topic."""
    total = np.zeros(len(lists.rows))
    for own in scores:
        for low, high in lists.spans:
            total[low:high] += (own[low:high] - own[low:high].mean()) / max(float(own[low:high].std()), 1e-12)
    return total


def _pairs(lists: Lists) -> tuple[IntArray, IntArray]:
    """Each true reply with some false ones of its topic."""
    rng, better, worse = np.random.default_rng(1), [], []
    for place in np.flatnonzero(lists.is_true).tolist():
        topic = int(np.searchsorted(lists.starts, place, side="right")) - 1
        others = np.arange(lists.starts[topic], lists.starts[topic + 1])
        others = rng.permutation(others[~lists.is_true[others].astype(bool)])[:_MOST_OTHERS]
        better.append(np.full(len(others), place))
        worse.append(others)
    return np.concatenate(better), np.concatenate(worse)


def calibrated_apart(learned: Lists, measured: Lists, *, floor: FloatArray) -> FloatArray:
    """The log odds of a true reply by two logistic regressions, of rare and of common candidates, and a bonus for rare.

    The bonus is the smallest with which the rare part is found as often as by the ranking ``floor``, among the learned
    topics, each scored by regressions of the other folds; the largest if none suffices.
    """
    odds = _odds(learned, np.ones(len(learned.wanted), dtype=bool), measured)
    return odds + _bonus(learned, floor) * is_rare(measured)


def _bonus(lists: Lists, floor: FloatArray) -> float:
    has_true = np.bincount(lists.topic_of[lists.is_true.astype(bool)], minlength=len(lists.wanted)) > 0
    fold_of, odds = folds_of(has_true, _FOLDS, np.random.default_rng(1)), np.zeros(len(lists.rows))
    for fold in range(_FOLDS):
        own = (fold_of == fold)[lists.topic_of]
        odds[own] = _odds(lists, fold_of != fold, lists)[own]
    least = found_by_topic(lists, floor, 10, rare=True).mean()
    for bonus in _BONUSES:
        if found_by_topic(lists, odds + bonus * is_rare(lists), 10, rare=True).mean() >= least:
            return bonus
    return _BONUSES[-1]


def _odds(learned: Lists, topics: Chosen, measured: Lists) -> FloatArray:
    """The log odds of each measured candidate by a regression of the rare ones of some topics, and of the common.

    Of the false candidates one in five is used, rare and common alike: that adds the same to all log odds.
    """
    over_all = Standard.of(learned.rows.astype(np.float64))
    used = learned.is_true.astype(bool) | (np.random.default_rng(1).random(len(learned.rows)) < _FALSE_SHARE)
    used &= topics[learned.topic_of]
    rows, asked = _regressors(learned, over_all, used), _regressors(measured, over_all, slice(None))
    labels, odds = learned.is_true[used].astype(np.float64), np.zeros(len(asked))
    for rare in (True, False):
        part, own = is_rare(learned)[used] == rare, is_rare(measured) == rare
        odds[own] = asked[own] @ logistic_weights(rows[part], labels[part])
    return odds


def _regressors(lists: Lists, over_all: Standard, chosen: Chosen | slice) -> FloatArray:
    """A constant, the features standardised by topic, and those standardised over all topics."""
    by_topic, values = lists.standardised[chosen], over_all.rows(lists.rows[chosen])
    return np.concatenate((np.ones((len(values), 1)), by_topic, values), axis=1)
