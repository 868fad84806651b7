"""The store of a task: votes are appended, items given out, texts removed; one process writes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import bindparam, insert, update

from kaiwa.store import schema
from kaiwa.store.access import Access
from kaiwa.store.assignment import Place, Rules, current_unit, next_unit, renewed
from kaiwa.store.database import Database
from kaiwa.store.log_state import LogState
from kaiwa.store.log_writer import Change, LogWriter
from kaiwa.store.tables import read_facts, set_fact
from kaiwa.store.task_items import remove_texts, save_items, shown_by_item

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from concurrent.futures import Future
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from kaiwa.label.criteria import Criteria
    from kaiwa.label.task_item import TaskItem
    from kaiwa.store.ballot_batch import Ballots
    from kaiwa.store.records import Lease, Person, Saved, VoteRow
    from kaiwa.store.tally import Progress

_RENEW = update(schema.leases).where(schema.leases.c.lease == bindparam("known")).values(expires=bindparam("later"))


@dataclass(frozen=True)
class StoreSettings:
    """What the task says about judging: votes per item, criteria, leases, repeats, calibration, order."""

    votes_per_item: int
    criteria: Criteria
    lease_minutes: float = 30.0
    repeat_share: float = 0.02
    calibration: int = 0
    in_pool_order: bool = False


def open_store(location: str | Path, items: Iterable[TaskItem], settings: StoreSettings) -> VoteStore:
    """The store of a task, made when absent; refused while another process has it open."""
    return VoteStore(Database(location), list(items), settings)


class VoteStore:
    """An open store: a context manager that holds the writer's lock."""

    def __init__(self, database: Database, items: Sequence[TaskItem], settings: StoreSettings) -> None:
        self.database, self.settings = database, settings
        self.state = LogState(votes_per_item=settings.votes_per_item)
        self._writer = LogWriter(database, self.state, settings.criteria)
        self.access = Access(self._writer)
        self._writer.watch(self.access.read)
        try:
            self._writer.open(lambda connection: self._prepare(connection, items))
        except BaseException:
            self._writer.close()
            raise

    def _prepare(self, connection: Connection, items: Sequence[TaskItem]) -> None:
        salt = read_facts(connection)["salt"]
        given = self.settings
        self._rules = Rules(salt, given.lease_minutes * 60, given.repeat_share, given.calibration, given.in_pool_order)
        self.state.set_items(save_items(connection, items, salt=salt, place=self.database.place))
        self.state.shown = shown_by_item(connection)
        self.access.read(connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits, and give the lock back."""
        self._writer.close()

    @property
    def head(self) -> str:
        """The hash of the last row: it stands for the whole log."""
        return self.state.head

    @property
    def mark(self) -> str:
        """A text that changes when votes or people change."""
        return f"{self.state.count}-{self.head[:16]}-{self.access.seen}"

    @property
    def salt(self) -> str:
        """What makes ids and orders of this store its own."""
        return self._rules.salt

    def submit(self, request: Ballots) -> Future[list[Saved]]:
        """Append votes; the future ends after the commit is on the disk, with Refused if one cannot be stored."""
        return self._writer.submit(request)

    def append(self, request: Ballots) -> list[Saved]:
        """Append votes and wait until they are on the disk."""
        return self.submit(request).result()

    def current_votes(self) -> list[VoteRow]:
        """The vote of each assessor on each item that was not taken back: pool, training and gold."""
        with self.state.lock:
            return [row for given in self.state.given.values() for row in given.values()]

    def votes_of(self, assessor: str) -> list[VoteRow]:
        """The current votes of one assessor, in the order in which the items were first judged."""
        with self.state.lock:
            return [self.state.given[item][assessor] for item in self.state.voted.get(assessor, {})]

    def people(self) -> list[Person]:
        """Everybody who was invited."""
        return self.access.people()

    def work_for(self, assessor: str) -> tuple[list[Place], Future[Any] | None]:  # Any: nothing
        """The list that the assessor sees next, and when its leases are on the disk."""
        now = time.time()
        with self.state.lock:
            if places := current_unit(self.state, assessor, now):
                again = renewed(places, self._rules, now)
                self.state.add_leases(again)
                return places, self._writer.submit(Change(lambda connection: _renew(connection, again)))
            leases = next_unit(self.state, assessor, self._rules, now)
            if not leases:
                return [], None
            self.state.add_leases(leases)
            rows = [lease.columns() for lease in leases]
            places = current_unit(self.state, assessor, now)
        return places, self._writer.submit(Change(lambda connection: connection.execute(insert(schema.leases), rows)))

    def progress_of(self, assessor: str) -> Progress:
        """How far an assessor is."""
        with self.state.lock:
            return self.state.tally.progress_of(assessor)

    def set_fact(self, name: str, value: str) -> None:
        """Set a value of the store."""
        self._writer.submit(Change(lambda connection: set_fact(connection, name, value))).result()

    def take_down(self, hidden: AbstractSet[str]) -> None:
        """Remove the texts of items whose topic or comment must not be shown, and serve them no more."""

        def forget(gone: list[str]) -> None:
            names = set(gone)
            self.state.set_items([one for one in self.state.items.values() if one.item not in names])
            self._writer.settle()

        self._writer.submit(Change(lambda connection: remove_texts(connection, hidden), forget)).result()


def _renew(connection: Connection, leases: Sequence[Lease]) -> None:
    connection.execute(_RENEW, [{"known": one.lease, "later": one.expires} for one in leases])
