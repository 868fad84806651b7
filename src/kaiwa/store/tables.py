"""What the tables hold: made when absent, checked against the version, read into records."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from kaiwa.errors import InputError, counted
from kaiwa.store import schema
from kaiwa.store.records import CHAINED, START, Lease, Person, VoteRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection


TAIL = "tail"
"""The value of the store that holds the number and the hash of the last row."""
_BLOCK = 2000
log = logging.getLogger("kaiwa.store")
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


def save_leases(connection: Connection, leases: Sequence[Lease]) -> None:
    """Store new leases."""
    if leases:
        connection.execute(insert(schema.leases), [one.columns() for one in leases])


def renew_leases(connection: Connection, leases: Sequence[Lease]) -> None:
    """Store the later end of leases, which is the same for all; a lease that the store has lost is stored again."""
    names, known = [one.lease for one in leases], schema.leases.c.lease
    later = update(schema.leases).where(known.in_(names)).values(expires=leases[0].expires)
    if connection.execute(later).rowcount == len(names):
        return
    found = set(connection.execute(select(known).where(known.in_(names))).scalars())
    lost = [one for one in leases if one.lease not in found]
    log.error("%s of %s was missing in the store: stored again", counted(len(lost), "lease"), leases[0].assessor)
    save_leases(connection, lost)


def read_log(connection: Connection, *, after: int = 0) -> Iterator[VoteRow]:
    """The rows of the log behind a number, in order."""
    wanted = select(*_VOTE_COLUMNS).where(schema.votes.c.seq > after).order_by(schema.votes.c.seq)
    for row in connection.execute(wanted.execution_options(yield_per=_BLOCK)):
        yield VoteRow(*row)
