"""Cross-validation by topic: every topic is ranked by a ranker that has not seen it; parameters are chosen inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted, option
from kaiwa.rank.learning.ranker import LEARNERS, fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.learning.ranker import Ranker
    from kaiwa.rank.learning.training_set import TrainingSet

    Chosen = NDArray[np.bool_]

_INNER = 3


@dataclass(frozen=True)
class Setting:
    """The learner, the number of folds, and the seed of all chance."""

    learner: str = "linear"
    folds: int = 5
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Validated:
    """The score of each candidate by the ranker that has not seen its topic, and the parameter of each fold."""

    scores: FloatArray
    parameters: tuple[float, ...]


def folds_of(has_pairs: Chosen, folds: int, rng: np.random.Generator) -> IntArray:
    """The fold of each topic, at random, in equal sizes; topics with pairs to learn from are spread over all folds.

    >>> folds = folds_of(np.arange(10) < 5, 5, np.random.default_rng(1))
    >>> np.bincount(folds).tolist(), sorted(folds[:5].tolist())
    ([2, 2, 2, 2, 2], [0, 1, 2, 3, 4])
    """
    order = np.lexsort((rng.random(len(has_pairs)), ~has_pairs))
    fold_of = np.empty(len(order), dtype=np.int64)
    fold_of[order] = np.arange(len(order)) % folds
    return fold_of


def cross_validated(
    labelled: TrainingSet, setting: Setting, fold_of: IntArray, parameters: tuple[float, ...] | None = None
) -> Validated:
    """Every candidate scored by a ranker trained on the other folds; the parameter is chosen inside them, or given."""
    scores, used = np.zeros(len(labelled.rows)), list[float]()
    for fold in range(setting.folds):
        seen = fold_of != fold
        used.append(parameters[fold] if parameters else chosen_parameter(labelled, setting, seen))
        ranker = fitted(labelled, setting.learner, seen, used[-1:], seed=setting.seed)[0]
        own = ~seen[labelled.topic_of]
        scores[own] = _scores(ranker, labelled.rows[own])
    return Validated(scores, tuple(used))


def chosen_parameter(labelled: TrainingSet, setting: Setting, seen: Chosen) -> float:
    """The parameter with the highest mean of the first measure in an inner cross-validation over some topics.

    The middle one if only one of them has pairs.
    """
    values = LEARNERS[setting.learner].values
    folds = min(_INNER, int(labelled.has_pairs[seen].sum()))
    if folds == 1:
        return values[len(values) // 2]
    inner = np.full(labelled.topics, -1)
    inner[seen] = folds_of(labelled.has_pairs[seen], folds, np.random.default_rng(setting.seed))
    scores = np.zeros((len(values), len(labelled.rows)))
    for fold in range(folds):
        own = (inner == fold)[labelled.topic_of]
        rankers = fitted(labelled, setting.learner, seen & (inner != fold), values, seed=setting.seed)
        for place, ranker in enumerate(rankers):
            scores[place, own] = _scores(ranker, labelled.rows[own])
    means = labelled.measured(list(scores))[0][:, seen].mean(axis=1)
    return values[int(np.argmax(np.round(means, 9)))]


def _scores(ranker: Ranker, rows: FloatArray) -> FloatArray:
    return ranker.scorer.scores(ranker.standard.rows(rows))


def require_folds(labelled: TrainingSet, folds: int) -> None:
    """Raise an error unless every fold has a topic, and the other folds have pairs to learn from."""
    learned = int(labelled.has_pairs.sum())
    if folds < 2:  # noqa: PLR2004  one fold leaves nothing to learn from
        raise InputError(f"{option('folds', str(folds))} leaves no topic to learn from; give 2 or more")
    if folds > learned:
        what = f"{option('folds', str(folds))}, but only {counted(learned, 'topic')} with different labels"
        raise InputError(f"{what}; label more topics" + (f", or give {learned} folds" if learned > 1 else ""))
