"""A copy of a store, taken while votes come in: one moment of it, in a SQLite file that opens as a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from kaiwa.errors import InputError
from kaiwa.files.atomic import atomic_file
from kaiwa.store import schema
from kaiwa.store.database import Database
from kaiwa.store.findings import REFUSED
from kaiwa.store.log_check import check_log
from kaiwa.store.tables import check_version
from kaiwa.store.task_items import items_have_changed, record_items

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

    from kaiwa.store.findings import LogCheck


_BLOCK = 1000
_LEFT_OUT = {"sessions"}
"""A copy is not a way in: whoever has a session signs in again."""


def copy_store(source: Database, target: Path, *, hidden: AbstractSet[str] = frozenset()) -> LogCheck:
    """Copy a store to a file; ids and texts that must not be shown are left out.

    A copy with a broken chain, or with a vote without its text, is an error; other findings are copied.
    """
    with atomic_file(target, private=True) as temporary:
        copy = Database(temporary)
        with source.reading() as found:
            check_version(found, source.place)
            with copy.writing() as made:
                schema.metadata.create_all(made)
                for table in schema.metadata.sorted_tables:
                    if table.name not in _LEFT_OUT:
                        _copy_table(found, made, table, hidden)
                if not items_have_changed(found):  # a change in the store must be found in the copy too
                    record_items(made)
        copy.settle()
        with copy.reading() as made:
            checked = check_log(made)
        copy.settle()
        if broken := [one for one in checked.findings if one.kind.votes == REFUSED]:
            what = f"the copy is not sound: {broken[0].message}"
            raise InputError.at(target, what, "see all with: kaiwa verify")
    return checked


def _copy_table(found: Connection, made: Connection, table: Table, hidden: AbstractSet[str]) -> None:
    gone = _hidden_items(found, hidden) if table.name in {"items", "texts"} else frozenset()
    for rows in _blocks(found, table):
        made.execute(insert(table), [_shown(row, gone) for row in rows])


def _blocks(found: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:  # Any: values of columns
    wanted = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_BLOCK)
    for part in found.execute(wanted).mappings().partitions(_BLOCK):
        yield [dict(row) for row in part]


def _hidden_items(found: Connection, hidden: AbstractSet[str]) -> frozenset[str]:
    rows = found.execute(select(schema.items.c.item, schema.items.c.topic, schema.items.c.comment))
    return frozenset(row.item for row in rows if row.topic in hidden or row.comment in hidden)


def _shown(row: dict[str, Any], gone: AbstractSet[str]) -> dict[str, Any]:  # Any: values of columns
    if row.get("item") not in gone:
        return row
    blank = {"topic": "", "comment": "", "feedback": "", "post": "", "text": "", "removed": 1, "served": 0}
    return row | {name: value for name, value in blank.items() if name in row}
