"""Engines by their names: ``local``, ``local[N]``, ``spark://HOST:PORT``, ``sc://HOST:PORT``."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.engine.dataset import Note
from kaiwa.errors import InputError
from kaiwa.stats.resampling import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.engine.dataset import Engine
    from kaiwa.stats.resampling import Workers


LOCAL = "local"
MAX_PROCESSES = 256
_SHAPE = "local, local[N], spark://HOST:PORT or sc://HOST:PORT"
_PROCESSES = re.compile(r"local\[(\d{1,6}|\*)\]")
_ADDRESS = re.compile(r"(spark|sc)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})((,|/).*)?")


@dataclass(frozen=True)
class EngineName:
    """An engine that is not started yet: its name, and the number of processes (0: this one)."""

    name: str
    processes: int = 0

    @property
    def is_spark(self) -> bool:
        """Whether it needs a cluster, and storage that its workers share."""
        return "://" in self.name


def engine_named(text: str) -> EngineName:
    """The engine of a name; one that is not known is an error.

    >>> engine_named("local[4]").processes
    4
    >>> engine_named("yarn")
    Traceback (most recent call last):
    kaiwa.errors.InputError: unknown engine 'yarn'; give local, local[N], spark://HOST:PORT or sc://HOST:PORT
    """
    if text == LOCAL or _ADDRESS.fullmatch(text):
        return EngineName(text)
    if found := _PROCESSES.fullmatch(text):
        count = _cores() if found[1] == "*" else int(found[1])
        if not 1 <= count <= MAX_PROCESSES:
            raise InputError(f"engine {text!r}: {count} processes; give 1 to {MAX_PROCESSES}")
        return EngineName(text, count)
    raise InputError(f"unknown engine {text!r}; give {_SHAPE}")


def _cores() -> int:
    import os

    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, MAX_PROCESSES)


@contextmanager
def opened(name: EngineName | str, folder: Path | None = None) -> Iterator[Engine]:
    """The running engine; ``folder`` is for its temporary files, and is shared by the workers of a cluster.

    Without a folder, files are in the system's temporary folder, and tasks of a cluster must not need files.
    """
    chosen = engine_named(name) if isinstance(name, str) else name
    if not chosen.is_spark:
        from kaiwa.engine.local import opened_local

        with opened_local(folder, chosen.processes) as engine:
            yield engine
        return
    from kaiwa.engine.spark.engine import opened_spark
    from kaiwa.engine.spark.session import spark_session

    with spark_session(chosen.name) as access, _shared(folder) as token, opened_spark(access, token) as engine:
        yield engine


@contextmanager
def _shared(folder: Path | None) -> Iterator[str]:
    """A file in the folder by which tasks see that they share it."""
    if folder is None:
        yield ""
        return
    with NamedTemporaryFile(dir=folder.resolve(), prefix=".shared-") as token:
        yield token.name


# The notes of many tasks, some tasks at a time, so that progress is seen and a caller can stop early.


AHEAD = 4
"""Tasks for each worker that run before the first of their notes is used; a slow task then delays few others."""


def task_notes(
    engine: Engine, step: Callable[..., Any], tasks: Sequence[Any], *arguments: object, name: str
) -> Iterator[Any]:  # Any: what the tasks are, and what they note
    """What each task notes under a name, in the order of the tasks."""
    window = AHEAD * engine.workers if engine.workers > 1 else 1
    for first in range(0, len(tasks), window):
        yield from engine.tables(step, tasks[first : first + window], *arguments).gathered().noted(name)


@contextmanager
def opened_unless_local(name: str) -> Iterator[Engine | None]:
    """The running engine; None for ``local``, whose work needs no tasks."""
    chosen = engine_named(name)
    if chosen.name == LOCAL:
        yield None
        return
    with opened(chosen) as running:
        yield running


# Blocks of trials on an engine: the workers of a test, a bootstrap or a simulation.


Result = TypeVar("Result")
_RESULT = "block"


@dataclass(frozen=True)
class EngineWorkers:
    """Workers of an engine; each block is a task."""

    engine: Engine

    def results(self, block: Callable[[int, int], Result], spans: Sequence[tuple[int, int]]) -> Iterator[Result]:
        """``block(start, count)`` of each span, in order."""
        return task_notes(self.engine, _computed, spans, block, name=_RESULT)


def _computed(span: tuple[int, int], block: Callable[[int, int], object]) -> Iterator[Note]:
    yield Note(_RESULT, block(*span))


@contextmanager
def trial_workers(engine: str = LOCAL, *, threads: int = 1) -> Iterator[Workers]:
    """The workers of an engine by its name; those of ``local`` are threads of this process.

    >>> with trial_workers("local") as workers:
    ...     list(workers.results(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    chosen = engine_named(engine)
    if chosen.name == LOCAL:
        yield Threads(threads)
        return
    with opened(chosen) as running:
        yield EngineWorkers(running)
