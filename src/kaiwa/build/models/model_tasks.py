"""Models trained by the tasks of an engine, one model each: those that need no other model first."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kaiwa.build.models.model_build import built_steps
from kaiwa.engine.dataset import Note
from kaiwa.engine.task_notes import task_notes
from kaiwa.errors import InputError
from kaiwa.formats.collection.index_folder import open_index
from kaiwa.formats.collection.model_folder import TOKENS
from kaiwa.rank.models.model_table import MODELS, TrainingSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.build.models.model_build import Given
    from kaiwa.engine.dataset import Engine
    from kaiwa.retrieve.index.inverted_index import Index
    from kaiwa.retrieve.search.takedown_ids import Takedown

_MADE = "made"


@dataclass(frozen=True)
class ModelJob:
    """What every model is trained from; the folders are absolute paths, on storage that all workers share."""

    index: Path
    target: Path
    takedown: Takedown
    seed: int
    given: Mapping[str, Given]
    again: frozenset[str]

    def of(self, name: str) -> ModelJob:
        """The job of one model, without what other models are made of."""
        return replace(self, given={key: one for key, one in self.given.items() if key == name})


def build_models_by_tasks(engine: Engine, job: ModelJob, names: Sequence[str]) -> dict[str, bool]:
    """As ``build_models``: for each model whether it was trained now. The models do not depend on the engine."""
    is_new = not job.target.exists()
    try:
        made = _built(TOKENS, job)
        for level in levels_of(names):
            for found in task_notes(engine, _built_by_task, [(name, job.of(name)) for name in level], name=_MADE):
                made |= found
    finally:
        if is_new:
            with suppress(OSError):  # models that are complete stay
                job.target.rmdir()
    return made


def levels_of(names: Sequence[str]) -> list[list[str]]:
    """The models of these names and those that they need; a model is in a later list than those that it needs.

    >>> levels_of(["cells", "vectors"])
    [['towers', 'vectors'], ['dense'], ['cells']]
    """
    depths = dict[str, int]()
    for name in names:
        _add_depth(name, depths)
    return [
        sorted(name for name, depth in depths.items() if depth == level)
        for level in range(max(depths.values(), default=-1) + 1)
    ]


def _add_depth(name: str, depths: dict[str, int]) -> int:
    if name not in depths:
        depths[name] = max((_add_depth(need, depths) + 1 for need in MODELS[name].needs), default=0)
    return depths[name]


def _built_by_task(task: tuple[str, ModelJob]) -> Iterator[Note]:
    name, job = task
    if not job.index.exists():
        raise InputError.at(job.index, "is missing where the task runs", "put it on storage that all workers share")
    yield Note(_MADE, _built(name, job))


def _built(name: str, job: ModelJob) -> dict[str, bool]:
    """Train the model of this name if it must be; what it needs is there."""
    settings = TrainingSettings(job.seed)
    index = _opened(job.index)
    return built_steps(index, job.target, [name], job.takedown, settings, given=job.given, again=job.again)


@lru_cache(maxsize=1)
def _opened(path: Path) -> Index:
    return open_index(path)
