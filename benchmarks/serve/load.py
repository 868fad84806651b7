"""The speed of a server under load: durable votes per second and the time until a vote is acknowledged."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.serve.assessor_client import AssessorClient
from benchmarks.serve.server_process import ServerProcess, in_own_thread, invited

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Load:
    """Votes per second; median and 99th percentile in ms; per vote, the server's ms on a core and waiting for one."""

    votes: int
    per_second: float
    median: float
    p99: float
    cpu: float
    waited: float


def measured_load(task: Path, *, clients: int, seconds: float, pause: float, store: str | None = None) -> Load:
    """The load that so many clients make, each one vote at a time with a pause after it."""
    with ServerProcess(task, store=store) as server:
        tokens = invited(task, [f"P{number}" for number in range(clients)], store=store)
        people = [AssessorClient(server.port, token) for token in tokens]
        took, cpu, waited = in_own_thread(_vote(server, people, seconds, pause))
    times = np.array([one for person in people for one in person.seconds]) * 1000
    votes = len(times)
    median, p99 = np.quantile(times, [0.5, 0.99])
    return Load(votes, votes / took, float(median), float(p99), cpu * 1000 / votes, waited * 1000 / votes)


async def _vote(server: ServerProcess, people: list[AssessorClient], seconds: float, pause: float) -> list[float]:
    """The seconds that passed, those of the server on a core, and those that it waited for one."""
    for one in people:
        await one.sign_in()
    before = time.monotonic(), *server.core_seconds()
    rng = random.Random(1)
    await asyncio.gather(*(_come(one, rng.uniform(0, pause), before[0] + seconds, pause) for one in people))
    took = [now - then for then, now in zip(before, (time.monotonic(), *server.core_seconds()), strict=True)]
    for one in people:
        one.close()
    return took


async def _come(person: AssessorClient, after: float, end: float, pause: float) -> None:
    """Vote from a moment of the person's own: people do not press their keys at the same time."""
    await asyncio.sleep(after)
    await person.vote_until(end, pause=pause)
