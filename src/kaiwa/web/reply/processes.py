"""Several processes on one mapped index, each at a port of its own; one that has ended is started again."""

from __future__ import annotations

import logging
import signal
import sys
import time
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, KaiwaError, option
from kaiwa.web.reply.serving import log_as_json, serve_replies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from kaiwa.web.reply.serving import ReplyService


_HIGHEST_PORT = 65535
_LOOK_SECONDS = 0.2
_PAUSE_SECONDS = 1.0
"""Before a process is started again: one that cannot start does not take the whole machine."""
_STOP_SECONDS = 15.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
log = logging.getLogger("kaiwa.reply")


class Replica:
    """A process that answers at one port; its pipe says that it is ready, and ends with this process."""

    def __init__(self, service: ReplyService, port: int) -> None:
        self._service, self._port = service, port
        self.url, self._due = "", 0.0
        self.process, self._pipe = self._started()

    def _started(self) -> tuple[SpawnProcess, Connection[Any, Any]]:  # Any: what is sent
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=answer_posts, args=(self._service, self._port, theirs), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def is_ready(self) -> bool:
        """Whether the process answers; an error if it never will."""
        if not self.url and wait([self._pipe], _LOOK_SECONDS):
            self.url = self._message()
            self._port = int(self.url.rsplit(":", 1)[1])
        return bool(self.url)

    def _message(self) -> str:
        """The address of the process; its error, if it has ended."""
        try:
            url, fault = self._pipe.recv()
        except EOFError:
            raise RuntimeError(f"a process ended with {self.process.exitcode} before it was ready") from None
        if fault:
            raise InputError(fault)
        return str(url)

    def keep_alive(self) -> None:
        """Start the process again if it has ended, after a pause."""
        if self.process.is_alive():
            return
        if not self._due:
            log.error("process %s ended with %s%s", self.process.pid, self.process.exitcode, self._last_words())
            self._due = time.monotonic() + _PAUSE_SECONDS
        elif time.monotonic() >= self._due:
            self._due = 0.0
            self._pipe.close()
            self.process, self._pipe = self._started()

    def _last_words(self) -> str:
        """The error that the process sent before it ended, if any."""
        with suppress(EOFError, OSError):
            while self._pipe.poll():
                if fault := self._pipe.recv()[1]:
                    return f": {InputError(fault)}"
        return ""

    def ask_to_stop(self) -> None:
        """Let it finish what it answers."""
        self.process.terminate()

    def stop(self) -> None:
        """Wait for its end; force it in the end."""
        self.process.join(_STOP_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self._pipe.close()


def serve_in_processes(service: ReplyService, count: int, tell: Callable[[list[Replica]], None]) -> None:
    """Answer posts by several processes until this one is stopped; ``tell`` gets them when all are ready."""
    first = service.address.port
    if first and first + count - 1 > _HIGHEST_PORT:
        what = f"{count} processes need the ports {first} to {first + count - 1}"
        raise InputError.at(option("port"), what, f"give at most {_HIGHEST_PORT - count + 1}")
    replicas: list[Replica] = []
    with _stop_signals() as stopped:
        try:
            replicas += [Replica(service, first and first + place) for place in range(count)]
            while not stopped and not all(one.is_ready() for one in replicas):
                pass
            if not stopped:
                tell(replicas)
            while not stopped:
                wait([one.process.sentinel for one in replicas if one.process.is_alive()], _LOOK_SECONDS)
                for one in replicas:
                    one.keep_alive()
        finally:
            for one in replicas:
                one.ask_to_stop()
            for one in replicas:
                one.stop()


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """The signals to stop that have come; inside the block they do nothing else."""
    came = list[int]()
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in _SIGNALS}
    try:
        yield came
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def answer_posts(service: ReplyService, port: int, pipe: Connection[Any, Any]) -> None:  # Any: what is sent
    """The work of one process: it ends when it is asked to, or when the other end of the pipe is closed."""
    for number in (signal.SIGINT, signal.SIGHUP):  # of the terminal: the parent asks to stop
        signal.signal(number, signal.SIG_IGN)
    log_as_json(with_requests=service.logs_requests)
    try:
        serve_replies(service, port, lambda url: pipe.send((url, "")), is_over=pipe.poll)
    except (KaiwaError, OSError) as fault:
        with suppress(OSError):
            pipe.send(("", fault.marked if isinstance(fault, KaiwaError) else str(fault)))
        sys.exit(2)
