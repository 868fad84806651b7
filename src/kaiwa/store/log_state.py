"""What follows from the log: current votes, keys that are known, leases; kept in memory while a store is open."""

from __future__ import annotations

from collections import defaultdict
from threading import RLock
from typing import TYPE_CHECKING

from kaiwa.store.records import START, body_digest
from kaiwa.store.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.store.records import Item, Lease, VoteRow

Owned = tuple[str, str]
"""An assessor, and a key or an item."""


class LogState:
    """The state after every row that was applied; one thread writes, others read with ``lock``.

    ``given`` holds each assessor's current vote on an item, ``repeated`` the votes on items that came back,
    ``adjudicated`` the last adjudication of an item, ``skipped`` the items that an assessor put off
    with the lease, ``orders`` the posts in each assessor's order, as far as they were asked for, ``revoked`` the people
    whose leases hold nothing any more.
    """

    def __init__(self, *, votes_per_item: int) -> None:
        self.lock = RLock()
        self.votes_per_item = votes_per_item
        self.head, self.count = START, 0
        self.items: dict[str, Item] = {}
        self.shown: dict[str, str] = {}
        self.leases: dict[str, Lease] = {}
        self.known: dict[Owned, tuple[int, bytes]] = {}
        self.live: dict[Owned, VoteRow] = {}
        self.given: defaultdict[str, dict[str, VoteRow]] = defaultdict(dict)
        self.repeated: defaultdict[Owned, list[VoteRow]] = defaultdict(list)
        self.machine: defaultdict[str, dict[str, VoteRow]] = defaultdict(dict)
        self.adjudicated: dict[str, VoteRow] = {}
        self.skipped: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.voted: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.held: defaultdict[str, dict[str, Lease]] = defaultdict(dict)
        self.units: dict[str, list[str]] = {}
        self.revoked: frozenset[str] = frozenset()
        self.set_items(())

    def set_items(self, items: Iterable[Item]) -> None:
        """Serve these items; votes on others stay in the log."""
        self.items = {one.item: one for one in items}
        self.tally = Tally(self.items.values(), self.given, votes_per_item=self.votes_per_item)
        self.training = [one for one in self.items.values() if one.kind == "training"]
        self.orders: dict[str, list[str]] = {}

    def apply(self, row: VoteRow) -> None:
        """Take the next row of the log."""
        self.head, self.count = row.hash, row.seq
        self.known[row.assessor, row.key] = row.seq, body_digest(row.columns())
        if row.undo_of:
            self._cancel(row)
        if row.skip:
            self.skipped[row.assessor][row.item] = row.lease
        elif row.level is not None:
            self._count(row)

    def _count(self, row: VoteRow) -> None:
        self.live[row.assessor, row.key] = row
        if row.kind == "repeat":
            self.repeated[row.assessor, row.item].append(row)
        elif row.kind == "adjudication":
            self.adjudicated[row.item] = row
        elif row.kind == "machine":
            self.machine[row.item][row.assessor] = row
        else:
            given = self.given[row.item]
            is_new = row.assessor not in given
            given[row.assessor] = row
            if is_new and row.item in self.items:
                self.tally.add(self.items[row.item], row.assessor, given)
            self.voted[row.assessor].setdefault(row.item)
            self.skipped[row.assessor].pop(row.item, None)

    def _cancel(self, undo: VoteRow) -> None:
        """Take back a vote; an earlier one of the same assessor on the item, not taken back, counts again."""
        gone = self.live.pop((undo.assessor, undo.undo_of), None)
        if gone is None:
            return
        if gone.kind == "repeat":
            self.repeated[gone.assessor, gone.item].remove(gone)
        elif gone.kind == "adjudication" and self.adjudicated.get(gone.item) is gone:
            del self.adjudicated[gone.item]
        elif self.given[gone.item].get(gone.assessor) is gone:
            if gone.item in self.items:
                self.tally.remove(self.items[gone.item], gone.assessor, self.given[gone.item])
            del self.given[gone.item][gone.assessor]
            del self.voted[gone.assessor][gone.item]

    def add_leases(self, leases: Iterable[Lease]) -> None:
        """Take leases that were given, or given again with a later end."""
        for one in leases:
            self.leases[one.lease] = one
            if one.kind != "repeat":
                self.held[one.item][one.assessor] = one
            listed = self.units.get(one.assessor, [])
            if not listed or self.leases[listed[0]].unit != one.unit:
                listed = []
            self.units[one.assessor] = listed if one.lease in listed else [*listed, one.lease]

    def is_surplus(self, row: VoteRow) -> bool:
        """Whether others had given the item its votes before this one."""
        item = self.items.get(row.item)
        if row.kind != "human" or item is None or item.kind != "pool" or row.level is None:
            return False
        earlier = sum(one.seq < row.seq for who, one in self.given[row.item].items() if who != row.assessor)
        return earlier >= self.votes_per_item

    def open_to(self, assessor: str, item: Item, now: float) -> bool:
        """Whether the item still needs this assessor's vote: votes and leases of others leave a place."""
        given = self.given.get(item.item, {})
        if assessor in given:
            return False
        if item.kind != "pool":
            return True
        held = self.held.get(item.item, {})
        passed = {*given, *self.revoked, assessor}
        waiting = (one for who, one in held.items() if one.expires > now and who not in passed)
        busy = sum(not self.has_skipped(one) for one in waiting)
        return len(given) + busy < self.votes_per_item

    def has_skipped(self, lease: Lease) -> bool:
        """Whether the assessor put the item off when it was given by this lease."""
        return self.skipped.get(lease.assessor, {}).get(lease.item) == lease.lease
