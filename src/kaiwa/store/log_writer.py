"""The writing side of a store: the lock, the connection, and transactions of votes and other changes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, update
from sqlalchemy.exc import DBAPIError

from kaiwa.errors import InputError, KaiwaError
from kaiwa.store import schema
from kaiwa.store.ballot_batch import Ballots, Batch
from kaiwa.store.database import Database, WriterLock, unavailable
from kaiwa.store.group_commit import GroupCommit
from kaiwa.store.migration import migrate_file, migrate_tables
from kaiwa.store.records import Saved, StoreUnavailable
from kaiwa.store.tables import TAIL, prepare_tables, read_facts, read_leases, read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from sqlalchemy.engine import Connection

    from kaiwa.label.criteria import Criteria
    from kaiwa.store.group_commit import Job
    from kaiwa.store.log_state import LogState


_SET_TAIL = update(schema.facts).where(schema.facts.c.name == TAIL).values(value=bindparam("now"))


@dataclass(frozen=True)
class Change:
    """Something to write that is not a vote, and what follows in memory once it is on the disk."""

    write: Callable[[Connection], Any]  # Any: the result of the request
    then: Callable[[Any], object] = lambda _: None  # Any: the same


class LogWriter:
    """The only writer of a store: what waits together is one transaction, acknowledged when it is on the disk."""

    def __init__(self, database: Database, state: LogState, criteria: Criteria) -> None:
        self.database, self.state, self.criteria = database, state, criteria
        self._version = version("kaiwa")
        self._lock = WriterLock(database)
        self._watchers: list[Callable[[Connection], None]] = []
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

    def watch(self, watcher: Callable[[Connection], None]) -> None:
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
        batch = Batch(self.state, self.criteria, time=now, version=self._version)
        try:
            with self._transaction():
                results = [self._prepared(batch, job.request) for job in jobs]
                if batch.rows:
                    self._connection.execute(insert(schema.votes), [row.columns() for row in batch.rows])
                    self._connection.execute(_SET_TAIL, {"now": f"{batch.rows[-1].seq} {batch.rows[-1].hash}"})
        except DBAPIError as fault:
            raise unavailable(fault) from None
        with self.state.lock:
            for row in batch.rows:
                self.state.apply(row)
            return [self._finished(job.request, result) for job, result in zip(jobs, results, strict=True)]

    def settle(self) -> None:
        """Let nothing that was removed stay beside a SQLite file: its log of pages is emptied."""
        if self.database.is_sqlite and (driver := self._connection.connection.driver_connection):
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def idle(self) -> None:
        """Look at the store."""
        with self.database.faults(), self._transaction():
            for watcher in self._watchers:
                watcher(self._connection)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction; after a lost connection only if this is still the writer."""
        self._is_lost |= self._connection.invalidated
        if self._is_lost:
            self._return()
        with self._connection.begin():
            yield

    def _return(self) -> None:
        """Take the lock again: it ended with the connection, and another server may have written since."""
        try:
            self._lock.take_on(self._connection)
        except InputError as refused:
            raise StoreUnavailable(str(refused)) from None
        with self._connection.begin():
            tail = read_facts(self._connection).get(TAIL)
        if tail != f"{self.state.count} {self.state.head}":
            raise StoreUnavailable(f"{self.database.place}: another server has written; start this one again")
        self._is_lost = False

    def _prepared(self, batch: Batch, request: Ballots | Change) -> object:
        try:
            return batch.add(request) if isinstance(request, Ballots) else request.write(self._connection)
        except KaiwaError as refused:  # of this job alone
            return refused

    def _finished(self, request: Ballots | Change, result: Any) -> object:  # Any: the result of the request
        if isinstance(result, KaiwaError):
            return result
        if isinstance(request, Change):
            request.then(result)
            return result
        rows = (self.state.live.get((request.assessor, ballot.key)) for ballot in request.ballots)
        surplus = [row is not None and self.state.is_surplus(row) for row in rows]
        triples = zip(request.ballots, result, surplus, strict=True)
        return [Saved(ballot.key, seq, late) for ballot, seq, late in triples]
