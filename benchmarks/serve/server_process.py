"""A real server in a process of its own: started, killed, started again on the same port."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

_T = TypeVar("_T")

_PORTS = range(20000, 32768)
"""Below those that Linux gives to outgoing connections."""
KAIWA = [sys.executable, "-m", "kaiwa"]


class ServerProcess:
    """``kaiwa serve`` on a task folder; a context manager that stops it in the end."""

    def __init__(
        self, task: Path, *, store: str | None = None, words: Sequence[str] = (), before: Sequence[str] = ()
    ) -> None:
        self.task, self.store, self.words, self.before = task, store, tuple(words), tuple(before)
        self.port, self.organiser = 0, ""
        self.invites: list[dict[str, str]] = []
        self.log = task / "server.log"
        self._process: subprocess.Popen[str] | None = None

    @property
    def origin(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, on a free port the first time, and wait until it answers."""
        self.port = self.port or free_port()
        store = ["--store", self.store] if self.store else []
        words = ["serve", str(self.task), "--port", str(self.port), "--json", *store, *self.words]
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*self.before, *KAIWA, *words], stdout=subprocess.PIPE, stderr=log, text=True, env=environment()
            )
        assert self._process.stdout is not None  # noqa: S101  a pipe was asked for
        line = self._process.stdout.readline()
        if not line:
            code, log = self._process.wait(60), self.log.read_text(encoding="utf-8")
            raise RuntimeError(f"the server on port {self.port} did not start, exit code {code}; its log:\n{log}")
        served = json.loads(line)
        self.organiser, self.invites = served["organiser"], served["invites"]

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit code."""
        if self._process is None:
            return 0
        self._process.send_signal(number)
        self._process.wait(60)
        if self._process.stdout:
            self._process.stdout.close()
        code, self._process = self._process.returncode, None
        return code

    def kill(self) -> None:
        """End it without a word: SIGKILL."""
        self.end(signal.SIGKILL)

    @property
    def pid(self) -> int:
        """The process that serves."""
        if self._process is None:
            raise RuntimeError("the server does not run")
        return self._process.pid

    def core_seconds(self) -> tuple[float, float]:
        """The seconds that the threads of the server have run on a core, and those that they have waited for one."""
        threads = [
            path.read_text(encoding="ascii").split() for path in Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        ]
        return sum(int(one[0]) for one in threads) / 1e9, sum(int(one[1]) for one in threads) / 1e9

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def free_port() -> int:
    """A port that is free, and that the system gives to no outgoing connection while a killed server is away."""
    for port in random.SystemRandom().sample(_PORTS, 100):
        with contextlib.suppress(OSError), socket.socket() as tried:
            tried.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"no port of {_PORTS.start} to {_PORTS.stop - 1} is free")


def environment() -> dict[str, str]:
    """The environment of our commands: one thread, our package."""
    import kaiwa

    source = str(Path(kaiwa.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}


def in_own_thread(work: Coroutine[Any, Any, _T]) -> _T:  # Any: what a coroutine may yield and get
    """The result of a coroutine, which runs in a thread of its own: a browser may hold the loop of this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


_HANGING = 600
"""Seconds after which a command hangs."""


def run_kaiwa(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """A command of ours, to its end."""
    return subprocess.run(
        [*KAIWA, *words], capture_output=True, text=True, check=check, env=environment(), timeout=_HANGING
    )


def invited(task: Path, names: Sequence[str], *, role: str = "assessor", store: str | None = None) -> list[str]:
    """The private tokens of newly invited people."""
    given = ["--store", store] if store else []
    done = run_kaiwa("invite", str(task), *names, "--role", role, "--json", *given)
    return [one["link"].split("#")[1] for one in json.loads(done.stdout)["people"]]
