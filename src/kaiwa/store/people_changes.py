"""Who may come in: private links and sessions, of which the store keeps SHA-256 digests only."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, update

from kaiwa.errors import InputError, UnknownName
from kaiwa.label.task_item import writable
from kaiwa.store import schema
from kaiwa.store.records import Person
from kaiwa.store.tables import read_people, set_fact

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.engine import Connection

ROLES = ("assessor", "lead", "organiser")
STATES = {"revoke": "revoked", "pause": "paused", "resume": "active"}
ORGANISER = "organiser"
_PSEUDONYM = re.compile(r"[A-Z][0-9]{1,4}")
_LONGEST_NAME = 100


def digest_of(secret: str) -> str:
    """What the store keeps of a token or a session."""
    return sha256(secret.encode(errors="replace")).hexdigest()


def new_secret() -> str:
    """A token or a session: 256 bits of chance."""
    return secrets.token_urlsafe(32)


def invite(connection: Connection, name: str, role: str) -> tuple[Person, str]:
    """A person with a new private token; an earlier token and its sessions end."""
    shown = checked_name(name)
    if (shown == ORGANISER) != (role == ORGANISER):
        raise InputError.at(f"name {shown!r}", f"{ORGANISER!r} is the name of whoever serves the task", "write another")
    token = new_secret()
    before = next((one for one in read_people(connection).values() if one.name == shown), None)
    if before:
        end_sessions(connection, before.code)
        connection.execute(
            update(schema.people)
            .where(schema.people.c.code == before.code)
            .values(role=role, state="active", token=digest_of(token))
        )
        note_change(connection)
        return read_people(connection)[before.code], token
    return add_person(connection, shown, role, token=digest_of(token)), token


def add_person(connection: Connection, name: str, role: str, *, token: str) -> Person:
    """A new person; without a token, one who has no link."""
    shown = checked_name(name)
    person = Person(_code_for(shown, role, read_people(connection)), shown, role, "active", token, _now())
    connection.execute(insert(schema.people), {name: getattr(person, name) for name in person.__slots__})
    note_change(connection)
    return person


def checked_name(name: str) -> str:
    """The name, if a person can have it."""
    shown = writable(name).strip()
    if not shown or len(shown) > _LONGEST_NAME or not shown.isprintable():
        raise InputError.at(f"name {shown[:_LONGEST_NAME]!r}", "is empty, too long or not printable", "write another")
    return shown


def checked_names(names: Sequence[str]) -> list[str]:
    """The names, if people can have them and none is duplicate: a second link would end the first."""
    shown = [checked_name(name) for name in names]
    for place, name in enumerate(shown):
        if name in shown[:place]:
            raise InputError.at(f"name {name!r}", "duplicate", "write each name once")
    return shown


def set_state(connection: Connection, name: str, action: str) -> Person:
    """Revoke, pause or resume a person; the sessions of a revoked one end."""
    people = {one.name: one for one in read_people(connection).values()}
    if name not in people:
        raise UnknownName.among("person", name, people)
    person = people[name]
    if action == "revoke":
        end_sessions(connection, person.code)
    values = {"state": STATES[action], "token": ""} if action == "revoke" else {"state": STATES[action]}
    connection.execute(update(schema.people).where(schema.people.c.code == person.code).values(**values))
    note_change(connection)
    return read_people(connection)[person.code]


def end_sessions(connection: Connection, code: str) -> None:
    """End every session of a person."""
    connection.execute(delete(schema.sessions).where(schema.sessions.c.code == code))


def note_change(connection: Connection) -> None:
    """Tell a running server that people have changed."""
    set_fact(connection, "people", secrets.token_hex(8))


def _code_for(name: str, role: str, people: Collection[str]) -> str:
    """A pseudonym: the name itself if it is one, else the next that is free."""
    if _PSEUDONYM.fullmatch(name) and name not in people:
        return name
    letter = {"assessor": "A", "lead": "L", "machine": "M"}.get(role, "O")
    return next(code for number in range(1, len(people) + 2) if (code := f"{letter}{number}") not in people)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
