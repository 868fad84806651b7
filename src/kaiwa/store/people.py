"""Who may come in, while a store is open: people, private links and sessions, also those changed by other processes."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, update

from kaiwa.errors import InputError, UnknownName
from kaiwa.nouns.criteria import writable
from kaiwa.store import schema
from kaiwa.store.log_writer import Change
from kaiwa.store.records import Person
from kaiwa.store.tables import read_facts, read_people, read_sessions, set_fact

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from concurrent.futures import Future

    from sqlalchemy.engine import Connection

    from kaiwa.store.log_writer import LogWriter


# Who may come in: private links and sessions, of which the store keeps SHA-256 digests only.


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


def invite_person(connection: Connection, name: str, role: str) -> tuple[Person, str]:
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


_PREFIX = 16
_NOBODY = "-" * 64
_Found = tuple[str, "dict[str, Person]", dict[str, str]]
"""What the store holds: the mark of its people, they, and the digests of sessions with whose they are."""


class Access:
    """People and sessions of an open store. Digests are compared in constant time."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self._people: dict[str, Person] = {}
        self._sessions: dict[str, tuple[str, str]] = {}
        self.seen: str | None = None

    def read(self, connection: Connection, *, anew: bool = False) -> None:
        """Take over what another process changed; ``anew``: everything. Not in a transaction that writes."""
        if anew:
            self.seen = None
        self._take(self._found(connection))

    def _found(self, connection: Connection) -> _Found | None:
        """What the store holds, if it is not what is known."""
        changed = read_facts(connection).get("people", "")
        return None if changed == self.seen else (changed, read_people(connection), read_sessions(connection))

    def _take(self, found: _Found | None) -> None:
        """Know what is on the disk."""
        if found:
            self.seen, self._people, sessions = found
            self._writer.state.revoked = frozenset(one.code for one in self._people.values() if not one.is_active)
            self._sessions = {one[:_PREFIX]: (one, code) for one, code in sessions.items()}

    def people(self) -> list[Person]:
        """Everybody who was invited."""
        return list(self._people.values())

    def invite(self, name: str, role: str) -> Future[tuple[Person, str]]:
        """A person with a private token, which is shown once."""
        return self._change(lambda connection: invite_person(connection, name, role))

    def add(self, name: str) -> Future[Person]:
        """A person without a link, whose votes come from elsewhere."""
        return self._change(lambda connection: add_person(connection, name, "assessor", token=""))

    def set_state(self, name: str, action: str) -> Future[Person]:
        """Revoke, pause or resume a person."""
        return self._change(lambda connection: set_state(connection, name, action))

    def refresh(self) -> Future[None]:
        """Look for people that another process invited."""
        return self._change(lambda _: None)

    def _change(self, write: Any) -> Future[Any]:  # Any: of and to the result of the request
        def written(connection: Connection) -> tuple[object, _Found | None]:
            return write(connection), self._found(connection)

        def taken(written: tuple[object, _Found | None]) -> object:
            result, found = written
            self._take(found)
            return result

        return self._writer.submit(Change(written, taken))

    def person_of(self, token: str) -> Person | None:
        """Who has this private link, if it is valid; as slow for an unknown one."""
        digest, found = digest_of(token), None
        for person in list(self._people.values()):
            if hmac.compare_digest(person.token or _NOBODY, digest) and person.is_active:
                found = person
        return found

    def start_session(self, person: Person) -> tuple[str, Future[Any]]:  # Any: nothing
        """A new session of a person, valid when the future ends."""
        secret = new_secret()
        digest = digest_of(secret)
        row = {"digest": digest, "code": person.code, "created": time.time()}

        def remember(_: object) -> None:
            self._sessions[digest[:_PREFIX]] = digest, person.code

        return secret, self._writer.submit(
            Change(lambda connection: connection.execute(insert(schema.sessions), row), remember)
        )

    def session_of(self, secret: str) -> Person | None:
        """Whose session this is; None if it is unknown or ended, or its person was revoked."""
        digest = digest_of(secret)
        known, code = self._sessions.get(digest[:_PREFIX], (_NOBODY, ""))
        person = self._people.get(code)
        return person if hmac.compare_digest(known, digest) and person and person.is_active else None

    def end_session(self, secret: str) -> Future[Any]:  # Any: nothing
        """End a session."""
        digest = digest_of(secret)
        ended = delete(schema.sessions).where(schema.sessions.c.digest == digest)
        return self._writer.submit(
            Change(lambda connection: connection.execute(ended), lambda _: self._sessions.pop(digest[:_PREFIX], None))
        )
