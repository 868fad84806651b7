"""Private links of a task: made, listed and revoked, also while its server runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra
from kaiwa.flow.judging.serve import open_judging, store_of
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Sequence
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
    from kaiwa.store.people_changes import checked_names, invite
    from kaiwa.store.tables import read_facts

    wanted = checked_names(names)
    with database.writing() as connection:
        address = read_facts(connection).get("address", DEFAULT_ADDRESS)
        made = [invite(connection, name, role) for name in wanted]
    return [Invite(one.name, one.role, one.code, f"{address}/in#{token}") for one, token in made]


def revoke_people(folder: Path, names: Sequence[str], *, store: str | None = None) -> list[Person]:
    """End the links and sessions of the named people; their votes stay."""
    database = _database(folder, store)
    from kaiwa.store.people_changes import set_state

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
