"""A store of a few items, opened as often as a test likes, and an assessor who votes without a browser."""

from __future__ import annotations

import secrets
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks.serve.postgres_process import postgres

from kaiwa.nouns.criteria import TaskItem, ladder
from kaiwa.store.assignment import Place
from kaiwa.store.ballots import Ballots
from kaiwa.store.records import Ballot
from kaiwa.store.vote_store import StoreSettings, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.store.records import Lease, Saved
    from kaiwa.store.vote_store import VoteStore

FAILED = {0: ("topic",), 1: ("context",), 2: (), -1: ()}


def task_items(topics: int = 3, comments: int = 12) -> list[TaskItem]:
    """Items of the pool."""
    return [
        TaskItem(f"q{topic}", f"q{topic}-c{comment}", f"post {topic}", f"comment {topic} {comment}")
        for topic in range(topics)
        for comment in range(comments)
    ]


class Round:
    """A store in a file, with what tests do to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.location: str | Path = path
        self.items = task_items()
        self.settings = StoreSettings(2, ladder())

    def open(self) -> VoteStore:
        """The store, open."""
        return open_store(self.location, self.items, self.settings)

    def person(self, store: VoteStore, name: str) -> str:
        """The code of an invited assessor."""
        return store.access.invite(name, "assessor").result()[0].code

    def places(self, store: VoteStore, code: str) -> list[Place]:
        """The assessor's list, with leases that are on the disk."""
        return store.work_for(code).result()

    def ballot(self, place: Place, level: int = 2, **other: object) -> Ballot:
        """A vote on a place of a list."""
        given = {"key": secrets.token_hex(8), "failed": FAILED[level], "level": level, **other}
        return Ballot(item=place.item.item, shown=place.item.shown, lease=place.lease.lease, **given)  # type: ignore[arg-type]

    def ballot_on(self, store: VoteStore, lease: Lease, **other: object) -> Ballot:
        """A vote on a leased item."""
        return self.ballot(Place(store.state.items[lease.item], lease, None), **other)  # type: ignore[arg-type]

    def vote(self, store: VoteStore, code: str, place: Place, level: int = 2, **other: object) -> Saved:
        """Vote on a place of a list."""
        return store.append(Ballots(code, (self.ballot(place, level, **other),)))[0]

    def vote_all(self, store: VoteStore, code: str) -> int:
        """Vote on everything that the assessor is given; how many votes."""
        number = 0
        while places := [one for one in self.places(store, code) if one.vote is None]:
            for place in places:
                self.vote(store, code, place, number % 3)
                number += 1
        return number

    def edit(self, *statements: str) -> None:
        """Change the file behind the store's back."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """A real PostgreSQL, as ``make test`` installs it."""
    with postgres() as url:
        yield url


@pytest.fixture
def judged(tmp_path: Path) -> Round:
    """A round whose store two assessors have filled, and is closed."""
    made = Round(tmp_path / "votes.db")
    with made.open() as store:
        for name in ("ann", "bob"):
            made.vote_all(store, made.person(store, name))
    return made


@pytest.fixture
def empty(tmp_path: Path) -> Round:
    """A round whose store is not made yet."""
    return Round(tmp_path / "votes.db")
