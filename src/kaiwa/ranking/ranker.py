"""A ranker: standardised features in, one score for each candidate out; and the learners that make one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kaiwa.errors import Names, counted
from kaiwa.ranking.features.batch import FIRST_DEPTH
from kaiwa.ranking.system import System, ordered, united
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.trees import lambda_mart, lightgbm_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.system import Features
    from kaiwa.ranking.training_set import TrainingSet
    from kaiwa.ranking.trees import Trees
    from kaiwa.retrieval.matching import Candidates

    Chosen = NDArray[np.bool_]
    Path = Callable[["NDArray[np.float32]", TrainingSet, Chosen, Sequence[float], int], list["Scorer"]]


# RankSVM: weights such that the better of two candidates of a topic has the higher score (Joachims 2002).


_BLOCK = 1 << 16  # differences held at a time
_STEPS = 100
_CONVERGED = 1e-9


class Pairs(NamedTuple):
    """The rows of the candidates ("items x features"), and pairs of them: the better one, the worse one, its weight."""

    rows: NDArray[np.float32]
    better: IntArray
    worse: IntArray
    weights: FloatArray


def rank_svm(pairs: Pairs, *, penalty: float, start: FloatArray | None = None) -> FloatArray:
    """The weights w that minimise w.w / 2 + C sum a max(0, 1 - w.(better - worse))^2.

    C is ``penalty``, a the weight of a pair.

    >>> rows = np.array([[1.0], [0.0]], dtype=np.float32)
    >>> rank_svm(Pairs(rows, np.array([0]), np.array([1]), np.ones(1)), penalty=0.5).tolist()
    [0.5]
    """
    weights = np.zeros(pairs.rows.shape[1]) if start is None else start.copy()
    value, losses = _objective(pairs, weights, penalty)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(pairs, weights, losses, penalty)
        if np.abs(gradient).max(initial=0.0) <= _CONVERGED * max(penalty * len(pairs.better), 1.0):
            break
        step, size = np.linalg.solve(curvature, -gradient), 1.0
        while (tried := _objective(pairs, weights + size * step, penalty))[0] > value and size > _CONVERGED:
            size /= 2
        if tried[0] > value:
            break
        weights, (value, losses) = weights + size * step, tried
    return weights


def _objective(pairs: Pairs, weights: FloatArray, penalty: float) -> tuple[float, FloatArray]:
    """The value to be minimised, and what each pair lacks to a margin of 1."""
    scores = pairs.rows @ weights
    losses = np.maximum(1 - (scores[pairs.better] - scores[pairs.worse]), 0.0)
    return float(weights @ weights / 2 + penalty * (pairs.weights @ losses**2)), losses


def _derivatives(
    pairs: Pairs, weights: FloatArray, losses: FloatArray, penalty: float
) -> tuple[FloatArray, FloatArray]:
    """The gradient and the Hessian of the objective."""
    gradient, curvature = weights.copy(), np.eye(len(weights))
    for differences, shares, own in _differences(pairs, losses):
        gradient -= 2 * penalty * ((shares * own) @ differences)
        curvature += 2 * penalty * ((differences.T * shares) @ differences)
    return gradient, curvature


def _differences(pairs: Pairs, losses: FloatArray) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """The differences of the pairs that have a loss, with their weights and losses, in blocks."""
    active = np.flatnonzero(losses > 0)
    for low in range(0, len(active), _BLOCK):
        part = active[low : low + _BLOCK]
        rows = pairs.rows[pairs.better[part]].astype(np.float64) - pairs.rows[pairs.worse[part]]
        yield rows, pairs.weights[part], losses[part]


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


# The system of a learned ranker: the candidates of another system, ordered by the ranker.


def learned_system(ranker: Ranker) -> System:
    """The system that orders the best candidates of another one by a ranker."""
    name, first = LEARNERS[ranker.learner].description, SYSTEMS[ranker.candidates]
    of_others = "" if ranker.candidates == "run2" else f", candidates of {ranker.candidates}"
    return System(
        f"{name} over {counted(len(ranker.features), 'feature')}{of_others}",
        first.searches,
        ranker.features,
        combine=partial(by_ranker, ranker=ranker),
        depth=max(FIRST_DEPTH, first.depth),
        needs=first.models,
        weights=ranker.weights,
    )


def by_ranker(rankings: Sequence[Candidates], features: Features, *, ranker: Ranker) -> Candidates:
    """The candidates of all searches, ordered by the ranker; ties by id."""
    candidates = united(rankings)
    return ordered(candidates, ranker.scores(features(candidates)))
