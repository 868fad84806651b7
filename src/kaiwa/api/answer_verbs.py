"""The verbs on an index: train models and rankers, open it, retrieve.

The examples run in a folder with the ``index`` of two pairs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.api.arguments import maybe_path, name_list, path_of, seed_of
from kaiwa.formats.collection.takedown import given_ids
from kaiwa.rank.answer_filters import Filters

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kaiwa.flow.answers.models import TrainedModels
    from kaiwa.flow.answers.retrieve import Bot
    from kaiwa.model.run import Run
    from kaiwa.rank.learning.learning_study import LearningStudy

_FILTERS = Filters()


def train_models(
    index: Path | str,
    models: Path | str,
    *,
    names: str | Sequence[str] = (),
    seed: int = 1,
    again: bool = False,
    bridge_from: Path | str | None = None,
    encoder: Path | str | None = None,
    tokenizer: Path | str | None = None,
    takedown: Path | str | Collection[str] = frozenset(),
    engine: str = "local",
) -> TrainedModels:
    r"""Train the models that features need from an index into a folder; without ``names`` all of them.

    A model that the index has trained already is kept, unless ``again``. Texts of ``takedown``, ids or a file of
    them, and of the list of the index are left out. ``bridge_from`` is a repository whose pairs become the model
    ``bridge``. ``encoder`` is an ONNX file, and ``tokenizer`` its tokenizer.json, for the model ``encoder``. On an
    ``engine`` other than ``local``, each model is a task.

    >>> import kaiwa
    >>> kaiwa.train_models("index", "models", names="translation").trained
    ('tokens', 'translation')
    >>> bot = kaiwa.open("index", models="models")
    >>> bot.reply("A day in Hawaii", system="run3")[0].text
    'Enjoy the beaches of Hawaii'
    """
    from kaiwa.flow.answers.models import train_models as train

    given = given_ids(takedown)
    return train(
        path_of("index", index),
        path_of("models", models),
        names=name_list("names", names),
        seed=seed_of(seed),
        again=again,
        bridge_from=maybe_path("bridge_from", bridge_from),
        encoder=maybe_path("encoder", encoder),
        tokenizer=maybe_path("tokenizer", tokenizer),
        takedown=given,
        engine=engine,
    )


def train_ranker(
    index: Path | str,
    labels: Path | str,
    *,
    topics: Path | str | None = None,
    models: Path | str | None = None,
    output: Path | str | None = None,
    features: str | Sequence[str] = (),
    candidates: str = "run2",
    learner: str = "linear",
    folds: int = 5,
    scheme: str | None = None,
    p: float | None = None,
    levels: Mapping[float, float] | None = None,
    top: int | None = None,
    ablations: bool = True,
    seed: int = 1,
    takedown: Path | str | Collection[str] = frozenset(),
    engine: str = "local",
) -> LearningStudy:
    r"""A ranker learned from labelled comments of an index, cross-validated by topic, and written to ``output``.

    ``labels`` is a file of judgements or of votes (``scheme``, ``p`` and ``top`` turn them into gains), or a task
    folder. ``learner`` is ``linear`` (RankSVM) or ``lambdamart``. ``features`` are features or families; without them
    all are taken whose ``models`` are trained. ``candidates`` is the system whose candidates the ranker will order.
    ``ablations`` leave out each family in turn. Nothing is learned from the ids of ``takedown``, nor from the list in
    the index. ``engine`` computes the features.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> _ = Path("topics.tsv").write_text("q1\tA day in Hawaii\nq2\tIt rains again\n")
    >>> _ = Path("qrels.txt").write_text("q1 0 c1 1\nq1 0 c2 0\nq2 0 c1 0\nq2 0 c2 1\n")
    >>> study = kaiwa.train_ranker("index", "qrels.txt", topics="topics.tsv", folds=2, output="ranker")
    >>> study.means["nG@1"]
    1.0
    >>> kaiwa.open("index", model="ranker").reply("Hawaii")[0].text
    'Enjoy the beaches of Hawaii'
    """
    from kaiwa.flow.answers.train import Labels
    from kaiwa.flow.answers.train import train_ranker as train
    from kaiwa.rank.learning.cross_validation import Setting

    return train(
        path_of("index", index),
        Labels(path_of("labels", labels), maybe_path("topics", topics), scheme, p, levels, top),
        models=maybe_path("models", models),
        output=maybe_path("output", output),
        features=name_list("features", features),
        candidates=candidates,
        setting=Setting(learner, folds, seed_of(seed)),
        ablate=ablations,
        takedown=given_ids(takedown),
        engine=engine,
    )


def open_index(
    path: Path | str,
    *,
    takedown: Path | str | Collection[str] = frozenset(),
    models: Path | str | None = None,
    model: Path | str | None = None,
) -> Bot:
    r"""A conversation system over an index; ``takedown`` are ids that may not be shown, or a file of them.

    ``models`` is the folder that :func:`train_models` made, for systems that need it; ``model`` is a ranker that
    :func:`train_ranker` made.

    >>> import kaiwa
    >>> kaiwa.open("index").reply("A day in Hawaii")[0].text
    'Enjoy the beaches of Hawaii'
    """
    from kaiwa.flow.answers.retrieve import Bot

    return Bot(
        path_of("path", path),
        takedown=given_ids(takedown),
        models=maybe_path("models", models),
        model=maybe_path("model", model),
    )


def retrieve_run(
    index: Path | str,
    topics: Mapping[str, str] | Path | str,
    *,
    name: str,
    k: int = 10,
    system: str | None = None,
    filters: Filters = _FILTERS,
    fusion: str = "rrf",
    takedown: Path | str | Collection[str] = frozenset(),
    models: Path | str | None = None,
    model: Path | str | None = None,
    engine: str = "local",
) -> Run:
    r"""A run that answers every topic from an index; ``run.unanswered()`` names the topics without an answer.

    Without ``system``, the ranker ``model`` orders the comments if it is given, else ``run2``. ``engine`` answers the
    topics; the run does not depend on it.

    >>> import kaiwa
    >>> kaiwa.retrieve_run("index", {"q1": "A day in Hawaii"}, name="KAIWA-E-R1")
    Run('KAIWA-E-R1', 1 topic, 1 comment)
    """
    from kaiwa.api.noun_readers import read_topics
    from kaiwa.engine.task_notes import opened_unless_local

    asked = read_topics(topics) if isinstance(topics, Path | str) else topics
    bot = open_index(index, takedown=takedown, models=models, model=model)
    with opened_unless_local(engine) as running:
        return bot.run(asked, name=name, k=k, system=system, filters=filters, fusion=fusion, engine=running)
