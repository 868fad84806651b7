"""An index in, answers out: replies to a post, a run for a file of topics, and the open index for many questions.

``open``, ``reply``, ``retrieve`` and ``retrieve_all`` are the public functions; ``bot`` answers, by a system of
``system_table`` or by a learned ranker.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import Progress, no_progress, progress, remark, share
from kaiwa.engine.dataset import Note
from kaiwa.engine.opening import AHEAD, opened_unless_local, task_notes
from kaiwa.errors import InputError, counted, option
from kaiwa.files.array_folder import MANIFEST
from kaiwa.files.atomic import write_texts
from kaiwa.formats.reading import maybe_path, path_of, topics_of
from kaiwa.formats.runs import ntcir_run_texts
from kaiwa.formats.takedown import FolderList, given_ids
from kaiwa.nouns.run import Run
from kaiwa.ranking.model_folder import open_models, trained_names
from kaiwa.ranking.ranker import learned_system
from kaiwa.ranking.ranker_folder import open_ranker
from kaiwa.ranking.replies import FILTERS, Filters, answers, bare_replies, filters_of, ranking, replies
from kaiwa.ranking.system_table import SYSTEMS, fuses, system_named
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import query_of
from kaiwa.retrieval.takedown_ids import takedown_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kaiwa.engine.dataset import Engine
    from kaiwa.formats.reading import AnyPath, TopicsInput
    from kaiwa.ranking.replies import BareReply, Replies
    from kaiwa.ranking.system import System
    from kaiwa.retrieval.matching import Candidates, Query
    from kaiwa.retrieval.takedown_ids import Takedown
    from kaiwa.show.text import Cell


# An open index that answers: one post at a time, or a file of topics as a run.


DEFAULT_SYSTEM = "run2"
LEARNED = "ranker"
"""The name of the system of a learned ranker."""
RRF = "rrf"
_MAX_K = 1000
_RUN = "run"


@dataclass(frozen=True)
class RunSettings:
    """How the topics of a run are answered."""

    name: str
    k: int
    system: str | None
    filters: Filters
    fusion: str


@dataclass(frozen=True)
class Opening:
    """How a bot is opened, also by a task; ``version`` is that of the index, which another build may replace."""

    path: Path
    takedown: frozenset[str]
    models: Path | None
    ranker: Path | None
    version: tuple[int, int]

    @classmethod
    def of(cls, path: Path, takedown: frozenset[str], models: Path | None, ranker: Path | None) -> Opening:
        """By absolute paths."""
        state = (path / MANIFEST).stat()
        version = state.st_ino, state.st_mtime_ns
        return cls(path.resolve(), takedown, models and models.resolve(), ranker and ranker.resolve(), version)


class Bot(Result):
    r"""An open index; ``reply`` answers a post with old comments and the reasons for them, ``retrieve`` gives a run.

    The takedown list in the index folder is read again when it changes, so an id added to it is not in the next
    answer.

    >>> import kaiwa
    >>> kaiwa.open("index")
    Bot(2 posts, 2 comments)
    """

    def __init__(
        self,
        path: Path,
        *,
        takedown: frozenset[str] = frozenset(),
        models: Path | None = None,
        ranker: Path | None = None,
    ) -> None:
        self._list = FolderList(path)
        self._given = takedown
        self.index = open_index(path)
        self._numbers = takedown_of(self.index, takedown)
        self._models = open_models(models, self.index) if models is not None else None
        self._trained = trained_names(models) if models is not None else frozenset()
        self._ranker = open_ranker(ranker, self.index, models) if ranker is not None else None
        self._opening = Opening.of(path, takedown, models, ranker)

    def __repr__(self) -> str:
        return f"Bot({counted(self.posts, 'post')}, {counted(self.comments, 'comment')})"

    @property
    def posts(self) -> int:
        """How many posts the index has."""
        return len(self.index.posts.texts)

    @property
    def comments(self) -> int:
        """How many comments the index has."""
        return len(self.index.comments.texts)

    @property
    def tokeniser(self) -> str:
        """The tokeniser of the index."""
        return self.index.tokeniser

    def describe(self) -> Description:
        """The size of the open index."""
        row: dict[str, Cell] = {"posts": self.posts, "comments": self.comments, "tokeniser": self.tokeniser}
        table = Table("index", list(row), [list(row.values())], ["posts", "comments", "words by"])
        return Description(tables=(table,), title="An open index", fields=row)

    def reply(
        self,
        post: str,
        *,
        k: int = 10,
        system: str | None = None,
        fusion: str = RRF,
        min_chars: int = FILTERS.min_chars,
        repeat: float = FILTERS.repeat,
        near: float = FILTERS.near,
        block: AnyPath | Collection[str] | None = None,
        unfiltered: bool = False,
    ) -> Replies:
        r"""The k best comments for a post, best first; empty if the index has no word of it.

        As ``kaiwa.reply``, without opening the index again.

        >>> import kaiwa
        >>> print(kaiwa.open("index").reply("A day in Hawaii", k=1)[0].text)
        Enjoy the beaches of Hawaii
        """
        _require_words(post)
        filters = filters_of(min_chars=min_chars, repeat=repeat, near=near, block=block, unfiltered=unfiltered)
        query, chosen = self._query(post), self._system(system, fusion)
        found = self._answers(query, chosen, k, filters)
        name = system or self._default
        return replies(query, chosen, found, self._models, self._takedown(), post=post, name=name)

    def retrieve(
        self,
        topics: TopicsInput,
        *,
        name: str | None = None,
        k: int = 10,
        system: str | None = None,
        fusion: str = RRF,
        min_chars: int = FILTERS.min_chars,
        repeat: float = FILTERS.repeat,
        near: float = FILTERS.near,
        block: AnyPath | Collection[str] | None = None,
        unfiltered: bool = False,
        engine: str = "local",
    ) -> Run:
        r"""A run over the topics, with distinct scores; a topic without any answer has an empty list.

        As ``kaiwa.retrieve``, without opening the index again. On an ``engine``, tasks open it by its path.

        >>> import kaiwa
        >>> kaiwa.open("index").retrieve({"q1": "A day in Hawaii"}, name="KAIWA-E-R1").comments_of("q1")
        ['c1']
        """
        filters = filters_of(min_chars=min_chars, repeat=repeat, near=near, block=block, unfiltered=unfiltered)
        title = name or system or self._default
        asked = topics_of(topics)
        with opened_unless_local(engine) as running, progress("retrieving") as moved:
            run = self.run(asked, RunSettings(title, k, system, filters, fusion), progress=moved, engine=running)
        if left_out := len(asked) - len(run.topics):
            remark(f"{counted(left_out, 'topic')} of the takedown list left out")
        if unanswered := run.unanswered():
            remark(f"no comment answers {counted(len(unanswered), 'topic')}, first {unanswered[0]}")
        return run

    def run(
        self,
        topics: Mapping[str, str],
        how: RunSettings,
        *,
        progress: Progress = no_progress,
        engine: Engine | None = None,
    ) -> Run:
        """The run of these settings; a topic on a takedown list is left out.

        >>> import kaiwa
        >>> how = RunSettings("R", 1, "run2", FILTERS, RRF)
        >>> kaiwa.open("index").run({"q1": "A day in Hawaii"}, how).comments_of("q1")
        ['c1']
        """
        chosen = self._system(how.system, how.fusion)
        lists: dict[str, list[tuple[str, float]]] = {}
        if engine is not None:
            for part in _runs(engine, topics, self._opening, how, progress):
                lists |= {topic: part.ranking(topic) for topic in part.topics}
            return Run.from_lists(how.name, lists, description=chosen.description)
        for done, (topic, text) in enumerate(topics.items(), start=1):
            found = self._answers(self._query(text), chosen, how.k, how.filters)
            if topic not in self._given | self._list.ids:
                lists[topic] = ranking(self.index, found)
            progress(done, len(topics))
        return Run.from_lists(how.name, lists, description=chosen.description)

    def system_names(self) -> tuple[str, ...]:
        r"""The systems that this bot can answer with: those whose models it has, and its learned ranker.

        These models are opened, so a damaged one is an error before any topic is answered.

        >>> import kaiwa
        >>> kaiwa.open("index").system_names()[:3]
        ('run0', 'run1', 'run2')
        """
        names = [name for name, system in SYSTEMS.items() if self._trained.issuperset(system.models)]
        if self._models is not None:
            for model in sorted({need for name in names for need in SYSTEMS[name].models}):
                self._models.opened(model)
        return (*names, *((LEARNED,) if self._ranker is not None else ()))

    @property
    def weights(self) -> dict[str, float] | None:
        """The weight of each feature in the learned ranker; None if none was given."""
        return None if self._ranker is None else self._ranker.weights

    def bare_replies(self, post: str, *, k: int = 10, system: str | None = None, fusion: str = RRF) -> list[BareReply]:
        r"""The comments of ``reply`` without their reasons, in about half of the time.

        >>> import kaiwa
        >>> print(kaiwa.open("index").bare_replies("A day in Hawaii", k=1)[0].post_text)
        The first day in Hawaii
        """
        query, chosen = self._query(post), self._system(system, fusion)
        return bare_replies(self.index, self._answers(query, chosen, k, FILTERS))

    def _query(self, text: str) -> Query:
        _require_text(text)
        return query_of(self.index, text)

    @property
    def _default(self) -> str:
        """The system that answers if none is named."""
        return DEFAULT_SYSTEM if self._ranker is None else LEARNED

    def _system(self, name: str | None, fusion: str) -> System:
        if fusion != RRF and not (name is not None and name != LEARNED and fuses(name)):
            what = f"{option('fusion', fusion)} is for systems that fuse rankings, such as 'fusion'"
            raise InputError(f"{what}, not for {name or self._default!r}; leave it out")
        if name is not None and name != LEARNED:
            return system_named(name, fusion=fusion)
        if self._ranker is not None:
            return learned_system(self._ranker)
        if name == LEARNED:
            raise InputError(f"no ranker was given; train one with kaiwa train, then give {option('ranker')}")
        return system_named(DEFAULT_SYSTEM)

    def _answers(self, query: Query, system: System, k: int, filters: Filters) -> Candidates:
        _require_number(k)
        return answers(query, system, k=k, filters=filters, takedown=self._takedown(), models=self._models)

    def _takedown(self) -> Takedown:
        """The takedown as numbers; looked up again only if the list has changed."""
        if self._list.read_again():
            self._numbers = takedown_of(self.index, self._given | self._list.ids)
        return self._numbers


def _require_number(k: object) -> None:
    if not isinstance(k, int | np.integer) or not 1 <= k <= _MAX_K:
        raise InputError(
            f"{option('k', python=repr(k), value=str(k))} is not a number of answers; give 1 to {_MAX_K:,}"
        )


def _require_text(post: object) -> None:
    if not isinstance(post, str):
        raise InputError(f"the post is {post!r}, not a text; give its text")


def _require_words(post: object) -> None:
    """Refuse a post that says nothing."""
    _require_text(post)
    if not str(post).strip():
        raise InputError("the post is empty; give some words")


def _runs(
    engine: Engine, topics: Mapping[str, str], opening: Opening, how: RunSettings, progress: Progress
) -> Iterator[Run]:
    """The runs over parts of the topics, in their order, each by a task."""
    size = max(-(-len(topics) // (AHEAD * engine.workers)), 1)
    left = iter(topics.items())
    tasks = [dict(islice(left, size)) for _ in range(-(-len(topics) // size))]
    for done, run in enumerate(task_notes(engine, _answered, tasks, opening, how, name=_RUN), start=1):
        progress(done, len(tasks))
        yield run


def _answered(topics: Mapping[str, str], opening: Opening, how: RunSettings) -> Iterator[Note]:
    """The run over some topics, by a task."""
    if not opening.path.exists():
        raise InputError.at(opening.path, "is missing where the task runs", "put it on storage that all workers share")
    yield Note(_RUN, _bot(opening).run(topics, how))


@lru_cache(maxsize=1)
def _bot(opening: Opening) -> Bot:
    """The bot of a process, which answers the topics of several tasks."""
    return Bot(opening.path, takedown=opening.takedown, models=opening.models, ranker=opening.ranker)


def open(  # noqa: A001  kaiwa.open, not the builtin
    index: AnyPath,
    *,
    models: AnyPath | None = None,
    ranker: AnyPath | None = None,
    takedown: AnyPath | Collection[str] | None = None,
) -> Bot:
    r"""A conversation system over an index; ``takedown`` are ids that may not be shown, or a file of them.

    ``models`` is the folder that :func:`kaiwa.models` made, for systems that need it; ``ranker`` is one that
    :func:`kaiwa.train` made.

    >>> import kaiwa
    >>> kaiwa.open("index").reply("A day in Hawaii")[0].text
    'Enjoy the beaches of Hawaii'
    """
    return Bot(
        path_of("index", index),
        takedown=given_ids(takedown),
        models=maybe_path("models", models),
        ranker=maybe_path("ranker", ranker),
    )


def reply(
    index: AnyPath | Bot,
    post: str,
    *,
    k: int = 10,
    system: str | None = None,
    models: AnyPath | None = None,
    ranker: AnyPath | None = None,
    fusion: str = RRF,
    min_chars: int = FILTERS.min_chars,
    repeat: float = FILTERS.repeat,
    near: float = FILTERS.near,
    block: AnyPath | Collection[str] | None = None,
    unfiltered: bool = False,
    takedown: AnyPath | Collection[str] | None = None,
) -> Replies:
    r"""The k best comments for a post, best first, with reasons; empty if the index has no word of it.

    ``system`` is one of ``kaiwa.names("systems")``, or ``fusion:A,B``; without it the ``ranker`` answers if there is
    one, else ``run2``. ``fusion`` is how a system fuses rankings. A comment with fewer than ``min_chars`` letters and
    digits is dropped; one of which the share ``repeat`` repeats the post; one that is ``near`` a better answer; and
    one with a word of ``block``, words or a file of them. ``unfiltered`` keeps all but the blocked ones. For many
    posts, open the index once: an ``index`` may be the Bot of ``kaiwa.open``.

    >>> import kaiwa
    >>> kaiwa.reply("index", "A day in Hawaii", k=1)[0].text
    'Enjoy the beaches of Hawaii'
    """
    return _bot_of(index, system=system, models=models, ranker=ranker, takedown=takedown).reply(
        post,
        k=k,
        system=system,
        fusion=fusion,
        min_chars=min_chars,
        repeat=repeat,
        near=near,
        block=block,
        unfiltered=unfiltered,
    )


@takes_task
def retrieve(
    index: AnyPath | Bot,
    topics: TopicsInput,
    *,
    name: str | None = None,
    k: int = 10,
    system: str | None = None,
    models: AnyPath | None = None,
    ranker: AnyPath | None = None,
    fusion: str = RRF,
    min_chars: int = FILTERS.min_chars,
    repeat: float = FILTERS.repeat,
    near: float = FILTERS.near,
    block: AnyPath | Collection[str] | None = None,
    unfiltered: bool = False,
    takedown: AnyPath | Collection[str] | None = None,
    engine: str = "local",
) -> Run:
    r"""A run that answers every topic from an index; ``run.unanswered()`` names the topics without an answer.

    ``name`` is the run's; without it the run has the name of its system. The other settings are those of ``reply``. A
    topic of the takedown list is left out. ``engine`` answers the topics; the run does not depend on it.

    >>> import kaiwa
    >>> kaiwa.retrieve("index", {"q1": "A day in Hawaii"}, name="KAIWA-E-R1")
    Run('KAIWA-E-R1', 1 topic, 1 comment)
    """
    asked = topics_of(topics)
    return _bot_of(index, system=system, models=models, ranker=ranker, takedown=takedown).retrieve(
        asked,
        name=name,
        k=k,
        system=system,
        fusion=fusion,
        min_chars=min_chars,
        repeat=repeat,
        near=near,
        block=block,
        unfiltered=unfiltered,
        engine=engine,
    )


@dataclass(frozen=True, repr=False)
class RunFolder(Result, os.PathLike[str]):
    """A folder with the run of each system, which it stands for; ``left_out`` are systems whose models are missing.

    >>> import kaiwa
    >>> kaiwa.retrieve_all("index", {"q1": "A day in Hawaii"}, "runs").left_out[:2]
    ('run3', 'run4')
    """

    path: Path
    runs: tuple[dict[str, Any], ...]  # Any: JSON values
    topics: int
    left_out: tuple[str, ...] = ()

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"RunFolder({str(self.path)!r}, {counted(len(self.runs), 'run')})"

    @property
    def folder(self) -> str:
        """The folder."""
        return str(self.path)

    def describe(self) -> Description:
        """How many runs there are; the table ``runs`` has them."""
        missing = f"Left out, without their models (kaiwa names systems): {', '.join(self.left_out)}."
        return Description(
            tables=(Table("runs", ["run", "name", "comments"], [list(one.values()) for one in self.runs]),),
            text=f"{self.path}: {counted(len(self.runs), 'run')} for {counted(self.topics, 'topic')}",
            notes=[missing] if self.left_out else [],
            fields={"folder": self.folder, "runs": self.runs, "topics": self.topics, "left_out": self.left_out},
        )


@takes_task
def retrieve_all(
    index: AnyPath | Bot,
    topics: TopicsInput,
    output: AnyPath,
    *,
    k: int = 10,
    models: AnyPath | None = None,
    ranker: AnyPath | None = None,
    fusion: str = RRF,
    min_chars: int = FILTERS.min_chars,
    repeat: float = FILTERS.repeat,
    near: float = FILTERS.near,
    block: AnyPath | Collection[str] | None = None,
    unfiltered: bool = False,
    takedown: AnyPath | Collection[str] | None = None,
    engine: str = "local",
) -> RunFolder:
    r"""The run of every system, written into the folder ``output``; all files appear, or none.

    Each run is named after its system, and that of the ``ranker`` is named ranker. Systems whose models are not in
    ``models`` are left out. The other settings are those of ``retrieve``.

    >>> import kaiwa
    >>> kaiwa.retrieve_all("index", {"q1": "A day in Hawaii"}, "runs")
    RunFolder('runs', 15 runs)
    """
    folder = path_of("output", output)
    read = [path for path in (index, models, ranker) if isinstance(path, str | os.PathLike)]
    _refuse_folder_inside(folder, [Path(path) for path in read])
    asked = topics_of(topics)
    filters = filters_of(min_chars=min_chars, repeat=repeat, near=near, block=block, unfiltered=unfiltered)
    bot = _bot_of(index, system=None, models=models, ranker=ranker, takedown=takedown, any_system=True)
    names, runs = bot.system_names(), list["Run"]()
    with opened_unless_local(engine) as running, progress("retrieving") as moved:
        for place, name in enumerate(names):
            how = RunSettings(name, k, name, filters, fusion if name != LEARNED and fuses(name) else RRF)
            part = share(moved, place / len(names), (place + 1) / len(names))
            runs.append(bot.run(asked, how, progress=part, engine=running))
    write_texts(folder, ntcir_run_texts(runs))
    rows = tuple({"run": str(folder / f"{one.name}.txt"), "name": one.name, "comments": len(one)} for one in runs)
    return RunFolder(folder, rows, len(runs[0].topics), tuple(name for name in SYSTEMS if name not in names))


def _bot_of(
    index: AnyPath | Bot,
    *,
    system: str | None,
    models: AnyPath | None,
    ranker: AnyPath | None,
    takedown: AnyPath | Collection[str] | None,
    any_system: bool = False,
) -> Bot:
    """The bot that was given, or that of the index; it answers by the system, or by any."""
    if ranker is not None and system not in {None, LEARNED}:
        raise InputError(
            f"{option('ranker')} and {option('system', str(system))} both order the answers; give one of them"
        )
    if not isinstance(index, Bot):
        if not any_system:
            _refuse_idle_models(system, models, ranker)
        return open(index, models=models, ranker=ranker, takedown=takedown)
    for name, value in (("models", models), ("ranker", ranker), ("takedown", takedown)):
        if value is not None:
            raise InputError(f"the index is open already; give {option(name)} to kaiwa.open")
    return index


def _refuse_idle_models(system: str | None, models: AnyPath | None, ranker: AnyPath | None) -> None:
    """Refuse models for a system that uses none; a ranker may need some."""
    asked = system or DEFAULT_SYSTEM
    if models is not None and ranker is None and asked != LEARNED and not SYSTEMS[asked].models:
        fix = f"leave out {option('models')}, or choose a system that does (kaiwa names systems)"
        raise InputError(f"system {asked!r} needs no models; {fix}")


def _refuse_folder_inside(folder: Path, read: list[Path]) -> None:
    """Refuse to write runs into a folder that is read."""
    target = folder.resolve()
    if inside := [path for path in read if path.resolve() in (target, *target.parents)]:
        raise InputError.at(folder, f"is in {inside[0]}, which this command reads", "give another folder")
