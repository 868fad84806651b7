"""Private links of a task: made, listed and revoked, also while its server runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kaiwa.errors import InputError, needs_extra
from kaiwa.show.text import table
from kaiwa.store.judged_task import open_judging, store_of
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kaiwa.store.database import Database
    from kaiwa.store.records import Person


DEFAULT_ADDRESS = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Invite:
    """A person's name, role, code in the votes, and private link."""

    name: str
    role: str
    code: str
    link: str


def invite_people(folder: Path, names: Sequence[str], role: str, *, store: str | None = None) -> list[Invite]:
    """A private link for each name; an earlier link of the same person ends."""
    database = _database(folder, store)
    from kaiwa.store.people import checked_names, invite
    from kaiwa.store.tables import read_facts

    wanted = checked_names(names)
    with database.writing() as connection:
        address = read_facts(connection).get("address", DEFAULT_ADDRESS)
        made = [invite(connection, name, role) for name in wanted]
    return [Invite(one.name, one.role, one.code, f"{address}/in#{token}") for one, token in made]


def revoke_people(folder: Path, names: Sequence[str], *, store: str | None = None) -> list[Person]:
    """End the links and sessions of the named people; their votes stay."""
    database = _database(folder, store)
    from kaiwa.store.people import set_state

    with database.writing() as connection:
        return [set_state(connection, name, "revoke") for name in names]


def listed_people(folder: Path, *, store: str | None = None) -> list[Person]:
    """Everybody who was invited."""
    database = _database(folder, store)
    from kaiwa.store.tables import read_people

    with database.reading() as connection:
        return list(read_people(connection).values())


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


def no_names() -> InputError:
    """The error for an invitation of nobody."""
    return InputError.at("kaiwa invite", "nobody is named", "write: kaiwa invite TASK NAME...")


# Invitations and people, as text and JSON fields.


class _Known(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def code(self) -> str: ...


class _Invite(_Known, Protocol):
    @property
    def link(self) -> str: ...


class _Person(_Known, Protocol):
    @property
    def state(self) -> str: ...


@dataclass(frozen=True)
class InvitesView:
    """One private link per person."""

    invites: Sequence[_Invite]

    def text(self) -> str:
        """Name and link, one per line."""
        return "\n".join(f"{one.name} ({one.role} {one.code})  {one.link}" for one in self.invites)

    def fields(self) -> Mapping[str, Any]:  # Any: JSON values
        """The links."""
        names = ("name", "role", "code", "link")
        return {"invites": [{name: getattr(one, name) for name in names} for one in self.invites]}


@dataclass(frozen=True)
class PeopleView:
    """Everybody who was invited."""

    people: Sequence[_Person]

    def text(self) -> str:
        """A line per person."""
        rows = [[one.name, one.role, one.code, one.state] for one in self.people]
        return table(["name", "role", "code", "state"], rows) if rows else "nobody is invited yet"

    def fields(self) -> Mapping[str, Any]:  # Any: JSON values
        """The people."""
        names = ("name", "role", "code", "state")
        return {"people": [{name: getattr(one, name) for name in names} for one in self.people]}
