"""A ranker: standardised features in, one score for each candidate out; and the learners that make one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kaiwa.rank.learning.rank_svm import Pairs, rank_svm
from kaiwa.rank.learning.regression_trees import lambda_mart, lightgbm_module
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.learning.training_set import TrainingSet
    from kaiwa.rank.trees import Trees

    Chosen = NDArray[np.bool_]
    Path = Callable[["NDArray[np.float32]", TrainingSet, Chosen, Sequence[float], int], list["Scorer"]]


class Scorer(Protocol):
    """What a learner makes: scores of standardised rows."""

    def scores(self, rows: NDArray[np.float32]) -> FloatArray:
        """One score for each row."""


class Linear(NamedTuple):
    """A weighted sum."""

    weights: FloatArray

    def scores(self, rows: NDArray[np.float32]) -> FloatArray:
        """The sum for each row, feature by feature in their order, so that equal rows have equal scores."""
        total = np.zeros(len(rows))
        for column, weight in enumerate(self.weights.tolist()):
            total += weight * rows[:, column]
        return total


class Standard(NamedTuple):
    """The mean and the standard deviation of each feature over the training candidates; 1 if it does not vary."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> Standard:
        """Those of some rows ("items x features")."""
        deviation = rows.std(axis=0)
        return cls(rows.mean(axis=0), np.where(deviation > 1e-12 * np.abs(rows).max(axis=0, initial=0), deviation, 1.0))

    def rows(self, rows: FloatArray) -> NDArray[np.float32]:
        """The rows standardised, in single precision: the last bits of a feature decide nothing."""
        return ((rows - self.mean) / self.deviation).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Ranker:
    """Features by name, their standardisation, and the scorer; ``learner`` is its name, ``parameter`` its setting.

    ``candidates`` is the system whose candidates it orders.
    """

    learner: str
    parameter: float
    features: tuple[str, ...]
    standard: Standard
    scorer: Linear | Trees
    candidates: str = "run2"

    def scores(self, columns: Mapping[str, FloatArray]) -> FloatArray:
        """The score of each candidate from the values of its features by name."""
        rows = np.stack([columns[name] for name in self.features], axis=1)
        return self.scorer.scores(self.standard.rows(rows))

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each standardised feature; of trees the share of the gain of their splits."""
        values = self.scorer.weights if isinstance(self.scorer, Linear) else self.scorer.gains
        whole = 1.0 if isinstance(self.scorer, Linear) else max(float(values.sum()), 1e-300)
        return dict(zip(self.features, (values / whole).tolist(), strict=True))


@dataclass(frozen=True)
class Learner:
    """What it is, its parameter with the values that are tried, and how it is trained for several of them at once.

    ``require`` raises an error if a library is missing, before any work.
    """

    description: str
    parameter: str
    values: tuple[float, ...]
    path: Path
    require: Callable[[], object] = dict


def linear_path(
    rows: NDArray[np.float32], labelled: TrainingSet, chosen: Chosen, penalties: Sequence[float], _seed: int
) -> list[Scorer]:
    """A weighted sum for each penalty, trained on the chosen topics; each search starts where the last one ended."""
    better, worse = labelled.pairs
    kept = chosen[labelled.topic_of[better]]
    pairs = Pairs(rows, better[kept], worse[kept], labelled.pair_weights[kept])
    weights, made = None, list[Scorer]()
    for penalty in penalties:
        weights = rank_svm(pairs, penalty=penalty, start=weights)
        made.append(Linear(weights.astype(np.float32).astype(np.float64)))
    return made


def tree_path(
    rows: NDArray[np.float32], labelled: TrainingSet, chosen: Chosen, rounds: Sequence[float], seed: int
) -> list[Scorer]:
    """Boosted trees for each number of rounds, trained once on the chosen topics."""
    kept = chosen[labelled.topic_of]
    sizes = np.diff(labelled.gains.starts)[chosen]
    trees = lambda_mart(rows[kept], labelled.gains.gains[kept], sizes, rounds=int(max(rounds)), seed=seed)
    return [trees.first(int(count)) for count in rounds]


LEARNERS = Names(
    "learner",
    {
        "linear": Learner("RankSVM", "C", (1e-5, 1e-4, 1e-3, 1e-2, 1e-1), linear_path),
        "lambdamart": Learner("LambdaMART", "trees", (75, 150, 300), tree_path, lightgbm_module),
    },
)


def fitted(
    labelled: TrainingSet, learner: str, chosen: Chosen, parameters: Sequence[float], *, seed: int
) -> list[Ranker]:
    """A ranker for each parameter, trained on the chosen topics."""
    standard = Standard.of(labelled.rows[chosen[labelled.topic_of]])
    scorers = LEARNERS[learner].path(standard.rows(labelled.rows), labelled, chosen, parameters, seed)
    return [
        Ranker(learner, parameter, labelled.features, standard, scorer)  # type: ignore[arg-type]  # one of ours
        for parameter, scorer in zip(parameters, scorers, strict=True)
    ]
