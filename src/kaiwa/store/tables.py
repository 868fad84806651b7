"""What the tables hold: made when absent, checked against the version, read into records."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from kaiwa.errors import InputError
from kaiwa.store import schema
from kaiwa.store.records import CHAINED, START, Lease, Person, VoteRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

TAIL = "tail"
"""The value of the store that holds the number and the hash of the last row."""
_BLOCK = 2000
_VOTE_COLUMNS = [schema.votes.c[name] for name in (*CHAINED, "hash")]


def prepare_tables(connection: Connection, place: str) -> None:
    """Make the tables of a new store; check the version of an existing one."""
    if connection.dialect.has_table(connection, "facts"):
        check_version(connection, place)
        return
    schema.metadata.create_all(connection)
    set_fact(connection, "version", str(schema.VERSION))
    set_fact(connection, "salt", secrets.token_hex(16))
    set_fact(connection, TAIL, f"0 {START}")


def check_version(connection: Connection, place: str) -> int:
    """The version of the tables; an error if they are newer than this Kaiwa, or not ours."""
    found = read_facts(connection).get("version", "")
    if not found.isdecimal():
        raise InputError.at(place, "is not a vote store", "give another store")
    if int(found) > schema.VERSION:
        what = f"is a store of version {found}, and this Kaiwa knows {schema.VERSION}"
        raise InputError.at(place, what, "update Kaiwa")
    return int(found)


def read_facts(connection: Connection) -> dict[str, str]:
    """The values of the store, by name."""
    return {row.name: row.value for row in connection.execute(select(schema.facts))}


def set_fact(connection: Connection, name: str, value: str) -> None:
    """Set a value of the store."""
    connection.execute(delete(schema.facts).where(schema.facts.c.name == name))
    connection.execute(insert(schema.facts), {"name": name, "value": value})


def read_people(connection: Connection) -> dict[str, Person]:
    """Everybody who was invited, by code, in the order of the invitations."""
    rows = connection.execute(select(schema.people).order_by(schema.people.c.created, schema.people.c.code))
    return {row.code: Person(**row._mapping) for row in rows}  # noqa: SLF001  SQLAlchemy's public name


def read_sessions(connection: Connection) -> dict[str, str]:
    """The digests of the sessions, and whose they are."""
    rows = connection.execute(select(schema.sessions.c.digest, schema.sessions.c.code))
    return {row.digest: row.code for row in rows}


def read_leases(connection: Connection) -> Iterator[Lease]:
    """Every lease, in the order in which they end."""
    order = (schema.leases.c.expires, schema.leases.c.unit, schema.leases.c.position)
    for row in connection.execute(select(schema.leases).order_by(*order)):
        yield Lease(**row._mapping)  # noqa: SLF001  SQLAlchemy's public name


def read_log(connection: Connection) -> Iterator[VoteRow]:
    """The rows of the log, in order."""
    wanted = select(*_VOTE_COLUMNS).order_by(schema.votes.c.seq).execution_options(yield_per=_BLOCK)
    for row in connection.execute(wanted):
        yield VoteRow(*row)
