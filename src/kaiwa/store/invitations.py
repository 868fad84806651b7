"""Private links of a task: made, listed and revoked, also while its server runs.

``invite`` is the public function, ``Invitations`` its result; the people themselves are in ``people``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra, option
from kaiwa.formats.reading import name_list, names_apart, one_of, path_of
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import table
from kaiwa.store.judged_task import open_judging, store_of
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath
    from kaiwa.store.database import Database
    from kaiwa.store.records import Person


DEFAULT_ADDRESS = "http://127.0.0.1:8000"
ROLES = ("assessor", "lead")
_COLUMNS = ("name", "role", "code", "state")


@dataclass(frozen=True)
class Invited:
    """A person: name, role, code in the votes, state, and the private link if this call made one."""

    name: str
    role: str
    code: str
    state: str
    link: str | None = None

    @classmethod
    def of(cls, person: Person, link: str | None = None) -> Invited:
        """The person of a store; a digest of the token is all that the store has of the link."""
        return cls(person.name, person.role, person.code, person.state, link)


@dataclass(frozen=True)
class Invitations(Result):
    """The people that a call invited, listed or revoked; only the call that makes a link knows it.

    >>> import kaiwa
    >>> made = kaiwa.invite("task", "Ann", "Bob")
    >>> made
    Invitations(Ann, Bob)
    >>> made.links["Bob"].split("#")[0]
    'http://127.0.0.1:8000/in'
    """

    people: tuple[Invited, ...]

    def __repr__(self) -> str:
        return f"Invitations({', '.join(one.name for one in self.people)})"

    @property
    def links(self) -> Mapping[str, str]:
        """The private link of each person that was invited now."""
        return {one.name: one.link for one in self.people if one.link is not None}

    def describe(self) -> Description:
        """A line with the link of each person that was invited now; else everybody's role, code and state."""
        rows = [[getattr(one, name) for name in _COLUMNS] for one in self.people]
        lines = [f"{one.name} ({one.role} {one.code})  {one.link}" for one in self.people]
        listed = table(_COLUMNS, rows) if rows else "nobody is invited yet"
        cells = [[*row, one.link] for row, one in zip(rows, self.people, strict=True)]
        return Description(
            tables=[Table("people", [*_COLUMNS, "link"], cells)],
            text="\n".join(lines) if self.links else listed,
            fields={"people": [asdict(one) for one in self.people], "links": self.links},
        )


def invite(
    task: AnyPath,
    *names: str,
    role: str = "assessor",
    list: bool = False,  # noqa: A002  the option of the command
    revoke: str | Sequence[str] = (),
    store: str | None = None,
) -> Invitations:
    """One private link for each name, to be sent to that person alone, also while the server runs.

    A link is shown once; a second invitation of the same person ends the first. ``role`` is what they may see:
    ``assessor`` or ``lead``. Votes name a person by a code such as A1, never by the name.

    Instead of ``names``, ``list`` gives everybody who was invited, and ``revoke`` ends the links and the sessions of
    the people that it names; their votes stay. ``store`` is the URL of a PostgreSQL database; by default people are in
    ``votes.db`` in the task folder.

    >>> import kaiwa
    >>> _ = kaiwa.invite("task", "Ann")
    >>> kaiwa.invite("task", revoke="Ann").people[0].state
    'revoked'
    """
    folder, ended = path_of("task", task), name_list("revoke", revoke)
    one_of("role", role, ROLES)
    if bool(names) + bool(ended) + list > 1:
        acts = f"names, {option('list', python='True')} and {option('revoke', 'NAME')}"
        raise InputError(f"{acts} are acts of their own; give one of them")
    if not (names or ended or list):
        raise InputError.at("kaiwa invite", "nobody is named", "write: kaiwa invite TASK NAME...")
    if role != ROLES[0] and not names:
        raise InputError(f"{option('role', role)} is for people to invite; name them, or leave it out")
    database = _database(folder, store)
    if names:
        return Invitations(_invited(database, names, role))
    return Invitations(_revoked(database, ended) if ended else _everybody(database))


def _database(folder: Path, store: str | None) -> Database:
    """The database of the task, made and filled with the task's items when absent."""
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.tables import check_version

    read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        open_judging(folder, store).store.close()
    with database.reading() as connection:
        check_version(connection, database.place)
    return database


def _invited(database: Database, names: Sequence[str], role: str) -> tuple[Invited, ...]:
    """A private link for each name; an earlier link of the same person ends."""
    from kaiwa.store.people import checked_names, invite_person
    from kaiwa.store.tables import read_facts

    wanted = checked_names(names)
    with database.writing() as connection:
        address = read_facts(connection).get("address", DEFAULT_ADDRESS)
        made = [invite_person(connection, name, role) for name in wanted]
    return tuple(Invited.of(one, f"{address}/in#{token}") for one, token in made)


def _revoked(database: Database, names: Sequence[str]) -> tuple[Invited, ...]:
    """The named people, whose links and sessions have ended."""
    from kaiwa.store.people import set_state
    from kaiwa.store.tables import read_people

    with database.writing() as connection:
        known = {one.name for one in read_people(connection).values()}
        return tuple(Invited.of(set_state(connection, name, "revoke")) for name in names_apart(names, known))


def _everybody(database: Database) -> tuple[Invited, ...]:
    """Everybody who was invited."""
    from kaiwa.store.tables import read_people

    with database.reading() as connection:
        return tuple(map(Invited.of, read_people(connection).values()))
