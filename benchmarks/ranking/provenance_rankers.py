"""Rankings of provenance lists, learned on other topics, and the share of true replies that they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.ranking.provenance_lists import RARE
from kaiwa.rank.learning.cross_validation import folds_of
from kaiwa.rank.learning.rank_svm import Pairs, rank_svm
from kaiwa.rank.learning.ranker import Standard
from kaiwa.rank.models.topic_words import logistic_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.ranking.provenance_lists import Lists
    from kaiwa.model.ids import FloatArray, IntArray

    Chosen = NDArray[np.bool_]

_FOLDS = 5
_PENALTY = 1e-3
_MOST_OTHERS = 200  # false replies compared with each true one
_BONUSES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)  # added to the log odds of rare replies


def standardised_by_topic(lists: Lists) -> FloatArray:
    """The features with mean 0 and standard deviation 1 over the candidates of each topic."""
    rows = np.array(lists.rows, dtype=np.float64)
    for low, high in zip(lists.starts[:-1].tolist(), lists.starts[1:].tolist(), strict=True):
        rows[low:high] = Standard.of(rows[low:high]).rows(rows[low:high])
    return rows


def true_ranks(lists: Lists, scores: FloatArray) -> IntArray:
    """The rank of each topic's first true reply, from 0; beyond all others if it is not among the candidates."""
    ranks, ties = np.full(len(lists.wanted), np.iinfo(np.int64).max), _ties(lists)
    for topic, (low, high) in enumerate(zip(lists.starts[:-1].tolist(), lists.starts[1:].tolist(), strict=True)):
        order = low + np.lexsort((ties[low:high], -scores[low:high]))
        places = np.flatnonzero(lists.is_true[order])
        ranks[topic] = places[0] if len(places) else ranks[topic]
    return ranks


def found_at(
    lists: Lists, scores: FloatArray, depth: int, *, rare: bool = False, topics: Chosen | None = None
) -> float:
    """The mean over topics of the share of true replies among the first ``depth``; of the rare ones if asked for."""
    order = np.lexsort((_ties(lists), -scores, lists.topic_of))
    places = np.arange(len(order)) - lists.starts[:-1][lists.topic_of]
    counted = order[(places < depth) & lists.is_true[order].astype(bool)]
    if rare:
        counted = counted[_is_rare(lists)[counted]]
    wanted = lists.rare if rare else lists.wanted
    found = np.bincount(lists.topic_of[counted], minlength=len(wanted))
    kept = wanted > 0 if topics is None else topics & (wanted > 0)
    return float((found[kept] / wanted[kept]).mean())


def _ties(lists: Lists) -> IntArray:
    """A random number for each item: comments that are put back have high numbers, which must decide nothing."""
    return np.random.default_rng(3).permutation(len(lists.comments))


def _is_rare(lists: Lists) -> Chosen:
    rare: Chosen = lists.column("posts") <= np.log(RARE) + 1e-6
    return rare


def _folds(lists: Lists) -> IntArray:
    has_true = np.bincount(lists.topic_of[lists.is_true.astype(bool)], minlength=len(lists.wanted)) > 0
    return folds_of(has_true, _FOLDS, np.random.default_rng(1))


def by_weights(lists: Lists, features: Sequence[str]) -> FloatArray:
    """The scores of each topic by a RankSVM of the other folds, over features standardised by topic."""
    columns = [lists.features.index(name) for name in features]
    rows = standardised_by_topic(lists)[:, columns].astype(np.float32)
    better, worse = _pairs(lists)
    fold_of, scores = _folds(lists), np.zeros(len(rows))
    for fold in range(_FOLDS):
        seen = fold_of[lists.topic_of[better]] != fold
        weights = rank_svm(Pairs(rows, better[seen], worse[seen]), penalty=_PENALTY)
        own = fold_of[lists.topic_of] == fold
        scores[own] = rows[own] @ weights
    return scores


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


def calibrated_apart(lists: Lists, *, floor: FloatArray) -> FloatArray:
    """The log odds of a true reply by two logistic regressions, of rare and of common candidates, and a bonus for rare.

    The bonus is the smallest with which the rare part is found as often as by the ranking ``floor``, on topics that
    the regressions have not seen, in a cross-validation inside the other folds.
    """
    rare, fold_of, scores = _is_rare(lists), _folds(lists), np.zeros(len(lists.rows))
    for fold in range(_FOLDS):
        others, inner = fold_of != fold, np.zeros(len(scores))
        for left_out in set(range(_FOLDS)) - {fold}:
            own = (fold_of == left_out)[lists.topic_of]
            inner[own] = _odds(lists, others & (fold_of != left_out))[own]
        own = (fold_of == fold)[lists.topic_of]
        scores[own] = (_odds(lists, others) + _bonus(lists, inner, floor, others) * rare)[own]
    return scores


def _odds(lists: Lists, topics: Chosen) -> FloatArray:
    """The log odds of each candidate by a regression of the rare ones of some topics and one of the common ones."""
    by_topic, over_all = standardised_by_topic(lists), Standard.of(lists.rows).rows(lists.rows)
    rows = np.concatenate((np.ones((len(lists.rows), 1)), by_topic, over_all), axis=1)
    rare, seen, odds = _is_rare(lists), topics[lists.topic_of], np.zeros(len(rows))
    for part in (rare, ~rare):
        odds[part] = rows[part] @ logistic_weights(rows[part & seen], lists.is_true[part & seen].astype(np.float64))
    return odds


def _bonus(lists: Lists, odds: FloatArray, floor: FloatArray, topics: Chosen) -> float:
    least = found_at(lists, floor, 10, rare=True, topics=topics)
    for bonus in _BONUSES:
        if found_at(lists, odds + bonus * _is_rare(lists), 10, rare=True, topics=topics) >= least:
            return bonus
    return _BONUSES[-1]
