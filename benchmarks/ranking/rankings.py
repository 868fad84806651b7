"""The rankings that an experiment compares, cross-validated by topic, as scores of the labelled candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.nouns.scores import Scores
from kaiwa.ranking.study import Setting, cross_validated, folds_of, single_scores
from kaiwa.ranking.training_set import MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.training_set import TrainingSet

LEARNERS = {"linear": "RankSVM", "lambdamart": "LambdaMART"}
_Q2P, _Q2C, _TRANSLM, _TOPICWORD = ("q2p",), ("q2c",), ("translm",), ("topicword-q2p", "topicword-q2c")
PILOT = {
    "run0": _Q2P,
    "run1": _Q2C,
    "run2": _Q2P + _Q2C,
    "run3": _Q2P + _Q2C + _TRANSLM,
    "run4": _Q2P + _Q2C + _TOPICWORD,
    "run5": _Q2P + _Q2C + _TRANSLM + _TOPICWORD,
}
"""Sakai et al. 2015, Table 2; the weights are learned by RankSVM."""
_POSTS = "posts"  # how many posts a comment has: here those of its nearest comments, see strict_index
_FIRST_STAGE = ("first-score", "first-rank", _POSTS, "bigrams-q2p")
CHEAP = ("cheap signals", "cheap signals and number of posts", "cheap signals without the first stage")


@dataclass(frozen=True, eq=False)
class Rankings:
    """The scores of the labelled candidates by each ranking, and how well it ranks each topic ("measures x topics")."""

    labelled: TrainingSet
    fold_of: IntArray
    values: dict[str, FloatArray]

    def scores(self, names: Sequence[str], measure: str = MEASURES[0]) -> Scores:
        """The topics x rankings matrix of one measure."""
        row = MEASURES.index(measure)
        by_topic = np.stack([self.values[name][row] for name in names], axis=1)
        return Scores.from_matrix(measure, self.labelled.gains.topics, tuple(names), by_topic)

    def mean(self, name: str, measure: str = MEASURES[0]) -> float:
        """The mean over topics."""
        return float(self.values[name][MEASURES.index(measure)].mean())

    def best(self, names: Sequence[str]) -> str:
        """The ranking with the highest mean of the first measure."""
        return max(names, key=self.mean)


def with_columns(labelled: TrainingSet, columns: Mapping[str, FloatArray], family: str) -> TrainingSet:
    """The set with further features of one family."""
    return replace(
        labelled,
        features=(*labelled.features, *columns),
        families=(*labelled.families, *[family] * len(columns)),
        rows=np.column_stack((labelled.rows, *columns.values())),
    )


def chosen(labelled: TrainingSet, wanted: Callable[[str, str], bool]) -> TrainingSet:
    """The set with the features whose name and family are wanted."""
    names = zip(labelled.features, labelled.families, strict=True)
    return labelled.of_features([place for place, own in enumerate(names) if wanted(*own)])


def rankings(
    labelled: TrainingSet, systems: Mapping[str, FloatArray], *, encoder: str = "encoder", folds: int = 5, seed: int
) -> Rankings:
    """A random order, the pilot runs, the systems, single features, and learned rankings of groups of features."""
    fold_of = folds_of(labelled.has_pairs, folds, np.random.default_rng(seed))
    scores = {f"{name}, learned": learned(_of(labelled, own), "linear", fold_of, seed) for name, own in PILOT.items()}
    scores |= {f"{name}, summed": own for name, own in systems.items()}
    scores |= single_scores(labelled, fold_of, folds)
    for group, part in groups(labelled, encoder).items():
        for learner, name in LEARNERS.items():
            scores[f"{name}, {group}"] = learned(part, learner, fold_of, seed)
    measured = np.moveaxis(labelled.measured(list(scores.values())), 1, 0)
    values = dict(zip(scores, measured, strict=True))
    random = labelled.measured_at_random(np.random.default_rng(seed))
    return Rankings(labelled, fold_of, {"random order": random, **values})


def groups(labelled: TrainingSet, encoder: str) -> dict[str, TrainingSet]:
    """The features that are learned from together."""
    made = {
        "cheap signals without the first stage": chosen(
            labelled, lambda name, family: family == "signals" and name not in _FIRST_STAGE
        ),
        "cheap signals": chosen(labelled, lambda name, family: family == "signals" and name != _POSTS),
        "cheap signals and number of posts": chosen(labelled, lambda _, family: family == "signals"),
        "own features": chosen(labelled, lambda _, family: family != encoder),
    }
    return made | ({"own features and encoder": labelled} if encoder in labelled.families else {})


def ablations(whole: Rankings, *, encoder: str = "encoder", seed: int) -> Rankings:
    """RankSVM and LambdaMART on the own features without each family."""
    own = chosen(whole.labelled, lambda _, family: family != encoder)
    scores = {}
    for learner, name in LEARNERS.items():
        for family in dict.fromkeys(own.families):
            part = chosen(own, lambda _, one, left=family: one != left)  # type: ignore[misc]  # a default is a constant
            scores[f"{name}, without {family}"] = learned(part, learner, whole.fold_of, seed)
    measured = np.moveaxis(own.measured(list(scores.values())), 1, 0)
    return replace(whole, values={**whole.values, **dict(zip(scores, measured, strict=True))})


def _of(labelled: TrainingSet, names: Sequence[str]) -> TrainingSet:
    return labelled.of_features([labelled.features.index(name) for name in names])


def learned(labelled: TrainingSet, learner: str, fold_of: IntArray, seed: int) -> FloatArray:
    """The scores of all candidates, each by a ranker that has not seen its topic."""
    return cross_validated(labelled, Setting(learner, int(fold_of.max()) + 1, seed), fold_of).scores
