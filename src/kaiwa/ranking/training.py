"""Labels in, a ranker out: learned from comments of an index, cross-validated by topic.

``train`` is the public function, ``Training`` its result; ``study`` validates, ``ranker`` holds the learners.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress, share
from kaiwa.engine.dataset import Note
from kaiwa.engine.opening import AHEAD, opened_unless_local, task_notes
from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.files.array_folder import writing_arrays
from kaiwa.formats.letor import read_letor
from kaiwa.formats.readers import format_of
from kaiwa.formats.reading import maybe_path, name_list, path_of, qrels_of, seed_of, topics_of, votes_of
from kaiwa.formats.recognition import QRELS, VOTES
from kaiwa.formats.takedown import full_takedown, given_ids, listed_in
from kaiwa.formats.topics import read_pool
from kaiwa.labelling.gains import UNANIMITY_WEIGHT
from kaiwa.measures.judgements import Scale, parse_levels
from kaiwa.measures.score import judged_gains, judged_votes
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.votes import Votes
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.model_folder import model_identity, open_models, trained_names
from kaiwa.ranking.ranker import LEARNERS
from kaiwa.ranking.ranker_folder import RANKER, ranker_arrays, ranker_facts
from kaiwa.ranking.study import TRIALS, Setting, learning_study
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.training_set import MEASURES, LabelledCandidates, comment_numbers, labelled_candidates, training_set
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.takedown_ids import IndexRelations
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import PValue
from kaiwa.task.comment_texts import listed_in_task
from kaiwa.task.folder import CONFIG, read_task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kaiwa.ambient import Progress
    from kaiwa.engine.dataset import Engine
    from kaiwa.formats.reading import AnyPath, QrelsInput, TopicsInput, VotesInput
    from kaiwa.nouns.qrels import Qrels
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.ranker import Ranker
    from kaiwa.ranking.study import LearningStudy
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.show.text import Cell


_FEATURES_SHARE = 0.5  # of the time that progress shows
_CANDIDATES = "run2"
_PILOT_RUNS = ("run2", "run3", "run4", "run5")
"""Systems whose features a list of features may name; the pilot study learned their weights from labels."""


@dataclass(frozen=True, repr=False, eq=False)
class Training(Result, os.PathLike[str]):
    """A ranker learned from labels, and the cross-validated evidence for it; it stands for the ranker's folder.

    ``random`` is what a random order has; ``single`` what each feature has alone; ``best_single`` compares the best of
    them with the ranker; ``v_e`` is the variance over topics of the ranker and the single features. ``left_out`` are
    the topics without a positive label. ``critical_difference`` is the smallest significant difference, None if no
    difference can be significant.

    >>> import kaiwa
    >>> labels = kaiwa.Qrels.from_lists({"q1": {"c1": 1, "c2": 0}, "q2": {"c1": 0, "c2": 1}})
    >>> topics = {"q1": "A day in Hawaii", "q2": "It rains again"}
    >>> kaiwa.train("index", labels, topics=topics, features="similarity", folds=2)
    Training(2 topics, 4 labels, 4 features)
    """

    study: LearningStudy
    path: Path | None = None
    remarks: tuple[str, ...] = ()

    def __fspath__(self) -> str:
        if self.path is None:
            raise InputError(f"the ranker was not written; give {option('output', 'FOLDER')} to kaiwa.train")
        return str(self.path)

    def __repr__(self) -> str:
        name = "" if self.path is None else f"{str(self.path)!r}, "
        sizes = [counted(self.topics, "topic"), counted(self.labels, "label"), counted(len(self.features), "feature")]
        return f"Training({name}{', '.join(sizes)})"

    def __getattr__(self, name: str) -> Any:  # Any: the field's own type
        if name in _OF_STUDY:
            return getattr(self.study, name)
        raise AttributeError(f"a Training has no {name!r}; see its JSON fields")

    @property
    def learner(self) -> str:
        """The learner."""
        return self.study.ranker.learner

    @property
    def parameter(self) -> dict[str, float]:
        """The parameter that was chosen, by its name."""
        return {LEARNERS[self.learner].parameter: self.study.ranker.parameter}

    @property
    def labels(self) -> int:
        """How many labels it was learned from."""
        return self.study.items

    @property
    def features(self) -> list[str]:
        """The features, in their order."""
        return list(self.study.ranker.features)

    @property
    def candidates(self) -> str:
        """The system whose candidates the ranker orders."""
        return self.study.ranker.candidates

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each standardised feature."""
        return dict(self.study.ranker.weights)

    @property
    def ranker(self) -> str | None:
        """The folder of the ranker; None if it was not written."""
        return None if self.path is None else str(self.path)

    def describe(self) -> Description:
        """The scores beside a random order and single features, the families, the weights, and where the ranker is."""
        study = self.study
        tables = [self._scores(), *([self._ablations()] if study.ablations else []), self._weights()]
        size = f"{counted(study.items, 'label')}, {counted(study.topics, 'topic')}, {counted(len(study.folds), 'fold')}"
        return Description(
            title=f"{LEARNERS[self.learner].description} on {size}",
            tables=tuple(tables),
            shown=tuple(one.name for one in tables),
            notes=self.notes,
            fields={
                "learner": self.learner,
                "parameter": self.parameter,
                "topics": study.topics,
                "labels": self.labels,
                "left_out": study.left_out,
                "folds": [{"fold": place, **asdict(one)} for place, one in enumerate(study.folds, start=1)],
                "means": study.means,
                "intervals": study.intervals,
                "random": study.random,
                "features": self.features,
                "candidates": self.candidates,
                "weights": self.weights,
                "single": study.single,
                "best_single": None if study.best_single is None else asdict(study.best_single),
                "ablations": [asdict(one) for one in study.ablations],
                "critical_difference": study.critical_difference,
                "v_e": study.v_e,
                "warnings": study.warnings,
                "notes": self.notes,
                "ranker": self.ranker,
            },
        )

    def _scores(self) -> Table:
        study = self.study
        rows: list[list[Cell]] = [["random order", *study.random.values()]]
        ranked = sorted(study.single.items(), key=lambda item: item[1][MEASURES[0]])
        rows += [[f"{feature} alone", *means.values()] for feature, means in ranked]
        rows += [[f"fold {place}", *one.means.values()] for place, one in enumerate(study.folds, start=1)]
        rows.append(["all features, mean", *study.means.values()])
        rows += [["  95% interval, low", *(low for low, _ in study.intervals.values())]]
        rows += [["  95% interval, high", *(high for _, high in study.intervals.values())]]
        rows.append(["V_E", *study.v_e.values()])
        return Table("scores", ["ranking", *MEASURES], rows)

    def _ablations(self) -> Table:
        smallest = 1 / (TRIALS + 1)
        rows: list[list[Cell]] = []
        printed: list[list[Cell]] = []
        for one in self.study.ablations:
            rows.append([one.name, *one.means.values(), one.diff, one.p])
            printed.append([f"without {one.name}", *one.means.values(), one.diff, PValue(one.p, smallest=smallest)])
        header = ["ranking", *MEASURES, f"difference of {MEASURES[0]}", "p (robust test)"]
        return Table("ablations", ["without", *MEASURES, "diff", "p"], rows, header, printed)

    def _weights(self) -> Table:
        ordered = sorted(self.weights.items(), key=lambda item: -abs(item[1]))
        return Table("weights", ["feature", "weight"], [[name, weight] for name, weight in ordered])

    @property
    def notes(self) -> list[str]:
        """What a reader must know of the labels and the ranker."""
        notes = [*self.remarks]
        if left := self.study.left_out:
            notes.append(f"{counted(len(left), 'topic')} without a positive label left out, first {left[0]!r}")
        notes += self.study.warnings
        if self.path is not None:
            size = counted(len(self.features), "feature")
            notes.append(f"{self.path}: a ranker of {size} for the candidates of {self.candidates}")
        return notes


