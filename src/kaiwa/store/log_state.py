"""What follows from the log: current votes, keys that are known, leases; kept in memory while a store is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING

from kaiwa.store.records import START, body_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from kaiwa.store.records import Item, Lease, VoteRow


# How far posts and assessors are, counted vote by vote: a question about progress takes one look at each post.


@dataclass(frozen=True)
class Progress:
    """How many items an assessor has judged, how many there are for the assessor, and the same of posts."""

    done: int
    total: int
    posts_done: int
    posts_total: int


class Tally:
    """Per post: its items, and those that have all their votes; per assessor and post: votes on full and other items.

    Training items are left out. An item outside the pool never is full: everybody judges it.
    """

    def __init__(self, items: Iterable[Item], given: Mapping[str, Collection[str]], *, votes_per_item: int) -> None:
        self._votes_per_item = votes_per_item
        self.posts: defaultdict[str, list[Item]] = defaultdict(list)
        self._full = Counter[str]()
        self._on_open: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._on_full: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for item in items:
            if item.kind != "training":
                self.posts[item.topic].append(item)
                voters = list(given.get(item.item, ()))
                for number, who in enumerate(voters, start=1):
                    self.add(item, who, voters[:number])

    def add(self, item: Item, assessor: str, voters: Collection[str]) -> None:
        """Count the vote of an assessor on an item; ``voters`` are all who have voted on it now."""
        self._move(item, assessor, voters, 1)

    def remove(self, item: Item, assessor: str, voters: Collection[str]) -> None:
        """Take a vote back; ``voters`` are all who had voted on it until now."""
        self._move(item, assessor, voters, -1)

    def _move(self, item: Item, assessor: str, voters: Collection[str], step: int) -> None:
        topic, number = item.topic, len(voters)
        if item.kind == "training":
            return
        if item.kind != "pool" or number < self._votes_per_item:
            self._on_open[assessor][topic] += step
        elif number > self._votes_per_item:
            self._on_full[assessor][topic] += step
        else:  # the vote that makes it full
            self._full[topic] += step
            for who in voters:
                self._on_full[who][topic] += step
                self._on_open[who][topic] -= step if who != assessor else 0

    def open_in(self, assessor: str, topic: str) -> int:
        """The items of a post that lack votes and that the assessor has not judged."""
        return len(self.posts[topic]) - self._full[topic] - self._on_open[assessor][topic]

    def progress_of(self, assessor: str) -> Progress:
        """How far an assessor is."""
        counts = [(self.open_in(assessor, topic), self._done_in(assessor, topic)) for topic in self.posts]
        done = sum(voted for _, voted in counts)
        waiting = sum(still for still, _ in counts)
        posts = sum(still > 0 or voted > 0 for still, voted in counts)
        return Progress(done, done + waiting, posts - sum(still > 0 for still, _ in counts), posts)

    def _done_in(self, assessor: str, topic: str) -> int:
        return self._on_open[assessor][topic] + self._on_full[assessor][topic]


Owned = tuple[str, str]
"""An assessor, and a key or an item."""


class LogState:
    """The state after every row that was applied; one thread writes, others read with ``lock``.

    ``lists`` counts the lists of items that were served: a takedown makes another one. ``given`` holds each assessor's
    current vote on an item, ``repeated`` the votes on items that came back, ``adjudicated`` the last adjudication of an
    item, ``skipped`` the items that an assessor put off with the lease, ``orders`` the posts in each assessor's order,
    as far as they were asked for, ``revoked`` the people whose leases hold nothing any more, ``reserved`` the leases of
    the transaction that is being written, by assessor: nobody has been given them, and nobody else gets their places.
    """

    def __init__(self, *, votes_per_item: int) -> None:
        self.lock = RLock()
        self.votes_per_item = votes_per_item
        self.head, self.count, self.lists = START, 0, 0
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
        self.reserved: dict[str, list[Lease]] = {}
        self._reserved_for: defaultdict[str, set[str]] = defaultdict(set)
        self.revoked: frozenset[str] = frozenset()
        self.set_items(())

    def set_items(self, items: Iterable[Item]) -> None:
        """Serve these items; votes on others stay in the log."""
        self.lists += 1
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
        """Take back a vote: the assessor has none on the item then, and may be given it again."""
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

    def set_leases(self, leases: Iterable[Lease]) -> None:
        """Know these leases and no others."""
        self.leases.clear()
        self.held.clear()
        self.units.clear()
        self.add_leases(leases)

    def reserve(self, assessor: str, leases: Sequence[Lease]) -> None:
        """Hold the places of leases that are being written."""
        self.reserved[assessor] = list(leases)
        for one in leases:
            if one.kind != "repeat":
                self._reserved_for[one.item].add(assessor)

    def release(self) -> None:
        """End every reservation: its leases were written and added, or they are not given out."""
        self.reserved.clear()
        self._reserved_for.clear()

    def leave_out(self, is_unsound: Callable[[VoteRow], bool]) -> list[VoteRow]:
        """Count some of the current votes no more, for a reader of the log; these votes."""
        gone = [row for given in self.given.values() for row in given.values() if is_unsound(row)]
        for row in gone:
            del self.given[row.item][row.assessor]
        return gone

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
        if reserved := self._reserved_for.get(item.item):
            busy += len(reserved - passed)
        return len(given) + busy < self.votes_per_item

    def has_skipped(self, lease: Lease) -> bool:
        """Whether the assessor put the item off when it was given by this lease."""
        return self.skipped.get(lease.assessor, {}).get(lease.item) == lease.lease
