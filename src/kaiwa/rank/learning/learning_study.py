"""What labels teach: a ranker, its cross-validated scores, and what single features and families of features add."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.comparison import compare_runs
from kaiwa.errors import counted
from kaiwa.model.progress_callback import no_progress
from kaiwa.model.scores import Scores
from kaiwa.rank.learning.cross_validation import chosen_parameter
from kaiwa.rank.learning.feature_rankings import ALL, feature_rankings, without
from kaiwa.rank.learning.ranker import LEARNERS, fitted
from kaiwa.rank.learning.training_set import MEASURES
from kaiwa.stats.anova import within_run_variance
from kaiwa.stats.matrix_threads import one_matrix_thread
from kaiwa.stats.topic_bootstrap import percentile_limits, topic_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kaiwa.compare.comparison import Comparison
    from kaiwa.model.ids import FloatArray
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.learning.cross_validation import Setting
    from kaiwa.rank.learning.feature_rankings import FeatureRankings
    from kaiwa.rank.learning.ranker import Ranker
    from kaiwa.rank.learning.training_set import TrainingSet

    Means = Mapping[str, float]  # by measure

TRIALS = 5_000
"""Of the test that compares the rankings."""
_DRAWS = 2_000
_FEW_TOPICS = 50


@dataclass(frozen=True)
class Fold:
    """One part of a cross-validation: its topics, its means, and the parameter that was chosen on the others."""

    topics: int
    means: Means
    parameter: float


@dataclass(frozen=True)
class Ablation:
    """A ranking beside that of all features: its means, and its difference from the other in the first measure.

    ``name`` is the family that is left out, or the feature that ranks alone. ``p`` is that of the robust all-pairs
    test over the ranking by all features, the ablations and the best single feature.
    """

    name: str
    means: Means
    diff: float
    p: float
    significant: bool


@dataclass(frozen=True, eq=False)
class LearningStudy:
    """A ranker trained on all topics, and the cross-validated evidence for it.

    ``random`` is what a random order has; ``single`` what each feature has alone; ``best_single`` compares the best of
    them with the ranker; ``v_e`` is the variance over topics of the ranker and the single features. ``left_out`` are
    the topics without a positive label. ``critical_difference`` is the smallest significant difference, None if no
    difference can be significant.
    """

    ranker: Ranker
    topics: int
    items: int
    left_out: tuple[str, ...]
    folds: tuple[Fold, ...]
    means: Means
    intervals: Mapping[str, tuple[float, float]]
    random: Means
    single: Mapping[str, Means]
    ablations: tuple[Ablation, ...]
    best_single: Ablation | None
    critical_difference: float | None
    v_e: Means
    warnings: tuple[str, ...]


@one_matrix_thread()
def learning_study(
    labelled: TrainingSet, setting: Setting, *, ablate: bool = True, progress: Progress = no_progress
) -> LearningStudy:
    """A ranker learned from all labels, with its scores on topics that each fold's ranker has not seen."""
    rng = np.random.default_rng(setting.seed)
    rankings = feature_rankings(labelled, setting, ablate=ablate, rng=rng, progress=progress)
    everything = np.ones(labelled.topics, dtype=bool)
    parameter = chosen_parameter(labelled, setting, everything)
    ranker = fitted(labelled, setting.learner, everything, [parameter], seed=setting.seed)[0]
    values = rankings.values
    single = {name: _means(values[name]) for name in labelled.features}
    compared = _compared(rankings, single, rng)
    random = labelled.measured_at_random(rng)
    ablations = tuple(_beside(compared, family, without(family), values) for family in rankings.families)
    best = None if compared is None else _beside(compared, _best(single), _best(single), values)
    study = LearningStudy(
        ranker=ranker,
        topics=labelled.topics,
        items=len(labelled.rows),
        left_out=labelled.left_out,
        folds=tuple(_folds(rankings)),
        means=_means(values[ALL]),
        intervals=dict(zip(MEASURES, (_interval(row, rng) for row in values[ALL]), strict=True)),
        random=_means(random),
        single=single,
        ablations=ablations,
        best_single=best,
        critical_difference=_finite(compared),
        v_e=_variances(rankings),
        warnings=(),
    )
    return _warned(study, labelled)


