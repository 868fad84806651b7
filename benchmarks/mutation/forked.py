"""Work in a forked process: nothing that it changes stays, and it ends if a piece of it takes too long."""

from __future__ import annotations

import json
import os
import resource
import signal
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MEMORY = 8 << 30
WALL_SECONDS = 600
"""A child that waits for ever ends after this time; one that computes for ever ends by ``limit_cpu``."""


@dataclass(frozen=True)
class Outcome:
    """``killed``, ``timeout``, ``crash``, ``survived`` or, if a test fails without the mutant, ``unclean``."""

    result: str
    test: str = ""


class NotCleanError(Exception):
    """A test fails without a mutant, because of what an earlier mutant left behind."""


def outcomes(pieces: int, work: Callable[[int], Outcome]) -> Iterator[Outcome]:
    """The outcome of ``work`` on each piece; a child goes on until it ends, then a new one takes the next piece."""
    done = 0
    while done < pieces:
        before = done
        reading, writing = os.pipe()
        if not (child := os.fork()):
            os.close(reading)
            _work_and_leave(range(done, pieces), work, writing)
        os.close(writing)
        with os.fdopen(reading) as answers:
            for line in answers:
                done += 1
                yield Outcome(*json.loads(line))
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            done += 1
            late = os.WTERMSIG(status) in {signal.SIGALRM, signal.SIGPROF}
            yield Outcome("timeout" if late else "crash")
        elif done == before:
            done += 1
            yield Outcome("unclean")


def in_shares(jobs: int, work: Callable[[int], None]) -> None:
    """Do ``work`` on each share of the whole, every share in a process of its own."""
    children = []
    for share in range(jobs):
        if not (child := os.fork()):
            work(share)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def limit_cpu(seconds: float) -> None:
    """End this process if it uses more CPU time from now on."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _work_and_leave(pieces: Iterable[int], work: Callable[[int], Outcome], writing: int) -> None:
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    silent = os.open(os.devnull, os.O_RDWR)
    for one in (0, 1):
        os.dup2(silent, one)
    try:
        for piece in pieces:
            signal.alarm(WALL_SECONDS)
            outcome = work(piece)
            os.write(writing, (json.dumps([outcome.result, outcome.test]) + "\n").encode())
    except NotCleanError:
        os._exit(0)
    except BaseException:  # noqa: BLE001  nothing may leave the child by another way
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
