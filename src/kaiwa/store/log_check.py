"""Whether a store is what was acknowledged: the chain, the texts, the keys and the counts, checked row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from kaiwa.nouns.criteria import KINDS, shown_hash
from kaiwa.store import schema
from kaiwa.store.findings import (
    CHAIN,
    COUNT,
    HASH,
    ITEM,
    ITEMS,
    KEY,
    LEASE,
    OTHER_TEXT,
    PERSON,
    PUBLISHED,
    ROW,
    TAIL_HEAD,
    TASK_TEXT,
    VOTED_TEXT,
    Finding,
    LogCheck,
)
from kaiwa.store.records import START, chained, item_id
from kaiwa.store.tables import TAIL, check_version, read_facts, read_leases, read_log, read_people
from kaiwa.store.task_items import items_have_changed, shown_by_item

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from sqlalchemy.engine import Connection

    from kaiwa.nouns.criteria import TaskItem
    from kaiwa.store.database import Database
    from kaiwa.store.records import Lease, VoteRow


def check_store(database: Database, *, published: Collection[str] = (), items: Iterable[TaskItem] = ()) -> LogCheck:
    """What is wrong with a store, and with the task's ``items``: texts other than those that were shown."""
    with database.reading() as connection:
        check_version(connection, database.place)
        checked = check_log(connection, published=published)
        changed = list(_of_items(connection, items))
    return LogCheck(checked.rows, checked.head, (*checked.findings, *changed))


def _of_items(connection: Connection, items: Iterable[TaskItem]) -> Iterator[Finding]:
    salt, shown = read_facts(connection)["salt"], shown_by_item(connection)
    for one in items:
        item = item_id(one.topic, one.comment, salt=salt)
        if shown.get(item, one.shown) != one.shown:
            place = f"topic {one.topic!r}, comment {one.comment!r}"
            what = "the task's files now have another text than the one that was shown"
            yield Finding(TASK_TEXT, f"{place}: {what}", item=item)


def check_log(connection: Connection, *, published: Collection[str] = ()) -> LogCheck:
    """What is wrong with a store; ``published`` are heads that were shown earlier and must be in the chain."""
    found, heads, votes = list[Finding](), {START}, _Votes(connection)
    head, expected = START, 1
    for row in read_log(connection):
        found += _of_chain(row, head, expected)
        found += votes.findings(row)
        head, expected = row.hash, row.seq + 1
        heads.add(head)
    found += _of_tail(connection, expected - 1, head)
    found += [
        Finding(PUBLISHED, f"the log does not contain the head {one}, which was published earlier")
        for one in published
        if one not in heads
    ]
    found += _of_texts(connection, votes.on)
    return LogCheck(expected - 1, head, tuple(found))


def _of_chain(row: VoteRow, head: str, expected: int) -> Iterator[Finding]:
    if row.seq != expected:
        yield Finding(ROW, f"row {expected} is missing before row {row.seq}", row.seq)
    elif row.prev != head:
        yield Finding(CHAIN, f"row {row.seq} does not follow the row before it", row.seq)
    if chained(row.columns()) != row.hash:
        yield Finding(HASH, f"row {row.seq} was changed after it was stored", row.seq)


def _of_tail(connection: Connection, rows: int, head: str) -> Iterator[Finding]:
    recorded = read_facts(connection).get(TAIL, f"0 {START}")
    number, _, last = recorded.partition(" ")
    if number != str(rows):
        yield Finding(COUNT, f"the log has {rows} rows and had {number}")
    elif last != head:
        yield Finding(TAIL_HEAD, "the last row is not the one that was stored last")


class _Votes:
    """The checks of a vote against what was given to its assessor."""

    def __init__(self, connection: Connection) -> None:
        self._people = set(read_people(connection))
        self._leases: dict[str, Lease] = {one.lease: one for one in read_leases(connection)}
        self._texts = {tuple(row) for row in connection.execute(select(schema.texts.c.item, schema.texts.c.shown))}
        self._keys = set[tuple[str, str]]()
        self.on = set[tuple[str, str]]()

    def findings(self, row: VoteRow) -> Iterator[Finding]:
        """What is wrong with a row."""
        lease = self._leases.get(row.lease)
        if row.assessor not in self._people:
            yield Finding(PERSON, f"row {row.seq} is by {row.assessor!r}, who was not invited", row.seq)
        if row.lease and (lease is None or (lease.item, lease.assessor) != (row.item, row.assessor)):
            yield Finding(LEASE, f"row {row.seq} is on an item that {row.assessor} was not given", row.seq)
        if (row.item, row.shown) not in self._texts:
            yield Finding(VOTED_TEXT, f"row {row.seq} is on a text that was not delivered for its item", row.seq)
        if row.undo_of and (row.assessor, row.undo_of) not in self._keys:
            what = f"row {row.seq} takes back a vote that {row.assessor} has not given"
            yield Finding(KEY, what, row.seq)
        if (row.assessor, row.key) in self._keys:
            yield Finding(KEY, f"row {row.seq} has the key of an earlier row", row.seq)
        self._keys.add((row.assessor, row.key))
        self.on.add((row.item, row.shown))


def _of_texts(connection: Connection, voted: Collection[tuple[str, str]]) -> Iterator[Finding]:
    """Texts that are not those of their hash, and items that are not those of their id."""
    salt = read_facts(connection).get("salt", "")
    names = dict[str, str]()
    for row in connection.execute(select(schema.items)):
        names[row.item] = f"topic {row.topic!r}, comment {row.comment!r}"
        if row.topic and row.comment and item_id(row.topic, row.comment, salt=salt) != row.item:
            yield Finding(ITEM, f"{names[row.item]} has the id of another item", item=row.item)
        if row.kind not in KINDS:
            yield Finding(ITEM, f"{names[row.item]} has the unknown kind {row.kind!r}", item=row.item)
    for row in connection.execute(select(schema.texts)):
        if not row.removed and shown_hash(row.post, row.text) != row.shown:
            place = names.get(row.item, f"item {row.item}")
            kind = VOTED_TEXT if (row.item, row.shown) in voted else OTHER_TEXT
            yield Finding(kind, f"{place}: the stored text is not the one that was shown", item=row.item)
    if items_have_changed(connection):
        yield Finding(ITEMS, "an item was changed after the pool was stored")
