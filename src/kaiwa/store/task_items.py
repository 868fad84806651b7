"""The items of a task in the store: opaque ids, the texts as they are delivered, and what a takedown removes."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from kaiwa.errors import InputError
from kaiwa.store import schema
from kaiwa.store.records import stored_item
from kaiwa.store.tables import read_facts, set_fact

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from sqlalchemy.engine import Connection

    from kaiwa.nouns.criteria import TaskItem
    from kaiwa.store.records import Item


_BLOCK = 1000
_ITEMS = "items"


def save_items(connection: Connection, wanted: Iterable[TaskItem], *, salt: str, place: str) -> list[Item]:
    """The items that are served from now on; the store keeps the others, and every text that was delivered."""
    items = [stored_item(one, salt=salt) for one in wanted]
    known = set(connection.execute(select(schema.items.c.item)).scalars())
    if known and known.isdisjoint(one.item for one in items):
        raise InputError.at(place, "holds the votes of another pool", "give another store, or the pool of this one")
    connection.execute(update(schema.items).values(served=0))
    new = [_columns(one) for one in items if one.item not in known]
    if new:
        connection.execute(insert(schema.items), new)
    if old := [_changed(one) for one in items if one.item in known]:
        connection.execute(_UPDATE, old)
    delivered = {tuple(row) for row in connection.execute(select(schema.texts.c.item, schema.texts.c.shown))}
    if texts := [_text(one) for one in items if (one.item, one.shown) not in delivered]:
        connection.execute(insert(schema.texts), texts)
    record_items(connection)
    return items


_UPDATE = (
    update(schema.items)
    .where(schema.items.c.item == bindparam("known"))
    .values({name: bindparam(name) for name in ("kind", "shown", "answer", "feedback", "served")})
)


def _columns(one: Item) -> dict[str, object]:
    return {
        "item": one.item,
        "topic": one.topic,
        "comment": one.comment,
        "kind": one.kind,
        "shown": one.shown,
        "answer": one.answer,
        "feedback": one.feedback,
        "served": 1,
    }


def _changed(one: Item) -> dict[str, object]:
    columns = _columns(one)
    return {"known": one.item, **{name: columns[name] for name in ("kind", "shown", "answer", "feedback", "served")}}


def _text(one: Item) -> dict[str, object]:
    return {"item": one.item, "shown": one.shown, "post": one.post, "text": one.text, "removed": 0}


def remove_texts(connection: Connection, hidden: AbstractSet[str]) -> list[str]:
    """Remove the texts of every item whose topic or comment must not be shown; the items that are no longer served."""
    rows = connection.execute(select(schema.items.c.item, schema.items.c.topic, schema.items.c.comment))
    gone = [row.item for row in rows if row.topic in hidden or row.comment in hidden]
    for start in range(0, len(gone), _BLOCK):
        some = gone[start : start + _BLOCK]
        texts, items = schema.texts, schema.items
        connection.execute(update(texts).where(texts.c.item.in_(some)).values(post="", text="", removed=1))
        connection.execute(update(items).where(items.c.item.in_(some)).values(served=0, feedback=""))
    if gone:
        record_items(connection)
    return gone


def record_items(connection: Connection) -> None:
    """Record what the items are now, so that a later change of one is found."""
    set_fact(connection, _ITEMS, _digest(connection))


def items_have_changed(connection: Connection) -> bool:
    """Whether an item is not what was recorded; a store that recorded none is not checked."""
    return read_facts(connection).get(_ITEMS, found := _digest(connection)) != found


def _digest(connection: Connection) -> str:
    """A hash of every item, with its kind, its known level and whether it is served."""
    digest = sha256()
    for row in connection.execute(select(schema.items).order_by(schema.items.c.item)):
        digest.update(json.dumps(list(row), ensure_ascii=True).encode())
    return digest.hexdigest()


def shown_by_item(connection: Connection) -> dict[str, str]:
    """The hash of the texts of every item, as they were delivered last."""
    return {row.item: row.shown for row in connection.execute(select(schema.items.c.item, schema.items.c.shown))}
