"""The rankings that a study of features compares: all features, each feature alone, and all without one family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.learning.cross_validation import cross_validated, folds_of, require_folds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.learning.cross_validation import Setting
    from kaiwa.rank.learning.training_set import TrainingSet

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
