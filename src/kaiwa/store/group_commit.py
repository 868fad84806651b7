"""One thread that writes: jobs that wait together share one transaction and one fsync."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from kaiwa.errors import KaiwaError
from kaiwa.store.records import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_TOGETHER = 400
_IDLE = 0.5
"""Seconds after which the thread looks for changes that another process made, also while votes come."""

log = logging.getLogger("kaiwa.store")


@dataclass(frozen=True, eq=False)
class Job:
    """Something to write, and the future of its result."""

    request: Any  # Any: what the committer understands
    future: Future[Any] = field(default_factory=Future)  # Any: the result of the request


class Committer(Protocol):
    """What the thread does with the jobs that wait together."""

    def commit(self, jobs: Sequence[Job]) -> list[object]:
        """Write them in one transaction; the result of each is a value, or the error of that job alone."""

    def idle(self) -> None:
        """Called when nothing is to be written, and every half second while something is."""


class GroupCommit:
    """The thread of a store."""

    def __init__(self, committer: Committer) -> None:
        self._committer = committer
        self._waiting = SimpleQueue[Job | None]()
        self._is_ended = False
        self._thread = Thread(target=self._run, name="kaiwa-writer", daemon=True)
        self._thread.start()

    def submit(self, request: object) -> Future[Any]:  # Any: the result of the request
        """Write this; the future ends after the commit is on the disk."""
        job = Job(request)
        if self._is_ended:
            job.future.set_exception(StoreUnavailable("the store is closed"))
        else:
            self._waiting.put(job)
        return job.future

    def close(self) -> None:
        """Write what waits, and end the thread."""
        if not self._is_ended:
            self._is_ended = True
            self._waiting.put(None)
            self._thread.join()

    def _run(self) -> None:
        goes_on, looked = True, time.monotonic()
        while goes_on:
            jobs, goes_on = self._next_jobs()
            if jobs:
                _answer(jobs, _tried(self._committer, jobs))
            if goes_on and (not jobs or time.monotonic() - looked > _IDLE):
                _tried(self._committer, [])
                looked = time.monotonic()

    def _next_jobs(self) -> tuple[list[Job], bool]:
        """The jobs that wait together, at least one or none after a while; False after the last."""
        jobs = list[Job]()
        try:
            first = self._waiting.get(timeout=_IDLE)
            while first is not None:
                jobs.append(first)
                if len(jobs) >= MOST_TOGETHER:
                    return jobs, True
                first = self._waiting.get_nowait()
        except Empty:
            return jobs, True
        return jobs, False


def _tried(committer: Committer, jobs: Sequence[Job]) -> list[object]:
    """The results of the jobs, or of none; if the work fails as a whole, its error for every job."""
    try:
        if jobs:
            return committer.commit(jobs)
        committer.idle()
    except KaiwaError as fault:
        log.error("%s", fault)  # noqa: TRY400  one line, no traceback
        return [fault] * len(jobs)
    except Exception as fault:  # noqa: BLE001  the outermost line of a thread
        log.error("the writer failed: %s", type(fault).__name__)  # noqa: TRY400  a text of the database may hold a note
        return [StoreUnavailable("the vote could not be stored")] * len(jobs)
    return []


def _answer(jobs: Sequence[Job], results: Sequence[object]) -> None:
    for job, result in zip(jobs, results, strict=True):
        if isinstance(result, BaseException):
            job.future.set_exception(result)
        else:
            job.future.set_result(result)
