"""The votes of a store as a reader sees them, without the writer's lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from kaiwa.errors import InputError
from kaiwa.store import schema
from kaiwa.store.log_check import check_log
from kaiwa.store.log_state import LogState
from kaiwa.store.records import Item
from kaiwa.store.tables import check_version, read_log

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from kaiwa.store.database import Database
    from kaiwa.store.records import VoteRow


@dataclass(frozen=True)
class ReadVote:
    """A current vote with the topic and comment it is on; ``surplus`` if others had given the item its votes."""

    topic: str
    comment: str
    row: VoteRow
    surplus: bool


def read_current_votes(database: Database, *, votes_per_item: int) -> tuple[list[ReadVote], LogState]:
    """The current votes of people on the items of the pool, in the order of the log, and the state they follow from.

    A log that is not as it was stored is an error: no vote of it is read as if it had been given so.
    """
    state = LogState(votes_per_item=votes_per_item)
    with database.reading() as connection:
        check_version(connection, database.place)
        if found := check_log(connection).findings:
            fix = "see all with: kaiwa verify, and restore a copy made with: kaiwa backup"
            raise InputError.at(database.place, found[0].message, fix)
        state.set_items(read_items(connection))
        for row in read_log(connection):
            state.apply(row)
    return current_votes(state), state


def current_votes(state: LogState) -> list[ReadVote]:
    """The current votes of people on the items of the pool, in the order of the log."""
    with state.lock:
        rows = sorted(
            (row for given in state.given.values() for row in given.values() if row.kind == "human"),
            key=lambda row: row.seq,
        )
        known = [(row, state.items[row.item]) for row in rows if row.item in state.items]
        return [ReadVote(item.topic, item.comment, row, state.is_surplus(row)) for row, item in known]


def read_items(connection: Connection) -> list[Item]:
    """The items of the store without their texts."""
    rows = connection.execute(select(schema.items).where(schema.items.c.served == 1))
    return [
        Item(row.item, row.topic, row.comment, row.kind, row.shown, "", "", row.answer, row.feedback) for row in rows
    ]
