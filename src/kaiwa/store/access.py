"""Who may come in, while a store is open: people, private links and sessions, also those changed by other processes."""

from __future__ import annotations

import hmac
import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert

from kaiwa.store import people_changes, schema
from kaiwa.store.log_writer import Change
from kaiwa.store.people_changes import digest_of, new_secret
from kaiwa.store.tables import read_facts, read_people, read_sessions

if TYPE_CHECKING:
    from concurrent.futures import Future

    from sqlalchemy.engine import Connection

    from kaiwa.store.log_writer import LogWriter
    from kaiwa.store.records import Person

_PREFIX = 16
_NOBODY = "-" * 64


class Access:
    """People and sessions of an open store. Digests are compared in constant time."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self._people: dict[str, Person] = {}
        self._sessions: dict[str, tuple[str, str]] = {}
        self.seen: str | None = None

    def read(self, connection: Connection) -> None:
        """Take over what another process changed."""
        changed = read_facts(connection).get("people", "")
        if changed != self.seen:
            self._people = read_people(connection)
            self._writer.state.revoked = frozenset(one.code for one in self._people.values() if not one.is_active)
            self._sessions = {one[:_PREFIX]: (one, code) for one, code in read_sessions(connection).items()}
            self.seen = changed

    def people(self) -> list[Person]:
        """Everybody who was invited."""
        return list(self._people.values())

    def invite(self, name: str, role: str) -> Future[tuple[Person, str]]:
        """A person with a private token, which is shown once."""
        return self._change(lambda connection: people_changes.invite(connection, name, role))

    def add(self, name: str) -> Future[Person]:
        """A person without a link, whose votes come from elsewhere."""
        return self._change(lambda connection: people_changes.add_person(connection, name, "assessor", token=""))

    def set_state(self, name: str, action: str) -> Future[Person]:
        """Revoke, pause or resume a person."""
        return self._change(lambda connection: people_changes.set_state(connection, name, action))

    def refresh(self) -> Future[None]:
        """Look for people that another process invited."""
        return self._change(lambda _: None)

    def _change(self, write: Any) -> Future[Any]:  # Any: of and to the result of the request
        def written(connection: Connection) -> object:
            result = write(connection)
            self.read(connection)
            return result

        return self._writer.submit(Change(written))

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
