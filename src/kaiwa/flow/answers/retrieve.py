"""An open index that answers: one post at a time, or a file of topics as a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.engine.dataset import Note
from kaiwa.engine.task_notes import AHEAD, task_notes
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.collection.array_folder import MANIFEST
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.model_folder import open_models, trained_names
from kaiwa.formats.collection.ranker_folder import open_ranker
from kaiwa.formats.collection.takedown import FolderList, takedown_of
from kaiwa.model.progress_callback import Progress, no_progress
from kaiwa.model.run import Run
from kaiwa.model.shown import Shown
from kaiwa.rank.answer_filters import Filters
from kaiwa.rank.learning.learned_system import learned_system
from kaiwa.rank.replies import answers, bare_replies, ranking, replies
from kaiwa.rank.system_table import SYSTEMS, system_named
from kaiwa.retrieve.search.matching import query_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.engine.dataset import Engine
    from kaiwa.rank.replies import BareReply, Replies
    from kaiwa.rank.system import System
    from kaiwa.retrieve.search.matching import Candidates, Query
    from kaiwa.retrieve.search.takedown_ids import Takedown

DEFAULT_SYSTEM = "run2"
LEARNED = "model"
"""The name of the system of a learned ranker."""
_MAX_K = 1000
_FILTERS = Filters()
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
    model: Path | None
    version: tuple[int, int]

    @classmethod
    def of(cls, path: Path, takedown: frozenset[str], models: Path | None, model: Path | None) -> Opening:
        """By absolute paths."""
        state = (path / MANIFEST).stat()
        version = state.st_ino, state.st_mtime_ns
        return cls(path.resolve(), takedown, models and models.resolve(), model and model.resolve(), version)


class Bot(Shown):
    r"""An open index; ``reply`` answers a post with old comments and the reasons for them.

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
        model: Path | None = None,
    ) -> None:
        self._list = FolderList(path)
        self._given = takedown
        self.index = open_index(path)
        self._numbers = takedown_of(self.index, takedown)
        self._models = open_models(models, self.index) if models is not None else None
        self._trained = trained_names(models) if models is not None else frozenset()
        self._ranker = open_ranker(model, self.index, models) if model is not None else None
        self._opening = Opening.of(path, takedown, models, model)

    def __repr__(self) -> str:
        posts, comments = len(self.index.posts.texts), len(self.index.comments.texts)
        return f"Bot({counted(posts, 'post')}, {counted(comments, 'comment')})"

    def reply(
        self, text: str, *, k: int = 10, system: str | None = None, filters: Filters = _FILTERS, fusion: str = "rrf"
    ) -> Replies:
        r"""The k best comments for a post, best first; empty if the index has no word of it.

        Without the name of a system, the learned ranker answers if one was given, else ``run2``.

        >>> import kaiwa
        >>> print(kaiwa.open("index").reply("A day in Hawaii", k=1)[0].text)
        Enjoy the beaches of Hawaii
        """
        query, chosen = self._query(text), self._system(system, fusion)
        found = self._answers(query, chosen, k, filters)
        return replies(query, chosen, found, self._models, self._takedown())

    def run(
        self,
        topics: Mapping[str, str],
        *,
        name: str,
        k: int = 10,
        system: str | None = None,
        filters: Filters = _FILTERS,
        fusion: str = "rrf",
        progress: Progress = no_progress,
        engine: Engine | None = None,
    ) -> Run:
        r"""A run over the topics, with distinct scores; a topic without any answer has an empty list.

        A topic on a takedown list is left out. On an ``engine``, tasks open the index by its path and answer some
        topics each; the run is the same.

        >>> import kaiwa
        >>> kaiwa.open("index").run({"q1": "A day in Hawaii"}, name="KAIWA-E-R1").comments_of("q1")
        ['c1']
        """
        _require_topics(topics)
        chosen = self._system(system, fusion)
        lists: dict[str, list[tuple[str, float]]] = {}
        if engine is not None:
            how = RunSettings(name, k, system, filters, fusion)
            for part in _runs(engine, topics, self._opening, how, progress):
                lists |= {topic: part.ranking(topic) for topic in part.topics}
            return Run.from_lists(name, lists, description=chosen.description)
        for done, (topic, text) in enumerate(topics.items(), start=1):
            found = self._answers(self._query(text), chosen, k, filters)
            if topic not in self._given | self._list.ids:
                lists[topic] = ranking(self.index, found)
            progress(done, len(topics))
        return Run.from_lists(name, lists, description=chosen.description)

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

    def bare_replies(
        self, text: str, *, k: int = 10, system: str | None = None, filters: Filters = _FILTERS, fusion: str = "rrf"
    ) -> list[BareReply]:
        r"""The comments of ``reply`` without their reasons, in about half of the time.

        >>> import kaiwa
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> folder = Path(mkdtemp())
        >>> pairs, index = folder / "pairs.tsv", folder / "index"
        >>> _ = pairs.write_text("p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n")
        >>> _ = kaiwa.clean_pairs(pairs, folder / "repository")
        >>> _ = kaiwa.index_repository(folder / "repository", index, language="en")
        >>> print(kaiwa.open(index).bare_replies("A day in Hawaii", k=1)[0].post_text)
        The first day in Hawaii
        """
        query, chosen = self._query(text), self._system(system, fusion)
        return bare_replies(self.index, self._answers(query, chosen, k, filters))

    def _query(self, text: str) -> Query:
        _require_text(text)
        return query_of(self.index, text)

    def _system(self, name: str | None, fusion: str) -> System:
        if name is not None and name != LEARNED:
            return system_named(name, fusion=fusion)
        if self._ranker is not None:
            return learned_system(self._ranker)
        if name == LEARNED:
            raise InputError(f"no ranker was given; train one with kaiwa train, then give {option('model')}")
        return system_named(DEFAULT_SYSTEM, fusion=fusion)

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


def _require_topics(topics: object) -> None:
    if not isinstance(topics, Mapping):
        raise InputError(f"the topics are {topics!r}; give a dict of ids and texts (kaiwa.read_topics)")


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
    run = _bot(opening).run(topics, name=how.name, k=how.k, system=how.system, filters=how.filters, fusion=how.fusion)
    yield Note(_RUN, run)


@lru_cache(maxsize=1)
def _bot(opening: Opening) -> Bot:
    """The bot of a process, which answers the topics of several tasks."""
    return Bot(opening.path, takedown=opening.takedown, models=opening.models, model=opening.model)
