"""The command in this process, in a process of its own, and a finished demo."""

from __future__ import annotations

import io
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pytest

from kaiwa.cli.group import EXIT_UNEXPECTED, main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

PLAIN = {"NO_COLOR": "1", "COLUMNS": "120"}
HANGING = 600
"""Seconds after which a process hangs; a busy machine is slow."""

OFFLINE = """
import os, runpy, sys
def alone(event, arguments):
    if event.startswith("socket."):
        os.write(2, f"the network was asked: {event} {arguments}".encode())
        os._exit(9)
sys.addaudithook(alone)
runpy.run_module("kaiwa.cli", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Demo:
    """A demo's folder, and what the terminal showed."""

    folder: Path
    output: str


class Terminal:
    """A child process of ours at a terminal."""

    def __init__(self, folder: Path, *words: str | Path, program: Sequence[str], **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        kept = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.child = subprocess.Popen(
            [sys.executable, *program, *map(str, words)],
            cwd=folder,
            env={**kept, "TERM": "xterm", "COLUMNS": "100", **environment},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.shown = ""

    def type(self, keys: str) -> None:
        """Press these keys."""
        os.write(self._ours, keys.encode())

    def until(self, words: str) -> None:
        """Read until the words are on the screen, or the child has ended."""
        while words not in self.shown and self._more():
            pass

    def end(self) -> int:
        """Read the rest; the exit code."""
        while self._more():
            pass
        os.close(self._ours)
        return self.child.wait(timeout=600)

    def _more(self) -> bool:
        if not select.select([self._ours], [], [], HANGING)[0]:
            raise TimeoutError(f"nothing more came after {self.shown[-200:]!r}")
        try:
            read = os.read(self._ours, 65536)
        except OSError:  # the other side of the terminal is closed
            return False
        self.shown += read.decode(errors="replace")
        return bool(read)


@pytest.fixture
def terminal(tmp_path: Path) -> Callable[..., Terminal]:
    """A function that starts ``kaiwa`` with the given words in the test's own folder, at a terminal."""
    return partial(Terminal, tmp_path, program=("-m", "kaiwa.cli"))


@pytest.fixture(scope="session")
def command() -> Kaiwa:
    """A function that runs ``kaiwa`` with the given words in the given folder, in this process."""
    return _in_this_process


@pytest.fixture
def kaiwa(command: Kaiwa, tmp_path: Path) -> Kaiwa:
    """A function that runs ``kaiwa`` with the given words in the test's own folder, in this process."""
    return partial(command, folder=tmp_path)


@pytest.fixture
def kaiwa_process(tmp_path: Path) -> Kaiwa:
    """A function that runs ``kaiwa`` in a process of its own, for tests of what only a process has."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "kaiwa.cli", *words],
            cwd=tmp_path,
            env={**os.environ, **PLAIN},
            capture_output=True,
            text=True,
            timeout=HANGING,
            check=False,
        )

    return run


def _in_this_process(*words: str | Path, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """What ``kaiwa`` ends with and prints; an exception that a user would see as a traceback comes out."""
    typed, out, err = ["kaiwa", *map(str, words)], io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch, _signals_kept():
        patch.chdir(folder)
        patch.setattr(sys, "argv", typed)
        for name, value in {**PLAIN, "ARROW_DEFAULT_MEMORY_POOL": "system"}.items():
            patch.setenv(name, value)
        for name, stream in {"stdin": io.BytesIO(stdin.encode()), "stdout": out, "stderr": err}.items():
            patch.setattr(sys, name, io.TextIOWrapper(stream, encoding="utf-8", write_through=True))
        with pytest.raises(SystemExit) as ending:
            sys.exit(main())
        assert ending.value.code != EXIT_UNEXPECTED, err.getvalue().decode()
        return subprocess.CompletedProcess(
            typed, int(ending.value.code or 0), out.getvalue().decode(), err.getvalue().decode()
        )


@contextmanager
def _signals_kept() -> Iterator[None]:
    """The signal handlers of the test runner are restored afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A demo on a small part of the corpus, made once, by a Python that ends when a socket is touched."""
    home = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "demo", "round", "--size", "2000"],
        cwd=home,
        env={**os.environ, **PLAIN},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return Demo(home / "round", done.stderr + done.stdout)


@pytest.fixture
def demo(finished_demo: Demo, tmp_path: Path) -> Demo:
    """The finished demo, copied into the test's own folder as ``round``."""
    shutil.copytree(finished_demo.folder, tmp_path / "round")
    return Demo(tmp_path / "round", finished_demo.output)
