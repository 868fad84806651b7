"""What labels teach: a ranker, its cross-validated scores, and what single features and families of features add."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import no_progress
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.errors import InputError, counted, option
from kaiwa.nouns.matrix import Matrix
from kaiwa.ranking.ranker import LEARNERS, fitted
from kaiwa.ranking.training_set import MEASURES
from kaiwa.stats.anova import within_run_variance
from kaiwa.stats.compiled import one_matrix_thread
from kaiwa.stats.resampling import percentile_limits, topic_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from kaiwa.ambient import Progress
    from kaiwa.comparison.leaderboard import Leaderboard
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.ranker import Ranker
    from kaiwa.ranking.training_set import TrainingSet

    Chosen = NDArray[np.bool_]
    Means = Mapping[str, float]  # by measure


# Cross-validation by topic: every topic is ranked by a ranker that has not seen it; parameters are chosen inside.


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


# The rankings that a study of features compares: all features, each feature alone, and all without one family.


ALL = "all features"


@dataclass(frozen=True, eq=False)
class FeatureRankings:
    """How well each ranking ranks each topic ("measures x topics", by its name), cross-validated by topic."""

    labelled: TrainingSet
    fold_of: IntArray
    parameters: tuple[float, ...]
    families: tuple[str, ...]
    values: Mapping[str, FloatArray]


def without(family: str) -> str:
    """The name of the ranking by all features but those of a family."""
    return f"without {family}"


def feature_rankings(
    labelled: TrainingSet, setting: Setting, *, ablate: bool, rng: np.random.Generator, progress: Progress
) -> FeatureRankings:
    """All rankings; those without a family have the parameters that were chosen with all features."""
    require_folds(labelled, setting.folds)
    fold_of = folds_of(labelled.has_pairs, setting.folds, rng)
    found = tuple(dict.fromkeys(labelled.families)) if ablate else ()
    families = found if len(found) > 1 else ()
    whole = cross_validated(labelled, setting, fold_of)
    scores = {ALL: whole.scores, **single_scores(labelled, fold_of, setting.folds)}
    progress(1, len(families) + 1)
    for place, family in enumerate(families, start=2):
        kept = [at for at, own in enumerate(labelled.families) if own != family]
        part = cross_validated(labelled.of_features(kept), setting, fold_of, whole.parameters)
        scores[without(family)] = part.scores
        progress(place, len(families) + 1)
    values = np.moveaxis(labelled.measured(list(scores.values())), 1, 0)
    return FeatureRankings(labelled, fold_of, whole.parameters, families, dict(zip(scores, values, strict=True)))


def single_scores(labelled: TrainingSet, fold_of: IntArray, folds: int) -> dict[str, FloatArray]:
    """Each feature as a score; whether high or low values are better is learned from the other folds."""
    better, worse = labelled.pairs
    standard = (labelled.rows - labelled.rows.mean(axis=0)) / np.maximum(labelled.rows.std(axis=0), 1e-300)
    by_topic = np.zeros((labelled.topics, len(labelled.features)))
    np.add.at(by_topic, labelled.topic_of[better], standard[better] - standard[worse])
    signs = np.stack([np.where(by_topic[fold_of != fold].sum(axis=0) < 0, -1.0, 1.0) for fold in range(folds)])
    scores = labelled.rows * signs[fold_of[labelled.topic_of]]
    return {name: scores[:, place] for place, name in enumerate(labelled.features)}


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


def _finite(compared: Leaderboard | None) -> float | None:
    """The smallest significant difference; None if the topics are too few for any."""
    found = np.inf if compared is None else compared.critical_difference
    return found if np.isfinite(found) else None


def _best(single: Mapping[str, Means]) -> str:
    return max(single, key=lambda name: single[name][MEASURES[0]])


def _compared(rankings: FeatureRankings, single: Mapping[str, Means], rng: np.random.Generator) -> Leaderboard | None:
    """All pairs of rankings under the first measure, by the robust test; None for one feature."""
    if len(single) == 1:
        return None
    names = (ALL, *map(without, rankings.families), _best(single))
    by_topic = np.stack([rankings.values[name][0] for name in names], axis=1)
    scores = Matrix(MEASURES[0], rankings.labelled.gains.topics, names, by_topic)
    return compare_runs(scores, test="robust", trials=TRIALS, rng=rng)


def _beside(compared: Leaderboard | None, name: str, ranking: str, values: Mapping[str, FloatArray]) -> Ablation:
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
