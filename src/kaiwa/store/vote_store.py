"""The store of a task: votes are appended, items given out, texts removed; one process writes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from kaiwa.store.assignment import Place, Rules, current_unit, next_unit, renewed
from kaiwa.store.database import Database
from kaiwa.store.log_state import LogState
from kaiwa.store.log_writer import Change, LogWriter
from kaiwa.store.people import Access
from kaiwa.store.tables import read_facts, renew_leases, save_leases, set_fact
from kaiwa.store.task_items import remove_texts, save_items, shown_by_item

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from concurrent.futures import Future
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from kaiwa.nouns.criteria import Criteria, TaskItem
    from kaiwa.store.ballots import Ballots
    from kaiwa.store.log_state import Progress
    from kaiwa.store.records import Person, Saved, VoteRow


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
        self._writer.watch(self.access)
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

    def work_for(self, assessor: str) -> Future[list[Place]]:
        """The list that the assessor sees next; the future ends when its leases are on the disk, and known to us."""
        return self._writer.submit(Change(lambda connection: self._lease(connection, assessor), self._given_out))

    def _lease(self, connection: Connection, assessor: str) -> list[Place]:
        """Write the leases of a list: of the one that is not finished, or of a new one, whose places are reserved."""
        now = time.time()
        if assessor in self.state.reserved:  # a second request in the same transaction
            leases = self.state.reserved[assessor]
        elif places := current_unit(self.state, assessor, now):
            leases = renewed(places, self._rules, now)
            renew_leases(connection, leases)
            return [replace(place, lease=lease) for place, lease in zip(places, leases, strict=True)]
        else:
            leases = next_unit(self.state, assessor, self._rules, now)
            save_leases(connection, leases)
            self.state.reserve(assessor, leases)
        return [Place(self.state.items[one.item], one, None) for one in leases]

    def _given_out(self, places: list[Place]) -> list[Place]:
        """Know the leases that are on the disk; what a takedown of the same transaction removed is not shown."""
        self.state.add_leases([one.lease for one in places])
        return [one for one in places if one.item.item in self.state.items]

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