def _means(values: FloatArray) -> dict[str, float]:
    """The mean of each measure ("measures x topics")."""
    return dict(zip(MEASURES, values.mean(axis=1).tolist(), strict=True))


def _folds(rankings: FeatureRankings) -> Iterator[Fold]:
    for place, parameter in enumerate(rankings.parameters):
        own = rankings.fold_of == place
        yield Fold(int(own.sum()), _means(rankings.values[ALL][:, own]), parameter)


def _finite(compared: Comparison | None) -> float | None:
    """The smallest significant difference; None if the topics are too few for any."""
    found = np.inf if compared is None else compared.critical_difference
    return found if np.isfinite(found) else None


def _best(single: Mapping[str, Means]) -> str:
    return max(single, key=lambda name: single[name][MEASURES[0]])


def _compared(rankings: FeatureRankings, single: Mapping[str, Means], rng: np.random.Generator) -> Comparison | None:
    """All pairs of rankings under the first measure, by the robust test; None for one feature."""
    if len(single) == 1:
        return None
    names = (ALL, *map(without, rankings.families), _best(single))
    by_topic = np.stack([rankings.values[name][0] for name in names], axis=1)
    scores = Scores(MEASURES[0], rankings.labelled.gains.topics, names, by_topic)
    return compare_runs(scores, test="robust", trials=TRIALS, rng=rng)


def _beside(compared: Comparison | None, name: str, ranking: str, values: Mapping[str, FloatArray]) -> Ablation:
    """A ranking beside that of all features."""
    pairs = () if compared is None else compared.pairs
    pair = next(one for one in pairs if {one.a, one.b} == {ALL, ranking})
    diff = (pair.diff if pair.a == ranking else -pair.diff) + 0.0  # never -0.0
    return Ablation(name, _means(values[ranking]), diff, pair.p, pair.significant)


def _interval(values: FloatArray, rng: np.random.Generator) -> tuple[float, float]:
    """The 95% limits of the mean over topics, by a bootstrap."""
    drawn = np.concatenate([block @ values / len(values) for block in topic_weights(rng, _DRAWS, len(values))])
    return percentile_limits(drawn, 0.95)


def _variances(rankings: FeatureRankings) -> dict[str, float]:
    """V_E of each measure over the ranking by all features and those by single features."""
    runs = np.stack([rankings.values[name] for name in (ALL, *rankings.labelled.features)], axis=2)
    return dict(zip(MEASURES, map(within_run_variance, runs), strict=True))


def _warned(study: LearningStudy, labelled: TrainingSet) -> LearningStudy:
    """The study with its warnings."""
    return replace(study, warnings=tuple(_warnings(study, int(labelled.has_pairs.sum()))))


def _warnings(study: LearningStudy, learned: int) -> Iterator[str]:
    """Lines on labels that are too few for the differences shown; ``learned`` is the number of topics with pairs."""
    first, name = MEASURES[0], LEARNERS[study.ranker.learner].description
    if learned < _FEW_TOPICS:
        what = f"{counted(learned, 'topic')} with different labels for {counted(len(study.single), 'feature')}"
        yield f"{what}: too few for stable weights; label {_FEW_TOPICS} or more, or give fewer features"
    if study.intervals[first][0] <= study.random[first]:
        yield f"{name} is not better than a random order ({first} {study.random[first]:.4f})"
    best = study.best_single
    if best is None:
        return
    if best.diff > 0:
        yield f"{name} is {best.diff:.4f} below {best.name} alone ({first})"
    elif not best.significant:
        yield f"{name} is not significantly better than {best.name} alone"
    undecided = [abs(one.diff) for one in (*study.ablations, best) if one.diff and not one.significant]
    if study.critical_difference is None:
        yield f"no difference can be significant with {counted(study.topics, 'topic')}"
    elif undecided:
        needed = int(np.ceil(study.topics * (study.critical_difference / max(undecided)) ** 2))
        shown = f"{counted(len(undecided), 'difference')} of {first} not significant with {study.topics:,} topics"
        limit = f"smallest significant difference {study.critical_difference:.4f}"
        yield f"{shown} ({limit}); the largest, {max(undecided):.4f}, would need about {needed:,} topics"
