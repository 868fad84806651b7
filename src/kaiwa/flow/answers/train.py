"""A ranker learned from labels: of a task folder, of a file of judgements or votes, or of a LETOR file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.build.array_writer import writing_arrays
from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.flow.answers.candidate_features import FeatureSource, candidate_features
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.model_folder import model_identity, trained_names
from kaiwa.formats.collection.ranker_folder import RANKER, ranker_arrays, ranker_facts
from kaiwa.formats.collection.takedown import full_takedown, listed_in
from kaiwa.formats.format import QRELS, VOTES
from kaiwa.formats.letor_files import read_letor
from kaiwa.formats.pool_files import read_pool
from kaiwa.formats.readers import format_of, read_qrels, read_topics, read_votes
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT
from kaiwa.measure.gain_scale import Scale
from kaiwa.model.ids import unpack
from kaiwa.model.progress_callback import no_progress, share
from kaiwa.rank.features.feature_table import FEATURES
from kaiwa.rank.learning.cross_validation import Setting
from kaiwa.rank.learning.learning_study import LearningStudy, learning_study
from kaiwa.rank.learning.ranker import LEARNERS
from kaiwa.rank.learning.training_set import training_set
from kaiwa.rank.system_table import SYSTEMS
from kaiwa.retrieve.search.takedown_ids import IndexRelations
from kaiwa.studies.judging import judged_gains, judged_votes
from kaiwa.task.comment_texts import listed_in_task
from kaiwa.task.folder_search import CONFIG
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kaiwa.model.gains import Gains
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.learning.ranker import Ranker
    from kaiwa.retrieve.index.inverted_index import Index

_FEATURES_SHARE = 0.5  # of the time that progress shows
DEFAULT = Setting()


@dataclass(frozen=True)
class Labels:
    """Where labels come from, and how votes become gains; without a scheme that of the task folder, or the mean."""

    path: Path
    topics: Path | None = None
    scheme: str | None = None
    p: float | None = None
    levels: Mapping[float, float] | None = None
    top: int | None = None


def train_ranker(
    index: Path,
    labels: Labels,
    *,
    models: Path | None = None,
    output: Path | None = None,
    features: Sequence[str] = (),
    candidates: str = "run2",
    setting: Setting = DEFAULT,
    ablate: bool = True,
    takedown: frozenset[str] = frozenset(),
    progress: Progress = no_progress,
    remark: Callable[[str], None] = lambda _line: None,
    engine: str = "local",
) -> LearningStudy:
    """Learn a ranker from labelled comments of an index, and write it to ``output`` if given.

    ``candidates`` is the system whose candidates the ranker will order. ``engine`` computes the features.
    Nothing is learned from the takedown lists of the index and of the task folder, nor from ``takedown``.
    """
    LEARNERS[setting.learner].require()
    _require_candidates(candidates, models)
    opened = open_index(index)
    names = chosen_features(features, models)
    gains, topics = read_labels(labels)
    gains = _without(gains, full_takedown(takedown | _listed(index, labels.path), IndexRelations(opened)))
    made = candidate_features(
        FeatureSource.of(index, models), opened, gains, topics, names, engine, share(progress, 0, _FEATURES_SHARE)
    )
    if made.known_topics:
        what = f"{len(made.known_topics):,} of {len(gains.topics):,} topics are posts of labelled comments"
        remark(f"kaiwa: {what}, so their features know the answer; use an index without them (kaiwa topics --rest)")
    if unlabelled := _unlabelled(labels.path, gains):
        remark(f"kaiwa: {counted(unlabelled, 'comment')} of the pool without a label left out")
    groups = [FEATURES[name].group for name in names]
    labelled = training_set(gains, names, groups, made.rows, rng=np.random.default_rng(setting.seed))
    study = learning_study(labelled, setting, ablate=ablate, progress=share(progress, _FEATURES_SHARE, 1))
    study = replace(study, ranker=replace(study.ranker, candidates=candidates))
    if output is not None:
        write_ranker(output, study.ranker, opened, models)
    return study


def _require_candidates(system: str, models: Path | None) -> None:
    """Refuse an unknown system, and one whose models have not been trained."""
    for name in SYSTEMS[system].models:
        if models is None:
            what = f"the candidates of {system!r} need the model {name!r}"
            raise InputError(f"{what}; make it with kaiwa models, then give {option('models')}")
        model_identity(models, name)


def letor_study(
    path: Path, *, setting: Setting = DEFAULT, ablate: bool = True, progress: Progress = no_progress
) -> LearningStudy:
    """What the labels and the given features of a LETOR file teach; each feature is a family of its own."""
    LEARNERS[setting.learner].require()
    given = read_letor(path)
    labelled = training_set(
        given.gains, given.features, given.features, given.rows, rng=np.random.default_rng(setting.seed)
    )
    return learning_study(labelled, setting, ablate=ablate, progress=progress)


def write_ranker(output: Path, ranker: Ranker, index: Index, models: Path | None) -> None:
    """Write a ranker as a folder of arrays."""
    with writing_arrays(output, RANKER, ranker_facts(ranker, index, models)) as writer:
        for name, values in ranker_arrays(ranker).items():
            writer.save(name, values)


def chosen_features(wanted: Sequence[str], models: Path | None) -> list[str]:
    """The features of these names or families; without any, all whose models have been trained.

    >>> chosen_features(["similarity", "length"], None)
    ['q2p', 'q2c', 'bm25-q2p', 'bm25-q2c', 'length']
    """
    trained = trained_names(models) if models is not None else frozenset[str]()
    if not wanted:
        return [name for name, one in FEATURES.items() if trained.issuperset(one.needs)]
    groups = {one.group for one in FEATURES.values()}
    for name in wanted:
        if name not in FEATURES and name not in groups:
            raise UnknownName.among("feature", name, [*FEATURES, *groups])
    chosen = [name for name, one in FEATURES.items() if name in wanted or one.group in wanted]
    if models is None and (needing := [name for name in chosen if FEATURES[name].needs]):
        what = f"the feature {needing[0]!r} needs the model {FEATURES[needing[0]].needs[0]!r}"
        raise InputError(f"{what}; make it with kaiwa models, then give {option('models')}")
    return chosen


def read_labels(labels: Labels) -> tuple[Gains, dict[str, str]]:
    """The gains of labelled comments, and the texts of the topics."""
    if (labels.path / CONFIG).is_file():
        return _task_labels(labels)
    if labels.path.is_dir():
        raise InputError.at(labels.path, f"holds no {CONFIG}", "give a file of labels, or a task folder")
    if labels.topics is None:
        raise InputError(f"no topics are given; give the texts of the topics with {option('topics')}")
    are_votes = format_of(labels.path, QRELS, VOTES).noun is VOTES
    if not are_votes:
        _refuse_for_qrels(labels)
    return _gains(labels, labels.path, are_votes=are_votes), read_topics(labels.topics)


def _refuse_for_qrels(labels: Labels) -> None:
    """Refuse what only turns votes into gains."""
    for name, value in (("scheme", labels.scheme), ("p", labels.p), ("top", labels.top)):
        if value is not None:
            raise InputError.at(labels.path, "has gains, not votes", f"leave out {option(name)}")


def _task_labels(labels: Labels) -> tuple[Gains, dict[str, str]]:
    """Those of a task folder: its qrels; or its votes, if there are no qrels or a scheme is given."""
    task = read_task(labels.path)
    topics = read_topics(labels.topics or task.topics)
    if task.qrels.is_file() and labels.scheme is None:
        _refuse_for_qrels(replace(labels, path=task.qrels))
        return _gains(labels, task.qrels, are_votes=False), topics
    if not task.votes.is_file():
        what = f"holds neither {task.qrels.name} nor {task.votes.name}"
        raise InputError.at(labels.path, what, "label the pool first (kaiwa pool)")
    settings = task.settings
    p = labels.p if labels.p is not None or labels.scheme is not None else settings.p
    own = Labels(
        labels.path, labels.topics, labels.scheme or settings.scheme, p, labels.levels, labels.top or settings.top
    )
    return _gains(own, task.votes, are_votes=True), topics


def _listed(index: Path, labels: Path) -> frozenset[str]:
    """The ids on the takedown lists of the index and of a task folder."""
    return listed_in(index) | (listed_in_task(read_task(labels)) if (labels / CONFIG).is_file() else frozenset())


def _without(gains: Gains, takedown: frozenset[str]) -> Gains:
    """The gains of topics and comments that are not on a takedown list."""
    if not takedown:
        return gains
    rows = zip(gains.topic_per_row(), unpack(gains.comments), strict=True)
    return gains.where(np.array([takedown.isdisjoint(row) for row in rows], dtype=bool))


def _unlabelled(folder: Path, gains: Gains) -> int:
    """The number of pooled comments of a task folder that have no label."""
    if not (folder / CONFIG).is_file() or not (pool := read_task(folder).pool).is_file():
        return 0
    labelled = {(topic, comment) for topic in gains.topics for comment in gains.comments_of(topic)}
    return sum(item not in labelled for item in read_pool(pool))


def _gains(labels: Labels, path: Path, *, are_votes: bool) -> Gains:
    scale = Scale(levels=labels.levels)
    if not are_votes:
        return judged_gains(read_qrels(path), scale).judgements.gains
    votes, p = read_votes(path, top=labels.top), UNANIMITY_WEIGHT if labels.p is None else labels.p
    return judged_votes(votes, scale, scheme=labels.scheme or "mean", p=p).judgements.gains


def feature_names(text: str | None) -> list[str]:
    """The names in a list separated by commas.

    >>> feature_names("q2p, q2c"), feature_names(None)
    (['q2p', 'q2c'], [])
    """
    names = [name for part in (text or "").split(",") if (name := part.strip())]
    if text is not None and not names:
        raise InputError(f"{option('features')} names no feature; leave it out for all (kaiwa features)")
    return names
