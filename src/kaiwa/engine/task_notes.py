"""The notes of many tasks, some tasks at a time, so that progress is seen and a caller can stop early."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kaiwa.engine.opening import LOCAL, engine_named, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kaiwa.engine.dataset import Engine

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
