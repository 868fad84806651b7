"""Kills under load: clients vote, the server and its database are killed, and every vote is looked for in the end."""

from __future__ import annotations

import asyncio
import csv
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.serve.assessor_client import AssessorClient
from benchmarks.serve.server_process import ServerProcess, in_own_thread, invited, run_kaiwa
from kaiwa.store.database import Database
from kaiwa.store.records import item_id
from kaiwa.store.tables import read_facts, read_log

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.serve.postgres_process import PostgresProcess

_SLOWEST = 600
"""Seconds in which each person has given a vote, on average, on the busiest machine."""


@dataclass(frozen=True)
class Kills:
    """What was pressed, the keys of votes that are lost or doubled, and of those that only their key kept single.

    ``given`` are the names of people, which are their codes, with the items and levels that they pressed.
    """

    kills: int
    pressed: int
    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    saved_by_key: int
    log: str
    given: Counter[tuple[str, str, int]]


def killed_under_load(
    task: Path,
    *,
    kills: int,
    clients: int,
    store: str | None = None,
    database: PostgresProcess | None = None,
    seed: int = 1,
) -> Kills:
    """The outcome of so many kills while so many clients vote: of the server, or in turns with its ``database``.

    A kill seldom falls between a commit and its answer; up to as many kills again follow until one does.
    """
    with ServerProcess(task, store=store) as server:
        tokens = invited(task, [f"P{number}" for number in range(clients)], store=store)
        people = [AssessorClient(server.port, token) for token in tokens]
        round_of = _Round(server, people, kills, random.Random(seed), database)
        in_own_thread(round_of.vote_through())
    pressed = {key for one in people for key in one.pressed}
    given = Counter((f"P{number}", *vote) for number, one in enumerate(people) for vote in one.pressed.values())
    stored = Counter(stored_keys(task, store))
    return Kills(
        round_of.killed,
        len(pressed),
        tuple(sorted(pressed - set(stored))),
        tuple(key for key, number in stored.items() if number > 1),
        round_of.saved_by_key,
        server.log.read_text(encoding="utf-8"),
        given,
    )


@dataclass
class _Round:
    """Clients that vote through kills; ``early`` are the votes that were stored when their answers were not sent."""

    server: ServerProcess
    people: list[AssessorClient]
    kills: int
    rng: random.Random
    database: PostgresProcess | None
    killed: int = 0
    early: set[str] = field(default_factory=set)

    @property
    def saved_by_key(self) -> int:
        """The votes that were stored and came again."""
        return len(self.early & {key for one in self.people for key in one.retried})

    async def vote_through(self) -> None:
        """Vote while the server is killed and started again."""
        for one in self.people:
            await one.sign_in()
        end = asyncio.Event()
        votes = [asyncio.create_task(_vote(one, end)) for one in self.people]
        try:
            while self.killed < self.kills or (not self.saved_by_key and self.killed < 2 * self.kills):
                await self._kill()
            await asyncio.sleep(0.3)
        finally:
            end.set()
        await asyncio.gather(*votes)
        for one in self.people:
            one.close()

    @property
    def _acknowledged(self) -> set[str]:
        return {key for one in self.people for key in one.acknowledged}

    async def _kill(self) -> None:
        """Kill the server while people vote, however slow the machine is, and start it again."""
        wanted = len(self._acknowledged) + len(self.people)
        async with asyncio.timeout(_SLOWEST):
            while len(self._acknowledged) < wanted:  # noqa: ASYNC110  every person counts
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.2 + self.rng.random() * 0.2)
        with_server, with_database = self._next
        if with_database and self.database:
            await asyncio.to_thread(self.database.kill)
        if with_server:
            await asyncio.to_thread(self.server.kill)
        else:
            await asyncio.sleep(0.3)  # requests fail meanwhile
        if with_database and self.database:
            await asyncio.to_thread(self.database.start)
        self.killed += 1
        stored = await asyncio.to_thread(stored_keys, self.server.task, self.server.store)
        self.early |= set(stored) - self._acknowledged
        if with_server:
            await asyncio.to_thread(self.server.start)

    @property
    def _next(self) -> tuple[bool, bool]:
        """Whether the server is killed next, and whether its database is: the database, both, the server."""
        if self.database is None:
            return True, False
        return self.killed % 3 != 0, self.killed % 3 != 2


async def _vote(person: AssessorClient, end: asyncio.Event) -> None:
    while not end.is_set():
        await person.vote_until(time.monotonic() + 0.2)


def exported(task: Path, store: str | None) -> Counter[tuple[str, str, int]]:
    """The codes of assessors, items and levels that ``kaiwa votes`` writes."""
    with Database(store or task / "votes.db").reading() as connection:
        salt = read_facts(connection)["salt"]
    text = run_kaiwa("votes", str(task), "-o", "-", *(["--store", store] if store else [])).stdout
    rows = csv.DictReader(text.splitlines())
    return Counter(
        (row["assessor"], item_id(row["topic"], row["comment"], salt=salt), int(row["level"])) for row in rows
    )


def stored_keys(task: Path, store: str | None) -> list[str]:
    """The keys of all votes in the log."""
    with Database(store or task / "votes.db").reading() as connection:
        return [row.key for row in read_log(connection)]
