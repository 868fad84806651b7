"""Blocks of trials on an engine: the workers of a test, a bootstrap or a simulation."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kaiwa.engine.dataset import Note
from kaiwa.engine.opening import LOCAL, engine_named, opened
from kaiwa.engine.task_notes import task_notes
from kaiwa.stats.trial_blocks import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kaiwa.engine.dataset import Engine
    from kaiwa.stats.trial_blocks import Workers

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
