"""The votes of a store as a reader sees them, without the writer's lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from kaiwa.errors import InputError
from kaiwa.store import schema
from kaiwa.store.findings import EVERY_VOTE, ITEMS, LEFT_OUT, REFUSED, UNAFFECTED
from kaiwa.store.log_check import check_log
from kaiwa.store.log_state import LogState
from kaiwa.store.records import Item
from kaiwa.store.tables import check_version, read_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from sqlalchemy.engine import Connection

    from kaiwa.store.database import Database
    from kaiwa.store.findings import Finding
    from kaiwa.store.records import VoteRow


@dataclass(frozen=True)
class ReadVote:
    """A current vote with the topic and comment it is on; ``surplus`` if others had given the item its votes."""

    topic: str
    comment: str
    row: VoteRow
    surplus: bool


@dataclass(frozen=True)
class CurrentVotes:
    """Votes that count, the head of their log, what is wrong with the store, and the rows that are left out for it.

    ``is_whole`` if all votes were asked for: those left out cannot be read.
    """

    votes: list[ReadVote]
    head: str
    findings: tuple[Finding, ...]
    left_out: tuple[int, ...]
    is_whole: bool


def read_current_votes(database: Database, *, votes_per_item: int, despite_findings: bool = False) -> CurrentVotes:
    """The current votes of people on the items of the pool, in the order of the log.

    A broken chain, or a vote without its text, is an error: no vote of such a log is read as if it had been given so.
    Other votes with findings are left out. With ``despite_findings``, every vote that can be read is there.
    """
    state = LogState(votes_per_item=votes_per_item)
    with database.reading() as connection:
        check_version(connection, database.place)
        found = check_log(connection).findings
        if not despite_findings:
            _refuse_broken(database.place, found)
        is_other_list = any(one.kind == ITEMS for one in found)
        served, others = _items(connection)
        state.set_items([*served, *others] if is_other_list else served)
        unreadable = list[int]()
        for row in read_log(connection):
            if _is_readable(row):
                state.apply(row)
            else:
                unreadable.append(row.seq)
                state.head = row.hash
    wrong = _unsound(found, {one.item for one in others} if is_other_list else set())
    left_out = [] if despite_findings else state.leave_out(wrong)
    votes = current_votes(state)
    gone = [row.seq for row in left_out if row.kind == "human" and row.item in state.items]
    if gone and not votes:
        why = next(one for one in found if one.kind.votes != UNAFFECTED)
        raise InputError.at(database.place, f"no vote is sound: {why.message}", _FIX)
    return CurrentVotes(votes, str(state.head), found, tuple(sorted(gone + unreadable)), despite_findings)


_FIX = (
    "see all with: kaiwa verify; restore a copy made with kaiwa backup, or export all the same: kaiwa votes "
    f"{EVERY_VOTE}"
)


def refuse_broken(database: Database) -> None:
    """An error if the votes of the store could not be exported: the chain is broken, or a vote is without its text."""
    with database.reading() as connection:
        check_version(connection, database.place)
        _refuse_broken(database.place, check_log(connection).findings)


def _refuse_broken(place: str, found: Sequence[Finding]) -> None:
    if broken := [one for one in found if one.kind.votes == REFUSED]:
        raise InputError.at(place, broken[0].message, _FIX)


def _unsound(found: Sequence[Finding], others: AbstractSet[str]) -> Callable[[VoteRow], bool]:
    """Whether a vote, or the item that it is on, has a finding for which it is left out, or is one of the others."""
    wrong = [one for one in found if one.kind.votes == LEFT_OUT]
    rows, items = {one.row for one in wrong if one.row}, {one.item for one in wrong if one.item} | others
    return lambda row: row.seq in rows or row.item in items


def _is_readable(row: VoteRow) -> bool:
    """Whether the values of a row, which may be damaged, are those of a vote."""
    texts = (row.key, row.item, row.assessor, row.kind, row.failed, row.undo_of, row.lease)
    return all(isinstance(one, str) for one in texts) and (row.level is None or isinstance(row.level, int))


def current_votes(state: LogState) -> list[ReadVote]:
    """The current votes of people on the items of the pool, in the order of the log."""
    with state.lock:
        rows = sorted(
            (row for given in state.given.values() for row in given.values() if row.kind == "human"),
            key=lambda row: row.seq,
        )
        known = [(row, state.items[row.item]) for row in rows if row.item in state.items]
        return [ReadVote(item.topic, item.comment, row, state.is_surplus(row)) for row, item in known]


def _items(connection: Connection) -> tuple[list[Item], list[Item]]:
    """The items of the store that are served, and the others, without their texts."""
    found: tuple[list[Item], list[Item]] = [], []
    for row in connection.execute(select(schema.items)):
        item = Item(row.item, row.topic, row.comment, row.kind, row.shown, "", "", row.answer, row.feedback)
        found[row.served != 1].append(item)
    return found
