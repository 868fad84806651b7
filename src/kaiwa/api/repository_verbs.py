"""The verbs on a repository of pairs: clean, sample topics, index, train, open, retrieve.

The examples run in a folder with ``pairs.tsv`` (two pairs), its ``repository`` and the ``index`` of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.formats.collection.takedown import given_ids
from kaiwa.rank.answer_filters import Filters

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.flow.answers.models import TrainedModels
    from kaiwa.flow.answers.retrieve import Bot
    from kaiwa.flow.collection.topics import Topics
    from kaiwa.model.run import Run
    from kaiwa.rank.learning.learning_study import LearningStudy

_FILTERS = Filters()


def clean_pairs(
    pairs: Path | str | Sequence[Path | str],
    repository: Path | str,
    *,
    rules: str = "plain",
    sample: int | None = None,
    seed: int = 1,
    keep_first: bool = False,
    takedown: Path | str | Collection[str] = frozenset(),
    engine: str = "local",
) -> Cleaned:
    r"""Clean raw post-comment pairs (TSV, CSV, JSONL or Parquet) into a repository folder; what each rule removed.

    ``pairs`` is a file of pairs, dialogues or tweets. Several files of one of these kinds, or a folder with them (read
    by name), are cleaned as one file with all their rows, in the given order. Other paths, or a folder, are a file of
    posts, one of comments and perhaps one of the pairs of their ids.

    ``rules`` is the name of a rule set or a TOML file; ``sample`` keeps that many pairs, drawn with the seed. Input in
    which more than 1% of the ids have several texts is refused; with ``keep_first`` the first text is kept.
    ``takedown`` are ids that may not be shown, or a file of them; the list in the repository's folder applies too.
    ``engine`` is where the work runs: ``local``, ``local[N]`` (processes), ``spark://HOST:PORT`` or ``sc://HOST:PORT``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> _ = Path("pairs.tsv").write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
    >>> kaiwa.clean_pairs("pairs.tsv", "repository")
    Cleaned(1 post, 1 comment, 1 pair of 1 read)
    """
    from kaiwa.flow.collection.clean import clean_pairs as clean

    paths = [Path(pairs)] if isinstance(pairs, Path | str) else [Path(path) for path in pairs]
    return clean(
        paths,
        Path(repository),
        rules=rules,
        sample=sample,
        seed=seed,
        keep_first=keep_first,
        takedown=given_ids(takedown),
        engine=engine,
    )


def sample_topics(
    repository: Path | str,
    *,
    count: int = 100,
    pool: Path | str | None = None,
    rest: Path | str | None = None,
    seed: int = 1,
    takedown: Path | str | Collection[str] = frozenset(),
) -> Topics:
    r"""Topics that pass the repository's rules, balanced by length, without near-duplicates.

    With ``pool`` they are drawn from those posts, without near-duplicates of the repository's posts. Without it they
    are posts of the repository, and the repository without them is written to ``rest``. Ids of
    ``takedown``, a collection or a file, and of the repository's list are left out.

    >>> import kaiwa
    >>> kaiwa.sample_topics("repository", count=1).topics
    {'p2': 'It rains'}
    """
    from kaiwa.flow.collection.topics import sample_topics as sample

    return sample(
        Path(repository),
        count=count,
        pool=None if pool is None else Path(pool),
        rest=None if rest is None else Path(rest),
        rng=np.random.default_rng(seed),
        takedown=given_ids(takedown),
    )


def index_repository(
    repository: Path | str,
    index: Path | str,
    *,
    language: str | None = None,
    tokens: str | None = None,
    takedown: Path | str | Collection[str] = frozenset(),
    shards: int | None = None,
    engine: str = "local",
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    r"""Tokenise and index the posts and comments of a repository; the facts of the index.

    ``language`` is ``zh``, ``ja`` or ``en``, detected by default; ``tokens`` names a tokeniser (default: ``zh+bigrams``
    for ``zh``, the words of the language otherwise). Ids of ``takedown``, a collection or a file, are left out.
    With ``shards``, the index has this number of shards; its answers are the same. ``engine`` tokenises the texts and
    builds the shards; the index does not depend on it.

    >>> import kaiwa
    >>> kaiwa.index_repository("repository", "index", language="en")["comments"]
    2
    >>> kaiwa.index_repository("repository", "index", language="en", shards=2)["shards"]
    2
    """
    from kaiwa.api.score_verbs import one_of
    from kaiwa.flow.collection.index import index_repository as make

    if language is not None:
        one_of("language", language, ("zh", "ja", "en"))
    return make(
        Path(repository),
        Path(index),
        language=language,
        tokens=tokens,
        takedown=given_ids(takedown),
        shards=shards,
        engine=engine,
    )


def train_models(
    index: Path | str,
    models: Path | str,
    *,
    names: Sequence[str] = (),
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
    >>> kaiwa.train_models("index", "models", names=["translation"]).trained
    ('tokens', 'translation')
    >>> bot = kaiwa.open("index", models="models")
    >>> bot.reply("A day in Hawaii", system="run3")[0].text
    'Enjoy the beaches of Hawaii'
    """
    from kaiwa.flow.answers.models import train_models as train

    given = given_ids(takedown)
    return train(
        Path(index),
        Path(models),
        names=names,
        seed=seed,
        again=again,
        bridge_from=None if bridge_from is None else Path(bridge_from),
        encoder=None if encoder is None else Path(encoder),
        tokenizer=None if tokenizer is None else Path(tokenizer),
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
    features: Sequence[str] = (),
    candidates: str = "run2",
    learner: str = "linear",
    folds: int = 5,
    scheme: str | None = None,
    levels: Mapping[float, float] | None = None,
    seed: int = 1,
    takedown: Path | str | Collection[str] = frozenset(),
    engine: str = "local",
) -> LearningStudy:
    r"""A ranker learned from labelled comments of an index, cross-validated by topic, and written to ``output``.

    ``labels`` is a file of judgements or of votes (``scheme`` turns them into gains), or a task folder. ``learner`` is
    ``linear`` (RankSVM) or ``lambdamart``. ``features`` are features or families; without them all are taken whose
    ``models`` are trained. ``candidates`` is the system whose candidates the ranker will order. Nothing is learned from
    the ids of ``takedown``, nor from the list in the index. ``engine`` computes the features.

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
        Path(index),
        Labels(Path(labels), None if topics is None else Path(topics), scheme, levels=levels),
        models=None if models is None else Path(models),
        output=None if output is None else Path(output),
        features=features,
        candidates=candidates,
        setting=Setting(learner, folds, seed),
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
        Path(path),
        takedown=given_ids(takedown),
        models=None if models is None else Path(models),
        model=None if model is None else Path(model),
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