_OF_STUDY = frozenset(
    {
        "topics",
        "left_out",
        "folds",
        "means",
        "intervals",
        "random",
        "single",
        "best_single",
        "ablations",
        "critical_difference",
        "v_e",
        "warnings",
    }
)
"""The fields of a study that a training has under the same name."""


def train(
    index: AnyPath | None = None,
    labels: QrelsInput | VotesInput | None = None,
    *,
    topics: TopicsInput | None = None,
    models: AnyPath | None = None,
    letor: AnyPath | None = None,
    output: AnyPath | None = None,
    features: str | Sequence[str] = (),
    candidates: str | None = None,
    learner: str = "linear",
    folds: int = 5,
    scheme: str | None = None,
    p: float | None = None,
    levels: str | Mapping[float, float] | None = None,
    max_level: int | None = None,
    ablations: bool = True,
    takedown: AnyPath | Collection[str] | None = None,
    seed: int = 1,
    engine: str = "local",
) -> Training:
    r"""A ranker learned from labelled comments of an index, cross-validated by topic, and written to ``output``.

    ``labels`` are judgements or votes (``scheme``, ``p`` and ``max_level`` turn them into gains), or a task folder.
    Instead of both, ``letor`` has labels with given features in SVMrank format. ``learner`` is ``linear`` (RankSVM) or
    ``lambdamart``. ``features`` are features, families, or ``run2`` to ``run5`` for the features of these systems;
    without them all are taken whose ``models`` are trained.
    ``candidates`` is the system whose candidates the ranker will order (default: ``run2``). ``ablations`` leave out
    each family in turn. Nothing is learned from the ids of ``takedown``, nor from the list in the index. ``engine``
    computes the features.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> _ = Path("topics.tsv").write_text("q1\tA day in Hawaii\nq2\tIt rains again\n")
    >>> _ = Path("qrels.txt").write_text("q1 0 c1 1\nq1 0 c2 0\nq2 0 c1 0\nq2 0 c2 1\n")
    >>> training = kaiwa.train("index", "qrels.txt", topics="topics.tsv", folds=2, output="ranker")
    >>> training.means["nG@1"]
    1.0
    >>> kaiwa.reply("index", "Hawaii", ranker=training)[0].text
    'Enjoy the beaches of Hawaii'
    """
    setting = Setting(learner, folds, seed_of(seed))
    LEARNERS[learner].require()
    if letor is not None:
        _refuse_with_letor(
            INDEX=index,
            LABELS=labels,
            topics=topics,
            models=models,
            output=output,
            features=features or None,
            candidates=candidates,
            scheme=scheme,
            p=p,
            levels=levels,
            max_level=max_level,
            takedown=takedown or None,
            engine=None if engine == "local" else engine,
        )
        with progress("learning") as moved:
            return Training(_letor_study(path_of("letor", letor), setting, ablate=ablations, progress=moved))
    if index is None or labels is None:
        raise InputError(f"give INDEX and LABELS, or labels with features by {option('letor')}")
    given = _Labels(labels, topics, scheme, p, parse_levels(levels) if isinstance(levels, str) else levels, max_level)
    if p is not None and scheme != "unanimity" and (scheme is not None or given.folder is None):
        fix = f"add {option('scheme', 'unanimity')}, or leave it out"
        raise InputError(f"{option('p')} is of the unanimity scheme; {fix}")
    with progress("learning") as moved:
        return _trained(
            path_of("index", index),
            given,
            models=maybe_path("models", models),
            output=maybe_path("output", output),
            features=_feature_names(features),
            candidates=_CANDIDATES if candidates is None else candidates,
            setting=setting,
            ablate=ablations,
            takedown=given_ids(takedown),
            progress=moved,
            engine=engine,
        )


