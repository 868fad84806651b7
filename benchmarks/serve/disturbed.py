"""What others do to the votes of some: floods, slow bodies, silent connections, and the lead's page."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.serve.assessor_client import AssessorClient
from benchmarks.serve.server_process import ServerProcess, in_own_thread, invited

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

_VOTERS = 10
_PAUSE = 0.2
_CONNECTIONS = 8
_SLOW, _SILENT = 200, 600


@dataclass(frozen=True)
class Disturbed:
    """A disturbance; the votes of ten others meanwhile: how many, and the times until they were acknowledged, in ms."""

    what: str
    votes: int
    median: float
    p99: float
    slowest: float
    refused: int


@dataclass
class _Disturber:
    """Somebody who takes more than a share: a person with a session, a stranger, or the lead."""

    port: int
    person: AssessorClient
    lead: AssessorClient
    refused: int = 0

    async def nothing(self) -> None:
        """Do nothing."""

    async def flood_of_a_person(self) -> None:
        """Ask for work without a pause on several connections."""
        await self._flood("GET", "/work", self.person.cookie)

    async def flood_of_a_stranger(self) -> None:
        """Try tokens without a pause on several connections."""
        await self._flood("POST", "/session", "", {"token": "x" * 43})

    async def _flood(self, method: str, path: str, cookie: str, body: object = None) -> None:
        async def ask() -> None:
            client = AssessorClient(self.port, "")
            client.cookie = cookie
            with contextlib.closing(client):
                while True:
                    self.refused += (await client.request(method, path, body)).status == 429

        await asyncio.gather(*(ask() for _ in range(_CONNECTIONS)))

    async def slow_bodies(self) -> None:
        """Send heads of votes, and a byte of their bodies a second."""
        head = f"POST /votes HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nOrigin: http://127.0.0.1:{self.port}\r\n"
        head += f"Cookie: {self.person.cookie}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
        await self._held(_SLOW, head.encode(), b" ")

    async def silent_connections(self) -> None:
        """Open connections and say nothing."""
        await self._held(_SILENT, b"", b"")

    async def _held(self, number: int, first: bytes, then: bytes) -> None:
        async def hold() -> None:
            while True:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(first)
                with contextlib.suppress(OSError), contextlib.closing(writer):
                    await self._drip(reader, writer, then)
                await asyncio.sleep(0.1)

        await asyncio.gather(*(hold() for _ in range(number)))

    async def _drip(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, then: bytes) -> None:
        answer = asyncio.ensure_future(reader.read(12))
        try:
            while not (await asyncio.wait([answer], timeout=1))[0]:
                writer.write(then)
            self.refused += answer.exception() is not None or b"200" not in answer.result()
        finally:
            answer.cancel()

    async def pages_of_the_lead(self) -> None:
        """Ask for the lead's numbers again and again, while every vote changes them."""
        while True:
            await self.lead.request("GET", "/lead/data")
            await asyncio.sleep(0.5)


def disturbed_votes(task: Path, *, seconds: float) -> Iterator[Disturbed]:
    """The votes of ten people under each disturbance, on one server."""
    with ServerProcess(task) as server:
        people = [AssessorClient(server.port, one) for one in invited(task, [f"P{n}" for n in range(_VOTERS + 1)])]
        lead = AssessorClient(server.port, invited(task, ["Lea"], role="lead")[0])
        one = _Disturber(server.port, people.pop(), lead)
        yield from in_own_thread(_all(one, people, seconds))


async def _all(one: _Disturber, people: list[AssessorClient], seconds: float) -> list[Disturbed]:
    for client in (*people, one.person, one.lead):
        await client.sign_in()
    works: list[Callable[[], Awaitable[None]]] = [
        one.nothing,
        one.flood_of_a_person,
        one.flood_of_a_stranger,
        one.slow_bodies,
        one.silent_connections,
        one.pages_of_the_lead,
    ]
    return [await _measured(work, one, people, seconds) for work in works]


async def _measured(
    work: Callable[[], Awaitable[None]], one: _Disturber, people: list[AssessorClient], seconds: float
) -> Disturbed:
    one.refused = 0
    disturbing = asyncio.ensure_future(work())
    await asyncio.sleep(1)
    for client in people:
        client.seconds.clear()
    await asyncio.gather(*(_vote(client, place, seconds) for place, client in enumerate(people)))
    disturbing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await disturbing
    times = np.array([second for client in people for second in client.seconds]) * 1000
    median, p99, slowest = (float(value) for value in np.quantile(times, [0.5, 0.99, 1]))
    return Disturbed(work.__name__.replace("_", " "), len(times), median, p99, slowest, one.refused)


async def _vote(client: AssessorClient, place: int, seconds: float) -> None:
    await asyncio.sleep(_PAUSE * place / _VOTERS)
    await client.vote_until(time.monotonic() + seconds, pause=_PAUSE)
