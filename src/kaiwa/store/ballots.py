"""Votes that are stored together: each is checked against what was given to its assessor, then chained to the log."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from kaiwa.store.records import Ballot, Refused, VoteRow, body_digest, chained, item_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.nouns.criteria import Criteria
    from kaiwa.store.log_state import LogState, Owned
    from kaiwa.store.vote_store import VoteStore


_UNKNOWN = "this item is not in your list"


@dataclass(frozen=True)
class Ballots:
    """The votes of one request: stored together, or not at all.

    ``kind`` is empty for votes on leased items; an adjudication or an import says what it is, and needs no lease.
    """

    assessor: str
    ballots: tuple[Ballot, ...]
    kind: str = ""


class Batch:
    """The rows that one transaction appends to the log."""

    def __init__(self, state: LogState, criteria: Criteria, *, time: str, version: str) -> None:
        self._state, self._criteria, self._time, self._version = state, criteria, time, version
        self.rows = list[VoteRow]()
        self._head, self._seq = state.head, state.count
        self._known: dict[Owned, tuple[int, bytes]] = {}
        self._live: dict[Owned, str] = {}

    def add(self, request: Ballots) -> list[int]:
        """The numbers of the votes in the log; Refused, and none is added, if one of them cannot be stored."""
        kept = len(self.rows), self._head, self._seq, dict(self._known), dict(self._live)
        try:
            return [self._add(request, ballot) for ballot in request.ballots]
        except Refused:
            del self.rows[kept[0] :]
            _, self._head, self._seq, self._known, self._live = kept
            raise

    def _add(self, request: Ballots, ballot: Ballot) -> int:
        own = request.assessor, ballot.key
        values = ballot.stored()
        digest = body_digest(values)
        if known := self._known.get(own) or self._state.known.get(own):
            if known[1] != digest:
                raise Refused(ballot.key, "another vote has this key", 409)
            return known[0]
        kind = request.kind or self._kind_of(request.assessor, ballot)
        self._check(request, ballot)
        self._append(request.assessor, kind, values)
        self._known[own] = self._seq, digest
        if ballot.undo_of:
            self._live.pop((request.assessor, ballot.undo_of), None)
        if ballot.level is not None:
            self._live[own] = ballot.item
        return self._seq

    def _kind_of(self, assessor: str, ballot: Ballot) -> str:
        lease = self._state.leases.get(ballot.lease)
        if lease is None or lease.assessor != assessor or lease.item != ballot.item:
            raise Refused(ballot.key, _UNKNOWN, 404)
        return lease.kind

    def _check(self, request: Ballots, ballot: Ballot) -> None:
        shown = self._state.shown.get(ballot.item)
        if shown is None:
            raise Refused(ballot.key, _UNKNOWN, 404)
        if shown != ballot.shown:
            raise Refused(ballot.key, "the text has changed since it was shown", 409)
        if ballot.undo_of and self._item_of(request.assessor, ballot.undo_of) != ballot.item:
            raise Refused(ballot.key, "there is no such vote to undo", 404)
        if ballot.level is None:
            if not (ballot.undo_of or ballot.skip) or ballot.failed:
                raise Refused(ballot.key, "the vote has no level", 422)
        elif ballot.skip or not (request.kind or self._criteria.allows(ballot.failed, ballot.level)):
            raise Refused(ballot.key, "the level does not follow from the criteria", 422)

    def _item_of(self, assessor: str, key: str) -> str | None:
        if (item := self._live.get((assessor, key))) is not None:
            return item
        undone = any(row.undo_of == key and row.assessor == assessor for row in self.rows)
        row = self._state.live.get((assessor, key))
        return None if row is None or undone else row.item

    def _append(self, assessor: str, kind: str, values: dict[str, Any]) -> None:  # Any: values of columns
        self._seq += 1
        row = values | {
            "seq": self._seq,
            "assessor": assessor,
            "kind": kind,
            "server_time": self._time,
            "version": self._version,
            "prev": self._head,
        }
        self._head = chained(row)
        self.rows.append(VoteRow(**row, hash=self._head))


# Votes from elsewhere, appended once: the tool's own key, or one made of the vote, recognises it the next time.


_BLOCK = 500


@dataclass(frozen=True)
class ImportedVote:
    """A vote of a file; ``key`` is its key in the tool that it comes from, if the file has keys."""

    topic: str
    comment: str
    assessor: str
    level: int
    key: str = ""


@dataclass(frozen=True)
class AddedVotes:
    """How many votes that were to be added are new, known already, changed, or on items outside the pool."""

    new: int
    known: int
    changed: int
    outside: int


def add_imported(store: VoteStore, votes: Sequence[ImportedVote]) -> AddedVotes:
    """Append the votes that the store does not have; an assessor of the file is a person of the store."""
    codes = _codes(store, dict.fromkeys(one.assessor for one in votes))
    counts = Counter[str]()
    waiting: dict[str, list[Ballot]] = {}
    for one in votes:
        what, ballot = _ballot(store, one, codes[one.assessor])
        counts[what] += 1
        if ballot:
            waiting.setdefault(codes[one.assessor], []).append(ballot)
    for code, ballots in waiting.items():
        for start in range(0, len(ballots), _BLOCK):
            store.append(Ballots(code, tuple(ballots[start : start + _BLOCK]), "human"))
    return AddedVotes(counts["new"], counts["known"], counts["changed"], counts["outside"])


def _codes(store: VoteStore, names: Iterable[str]) -> dict[str, str]:
    """The code of each assessor; somebody unknown is added, without a link."""
    known = {one.name: one.code for one in store.people()} | {one.code: one.code for one in store.people()}
    return {name: known.get(name) or store.access.add(name).result().code for name in names}


def _ballot(store: VoteStore, vote: ImportedVote, code: str) -> tuple[str, Ballot | None]:
    item = store.state.items.get(item_id(vote.topic, vote.comment, salt=store.salt))
    if item is None or item.kind != "pool":
        return "outside", None
    before = store.state.given.get(item.item, {}).get(code)
    made_of = (vote.key,) if vote.key else (vote.topic, vote.comment, vote.assessor, str(vote.level))
    key = sha256("\0".join(made_of).encode()).hexdigest()[:32]
    if (code, key) in store.state.known or (before and before.level == vote.level):
        return "known", None
    undo_of = before.key if before else ""
    ballot = Ballot(key, item.item, item.shown, "", level=vote.level, undo_of=undo_of, view="import")
    return "changed" if before else "new", ballot