def _refuse_with_letor(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            shown = name if name.isupper() else option(name)
            raise InputError(f"{option('letor')} has its own features and no texts; leave out {shown}")


def _letor_study(path: Path, setting: Setting, *, ablate: bool, progress: Progress) -> LearningStudy:
    """What the labels and the given features of a LETOR file teach; each feature is a family of its own."""
    given = read_letor(path)
    labelled = training_set(
        given.gains, given.features, given.features, given.rows, rng=np.random.default_rng(setting.seed)
    )
    return learning_study(labelled, setting, ablate=ablate, progress=progress)


def _trained(
    index: Path,
    labels: _Labels,
    *,
    models: Path | None,
    output: Path | None,
    features: Sequence[str],
    candidates: str,
    setting: Setting,
    ablate: bool,
    takedown: frozenset[str],
    progress: Progress,
    engine: str,
) -> Training:
    """The ranker of an index, without what its list, that of a task folder, and ``takedown`` name."""
    _require_candidates(candidates, models)
    opened = open_index(index)
    names = chosen_features(features, models)
    if models is not None and not SYSTEMS[candidates].models and not any(FEATURES[name].needs for name in names):
        raise InputError(f"none of the features needs models; leave out {option('models')}, or choose others")
    gains, topics = labels.read()
    gains = _without(gains, full_takedown(takedown | _listed(index, labels.folder), IndexRelations(opened)))
    made = candidate_features(
        FeatureSource.of(index, models), opened, gains, topics, names, engine, share(progress, 0, _FEATURES_SHARE)
    )
    remarks = list[str]()
    if made.known_topics:
        what = f"{len(made.known_topics):,} of {len(gains.topics):,} topics are posts of labelled comments"
        remarks.append(f"{what}, so their features know the answer; use an index without them (kaiwa topics --rest)")
    if unlabelled := _unlabelled(labels.folder, gains):
        remarks.append(f"{counted(unlabelled, 'comment')} of the pool without a label left out")
    groups = [FEATURES[name].group for name in names]
    labelled = training_set(gains, names, groups, made.rows, rng=np.random.default_rng(setting.seed))
    study = learning_study(labelled, setting, ablate=ablate, progress=share(progress, _FEATURES_SHARE, 1))
    study = replace(study, ranker=replace(study.ranker, candidates=candidates))
    if output is not None:
        write_ranker(output, study.ranker, opened, models)
    return Training(study, output, tuple(remarks))


def _feature_names(given: str | Sequence[str]) -> list[str]:
    """The names of a list; a text may have several, separated by commas.

    >>> _feature_names("q2p, q2c"), _feature_names(("q2p,q2c", "length")), _feature_names(())
    (['q2p', 'q2c'], ['q2p', 'q2c', 'length'], [])
    """
    listed = name_list("features", given)
    names = [name for part in ",".join(listed).split(",") if (name := part.strip())]
    if listed and not names:
        raise InputError(f"{option('features')} names no feature; leave it out for all (kaiwa names features)")
    return names


# Labels: judgements or votes, with the texts of their topics; or those of a task folder.


@dataclass(frozen=True)
class _Labels:
    """Where labels come from, and how votes become gains; without a scheme that of the task folder, or the mean."""

    given: Any  # Any: as ``train`` takes them
    topics: TopicsInput | None = None
    scheme: str | None = None
    p: float | None = None
    levels: Mapping[float, float] | None = None
    max_level: int | None = None

    @property
    def path(self) -> Path | None:
        """The file or folder of the labels; None if they are a noun, a frame or a dict."""
        return Path(self.given) if isinstance(self.given, os.PathLike | str) else None

    @property
    def folder(self) -> Path | None:
        """The task folder, if the labels are one."""
        return self.path if self.path is not None and (self.path / CONFIG).is_file() else None

    def read(self) -> tuple[Qrels, dict[str, str]]:
        """The gains of labelled comments, and the texts of the topics."""
        if self.folder is not None:
            return self._of_task(self.folder)
        if self.path is not None and self.path.is_dir():
            raise InputError.at(self.path, f"holds no {CONFIG}", "give a file of labels, or a task folder")
        if self.topics is None:
            raise InputError(f"no topics are given; give the texts of the topics with {option('topics')}")
        if self.path is None:
            are_votes = isinstance(self.given, Votes)
        else:
            are_votes = format_of(self.path, QRELS, VOTES).noun is VOTES
        return self.gains(self.given, are_votes=are_votes), topics_of(self.topics)

    def _of_task(self, folder: Path) -> tuple[Qrels, dict[str, str]]:
        """Those of a task folder: its qrels; or its votes, if there are no qrels or a scheme is given."""
        task = read_task(folder)
        topics = topics_of(task.topics if self.topics is None else self.topics)
        if task.qrels.is_file() and self.scheme is None:
            return self.gains(task.qrels, are_votes=False), topics
        if not task.votes.is_file():
            what = f"holds neither {task.qrels.name} nor {task.votes.name}"
            raise InputError.at(folder, what, "label the pool first (kaiwa pool)")
        settings = task.settings
        own = replace(
            self,
            scheme=self.scheme or settings.scheme,
            p=self.p if self.p is not None or self.scheme is not None else settings.p,
            max_level=self.max_level or settings.max_level,
        )
        return own.gains(task.votes, are_votes=True), topics

    def gains(self, labels: Any, *, are_votes: bool) -> Qrels:  # Any: a path or a noun
        """The gains of judgements, or of votes by the scheme."""
        scale = Scale(levels=self.levels)
        if not are_votes:
            self._refuse_for_qrels(labels)
            return judged_gains(qrels_of(labels), scale).judgements.gains
        votes, p = votes_of(labels, max_level=self.max_level), UNANIMITY_WEIGHT if self.p is None else self.p
        return judged_votes(votes, scale, scheme=self.scheme or "mean", p=p).judgements.gains

    def _refuse_for_qrels(self, labels: Any) -> None:  # Any: as above
        """Refuse what only turns votes into gains."""
        for name, value in (("scheme", self.scheme), ("p", self.p), ("max_level", self.max_level)):
            if value is not None:
                place = labels if isinstance(labels, os.PathLike | str) else "the labels"
                raise InputError.at(place, "has gains, not votes", f"leave out {option(name)}")


def _listed(index: Path, task: Path | None) -> frozenset[str]:
    """The ids on the takedown lists of the index and of a task folder."""
    return listed_in(index) | (frozenset() if task is None else listed_in_task(read_task(task)))


def _without(gains: Qrels, takedown: frozenset[str]) -> Qrels:
    """The gains of topics and comments that are not on a takedown list."""
    if not takedown:
        return gains
    rows = zip(gains.topic_per_row(), unpack(gains.comments), strict=True)
    return gains.where(np.array([takedown.isdisjoint(row) for row in rows], dtype=bool))


def _unlabelled(folder: Path | None, gains: Qrels) -> int:
    """The number of pooled comments of a task folder that have no label."""
    if folder is None or not (pool := read_task(folder).pool).is_file():
        return 0
    labelled = {(topic, comment) for topic in gains.topics for comment in gains.comments_of(topic)}
    return sum(item not in labelled for item in read_pool(pool))


def _require_candidates(system: str, models: Path | None) -> None:
    """Refuse an unknown system, and one whose models have not been trained."""
    for name in SYSTEMS[system].models:
        if models is None:
            what = f"the candidates of {system!r} need the model {name!r}"
            raise InputError(f"{what}; make it with kaiwa models, then give {option('models')}")
        model_identity(models, name)


def write_ranker(output: Path, ranker: Ranker, index: InvertedIndex, models: Path | None) -> None:
    """Write a ranker as a folder of arrays."""
    with writing_arrays(output, RANKER, ranker_facts(ranker, index, models)) as writer:
        for name, values in ranker_arrays(ranker).items():
            writer.save(name, values)


def chosen_features(wanted: Sequence[str], models: Path | None) -> list[str]:
    """The features of these names, families or pilot runs; without any, all whose models have been trained.

    >>> chosen_features(["similarity", "length"], None), chosen_features(["run2"], None)
    (['q2p', 'q2c', 'bm25-q2p', 'bm25-q2c', 'length'], ['q2p', 'q2c'])
    """
    trained = trained_names(models) if models is not None else frozenset[str]()
    if not wanted:
        return [name for name, one in FEATURES.items() if trained.issuperset(one.needs)]
    groups = {one.group for one in FEATURES.values()}
    for name in wanted:
        if name not in FEATURES and name not in groups and name not in _PILOT_RUNS:
            raise UnknownName.among("feature", name, [*FEATURES, *groups, *_PILOT_RUNS])
    named = {*wanted, *(feature for run in _PILOT_RUNS if run in wanted for feature in SYSTEMS[run].features)}
    chosen = [name for name, one in FEATURES.items() if name in named or one.group in named]
    if models is None and (needing := [name for name in chosen if FEATURES[name].needs]):
        what = f"the feature {needing[0]!r} needs the model {FEATURES[needing[0]].needs[0]!r}"
        raise InputError(f"{what}; make it with kaiwa models, then give {option('models')}")
    return chosen


# The features of labelled comments, computed here or by the tasks of an engine, some topics each.


_ROWS = "rows"


@dataclass(frozen=True)
class FeatureSource:
    """The folders of an index and of its models, absolute, because tasks may run elsewhere."""

    index: Path
    models: Path | None

    @classmethod
    def of(cls, index: Path, models: Path | None) -> FeatureSource:
        """By absolute paths."""
        return cls(index.resolve(), models and models.resolve())


def candidate_features(
    source: FeatureSource,
    index: InvertedIndex,
    gains: Qrels,
    topics: Mapping[str, str],
    names: Sequence[str],
    engine: str,
    progress: Progress,
) -> LabelledCandidates:
    """The features of each labelled comment; they do not depend on the engine."""
    with opened_unless_local(engine) as running:
        if running is None:
            models = open_models(source.models, index) if source.models is not None else None
            return labelled_candidates(index, gains, topics, names, models=models, progress=progress)
        comment_numbers(index, gains)  # labels of another index are an error before the first task
        return _by_tasks(running, source, gains, topics, names, progress)


def _by_tasks(
    engine: Engine,
    source: FeatureSource,
    gains: Qrels,
    topics: Mapping[str, str],
    names: Sequence[str],
    progress: Progress,
) -> LabelledCandidates:
    parts = list(_parts(gains, AHEAD * engine.workers))
    tasks = [(part, {topic: topics[topic] for topic in part.topics if topic in topics}) for part in parts]
    made = list[LabelledCandidates]()
    for found in task_notes(engine, _computed, tasks, source, tuple(names), name=_ROWS):
        made.append(found)
        progress(len(made), len(tasks))
    known = tuple(topic for one in made for topic in one.known_topics)
    return LabelledCandidates(np.concatenate([np.zeros((0, len(names))), *(one.rows for one in made)]), known)


def _parts(gains: Qrels, parts: int) -> Iterator[Qrels]:
    """The gains in parts of about the same number of topics, in their order."""
    size = max(-(-len(gains.topics) // parts), 1)
    for first in range(0, len(gains.topics), size):
        own = gains.topics[first : first + size]
        kept = np.zeros(len(gains), dtype=bool)
        kept[gains.span(own[0]).start : gains.span(own[-1]).stop] = True
        yield gains.where(kept)


def _computed(task: tuple[Qrels, Mapping[str, str]], source: FeatureSource, names: Sequence[str]) -> Iterator[Note]:
    if not source.index.exists():
        raise InputError.at(source.index, "is missing where the task runs", "put it on storage that all workers share")
    gains, topics = task
    index, models = _opened(source)
    yield Note(_ROWS, labelled_candidates(index, gains, topics, names, models=models))


@lru_cache(maxsize=1)
def _opened(source: FeatureSource) -> tuple[InvertedIndex, OpenModels | None]:
    index = open_index(source.index)
    return index, open_models(source.models, index) if source.models is not None else None
