"""The features of labelled comments, computed here or by the tasks of an engine, some topics each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.engine.dataset import Note
from kaiwa.engine.task_notes import AHEAD, opened_unless_local, task_notes
from kaiwa.errors import InputError
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.model_folder import open_models
from kaiwa.rank.learning.labelled_candidates import LabelledCandidates, comment_numbers, labelled_candidates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.engine.dataset import Engine
    from kaiwa.model.gains import Gains
    from kaiwa.model.progress_callback import Progress
    from kaiwa.rank.models.model_table import Models
    from kaiwa.retrieve.index.inverted_index import Index

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


def candidate_features(  # noqa: PLR0917  what the features are of, then where they are computed
    source: FeatureSource,
    index: Index,
    gains: Gains,
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


def _by_tasks(  # noqa: PLR0917  as above
    engine: Engine,
    source: FeatureSource,
    gains: Gains,
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


def _parts(gains: Gains, parts: int) -> Iterator[Gains]:
    """The gains in parts of about the same number of topics, in their order."""
    size = max(-(-len(gains.topics) // parts), 1)
    for first in range(0, len(gains.topics), size):
        own = gains.topics[first : first + size]
        kept = np.zeros(len(gains), dtype=bool)
        kept[gains.span(own[0]).start : gains.span(own[-1]).stop] = True
        yield gains.where(kept)


def _computed(task: tuple[Gains, Mapping[str, str]], source: FeatureSource, names: Sequence[str]) -> Iterator[Note]:
    if not source.index.exists():
        raise InputError.at(source.index, "is missing where the task runs", "put it on storage that all workers share")
    gains, topics = task
    index, models = _opened(source)
    yield Note(_ROWS, labelled_candidates(index, gains, topics, names, models=models))


@lru_cache(maxsize=1)
def _opened(source: FeatureSource) -> tuple[Index, Models | None]:
    index = open_index(source.index)
    return index, open_models(source.models, index) if source.models is not None else None
