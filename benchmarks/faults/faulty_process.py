"""A command in a child process, with a fault at one of the calls by which it changes files."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import tempfile
from dataclasses import dataclass, field
from errno import ENOSPC
from typing import IO, TYPE_CHECKING, Protocol

from benchmarks.faults.system_calls import (
    REMOVALS,
    SECCOMP_EVENT,
    TAKES_SPACE,
    WRITES,
    Call,
    call_of,
    follow,
    go_on,
    watch_me,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_EVERY_THREAD = 0x40000000  # __WALL


class Fault(Protocol):
    """What goes wrong, decided at each call that changes the folder."""

    def meet(self, number: int, call: Call) -> bool:
        """Change the call if this is the moment; whether the process is killed when the call returns."""


@dataclass(frozen=True)
class NoFault:
    """Nothing goes wrong; the calls are counted."""

    def meet(self, number: int, call: Call) -> bool:  # noqa: ARG002  nothing is changed
        """Go on."""
        return False


@dataclass(frozen=True)
class Kill:
    """The process is killed before a call, or after a part of the bytes of a write."""

    at: int
    part: float | None = None

    def meet(self, number: int, call: Call) -> bool:
        """Kill it before the call, or shorten the write."""
        if number != self.at:
            return False
        if self.part is None or call.name not in WRITES:
            os.kill(call.process, signal.SIGKILL)
            return False
        call.shorten(int(call.bytes * self.part))
        return True


@dataclass(frozen=True)
class Failure:
    """One call fails, as on a faulty disk; removals succeed."""

    at: int
    code: int

    def meet(self, number: int, call: Call) -> bool:
        """Make it fail."""
        if number == self.at and call.name not in REMOVALS:
            call.refuse(self.code)
        return False


@dataclass
class FullDisk:
    """A disk with room for so many bytes: then a write is cut, and whatever takes space fails."""

    room: int
    _used: int = field(default=0, init=False)

    def meet(self, number: int, call: Call) -> bool:  # noqa: ARG002  only the bytes count
        """Cut the write that does not fit; refuse what comes later."""
        left = max(0, self.room - self._used)
        self._used += call.bytes
        if call.name in TAKES_SPACE and not left:
            call.refuse(ENOSPC)
        elif call.bytes > left:
            call.shorten(left)
        return False


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (-9 if it was killed), its messages, and its calls that changed files."""

    code: int
    messages: str
    printed: str
    calls: tuple[str, ...]
    bytes: int


def run_with(fault: Fault, words: Sequence[str], folder: Path) -> Ended:
    """Run ``kaiwa`` with these words in the folder; the fault decides at each call that changes the folder."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as messages:
        child = os.fork()
        if child == 0:
            _be_the_command(words, folder, printed, messages)
        os.waitpid(child, _EVERY_THREAD)
        follow(child)
        go_on(child)
        calls = _Calls(fault, f"{folder.resolve()}/")
        code = calls.watch(child)
        return Ended(code, _text(messages), _text(printed), tuple(calls.names), calls.bytes)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def run_here(line: str, folder: Path) -> int:
    """The exit code of a command in this process, whose children then find its modules and kernels loaded."""
    hidden = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
    sys.argv = ["kaiwa", *line.split()]
    with contextlib.chdir(folder), hidden[0], hidden[1]:
        code = _exit_code_of_the_command()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    return code


def _be_the_command(words: Sequence[str], folder: Path, printed: IO[bytes], messages: IO[bytes]) -> None:
    """Run the command and end the process."""
    code = 70
    try:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(printed.fileno(), 1)
        os.dup2(messages.fileno(), 2)
        sys.argv = ["kaiwa", *words]
        watch_me()
        code = _exit_code_of_the_command()
    finally:
        os._exit(code)


def _exit_code_of_the_command() -> int:
    from kaiwa.cli.group import main

    try:
        main()
    except SystemExit as ending:
        return int(ending.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


class _Calls:
    """The calls of a process that change a folder, as they come."""

    def __init__(self, fault: Fault, folder: str) -> None:
        self._fault, self._folder = fault, folder
        self.names = list[str]()
        self.bytes = 0
        self._dying = set[int]()

    def watch(self, child: int) -> int:
        """The exit code of the process, after all its calls."""
        while True:
            process, status = os.waitpid(-1, _EVERY_THREAD)
            if not os.WIFSTOPPED(status):
                if process == child:
                    return os.waitstatus_to_exitcode(status)
                continue
            if process in self._dying:
                os.kill(child, signal.SIGKILL)
            self._resume(process, status)

    def _resume(self, process: int, status: int) -> None:
        stopped_by, event = os.WSTOPSIG(status), status >> 16
        if event == SECCOMP_EVENT:
            until_return = self._meet(call_of(process))
            go_on(process, until_return=until_return)
        else:
            go_on(process, 0 if event or stopped_by in {signal.SIGTRAP, signal.SIGSTOP} else stopped_by)

    def _meet(self, call: Call) -> bool:
        if not call.changes(self._folder):
            return False
        self.names.append(call.name)
        self.bytes += call.bytes
        if self._fault.meet(len(self.names) - 1, call):
            self._dying.add(call.process)
            return True
        return False
