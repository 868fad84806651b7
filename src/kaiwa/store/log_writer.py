"""The writing side of a store: the lock, the connection, and transactions of votes and other changes."""

from __future__ import annotations

import logging
import sqlite3
import time
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import bindparam, insert, update
from sqlalchemy.exc import DBAPIError

from kaiwa.errors import InputError, KaiwaError
from kaiwa.store import schema
from kaiwa.store.ballots import Ballots, Batch
from kaiwa.store.database import Database, WriterLock, unavailable
from kaiwa.store.migration import migrate_file, migrate_tables
from kaiwa.store.records import Saved, StoreUnavailable
from kaiwa.store.tables import TAIL, prepare_tables, read_leases, read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from kaiwa.nouns.criteria import Criteria
    from kaiwa.store.log_state import LogState
    from kaiwa.store.records import VoteRow


# One thread that writes: jobs that wait together share one transaction and one fsync.


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


_SET_TAIL = update(schema.facts).where(schema.facts.c.name == TAIL).values(value=bindparam("now"))


@dataclass(frozen=True)
class Change:
    """Something to write that is not a vote, and what follows in memory once it is on the disk: the result.

    ``write`` changes no memory: the transaction may fail. ``then`` gets what it found.
    """

    write: Callable[[Connection], Any]  # Any: what was found
    then: Callable[[Any], Any] = lambda found: found  # Any: the same, and the result of the request


class Watcher(Protocol):
    """Who takes over what other processes change."""

    def read(self, connection: Connection, *, anew: bool = False) -> None:
        """Look at the store; ``anew``: nothing that is known may be true any more."""


class LogWriter:
    """The only writer of a store: what waits together is one transaction, acknowledged when it is on the disk."""

    def __init__(self, database: Database, state: LogState, criteria: Criteria) -> None:
        self.database, self.state, self.criteria = database, state, criteria
        self._version = version("kaiwa")
        self._lock = WriterLock(database)
        self._watchers: list[Watcher] = []
        self._group: GroupCommit | None = None
        self._is_lost = False
        if database.path is not None:
            self._lock.take_file(database.path)
            migrate_file(database.path)
        with database.faults():
            self._engine = database.engine(writes=True)
            self._connection = self._engine.connect()

    def open(self, prepare: Callable[[Connection], None]) -> None:
        """Take the lock, make the tables when absent, read the log, and start the thread."""
        with self.database.faults():
            self._lock.take_on(self._connection)
            with self._connection.begin():
                prepare_tables(self._connection, self.database.place)
                migrate_tables(self._connection, self.database.place)
                prepare(self._connection)
                for row in read_log(self._connection):
                    self.state.apply(row)
                self.state.add_leases(read_leases(self._connection))
        self._group = GroupCommit(self)

    def watch(self, watcher: Watcher) -> None:
        """Let this look at the store twice a second, for what other processes change."""
        self._watchers.append(watcher)

    def submit(self, request: Ballots | Change) -> Future[Any]:  # Any: the result of the request
        """Write this; the future ends after the commit is on the disk."""
        if self._group is None:
            raise RuntimeError("the store is not open")
        return self._group.submit(request)

    def close(self) -> None:
        """Write what waits, and give the lock back."""
        if self._group:
            self._group.close()
        self._connection.close()
        self._engine.dispose()
        self._lock.free()

    def commit(self, jobs: Sequence[Job]) -> list[object]:
        """Write the jobs in one transaction; called by the writer's thread."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            with self._transaction():
                batch = Batch(self.state, self.criteria, time=now, version=self._version)
                results = [self._prepared(batch, job.request) for job in jobs]
                if batch.rows:
                    self._connection.execute(insert(schema.votes), [row.columns() for row in batch.rows])
                    self._connection.execute(_SET_TAIL, {"now": f"{batch.rows[-1].seq} {batch.rows[-1].hash}"})
        except DBAPIError as fault:
            raise unavailable(fault) from None
        finally:
            self.state.release()
        with self.state.lock:
            for row in batch.rows:
                self.state.apply(row)
            return [self._finished(job.request, result) for job, result in zip(jobs, results, strict=True)]

    def settle(self) -> None:
        """Let nothing that was removed stay beside a SQLite file: its log of pages is emptied."""
        if self.database.is_sqlite:
            try:
                if driver := self._connection.connection.driver_connection:
                    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as fault:
                raise StoreUnavailable(str(fault)) from None

    def idle(self) -> None:
        """Look at the store."""
        with self.database.faults(), self._transaction():
            for watcher in self._watchers:
                watcher.read(self._connection)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction; after a lost connection only if this is still the writer."""
        self._is_lost |= self._connection.invalidated
        if self._is_lost:
            self._return()
        with self._connection.begin():
            yield

    def _return(self) -> None:
        """Take the lock again, which ended with the connection, and read again what is on the disk.

        A commit whose answer was lost may be there. The log must go on from the row that we know as the last.
        """
        try:
            self._lock.take_on(self._connection)
        except InputError as refused:
            raise StoreUnavailable(str(refused)) from None
        with self._connection.begin():
            rows = list(read_log(self._connection, after=self.state.count - 1))
            leases = list(read_leases(self._connection))
            if not self._goes_on(rows):
                raise StoreUnavailable(f"{self.database.place}: the log is another one now; start this server again")
            for watcher in self._watchers:
                watcher.read(self._connection, anew=True)
        with self.state.lock:
            for row in rows:
                if row.seq > self.state.count:
                    self.state.apply(row)
            self.state.set_leases(leases)
        self._is_lost = False

    def _goes_on(self, rows: Sequence[VoteRow]) -> bool:
        """Whether rows begin with the last that we know, and each follows the one before."""
        before = self.state.head
        if self.state.count and (not rows or rows[0].hash != before):
            return False
        for row in rows[1:] if self.state.count else rows:
            if row.prev != before:
                return False
            before = row.hash
        return True

    def _prepared(self, batch: Batch, request: Ballots | Change) -> object:
        try:
            return batch.add(request) if isinstance(request, Ballots) else request.write(self._connection)
        except KaiwaError as refused:  # of this job alone
            return refused

    def _finished(self, request: Ballots | Change, result: Any) -> object:  # Any: the result of the request
        if isinstance(result, KaiwaError):
            return result
        if isinstance(request, Change):
            try:
                return request.then(result)
            except StoreUnavailable as fault:  # of this job alone: the others are on the disk
                return fault
        rows = (self.state.live.get((request.assessor, ballot.key)) for ballot in request.ballots)
        surplus = [row is not None and self.state.is_surplus(row) for row in rows]
        triples = zip(request.ballots, result, surplus, strict=True)
        return [Saved(ballot.key, seq, late) for ballot, seq, late in triples]
