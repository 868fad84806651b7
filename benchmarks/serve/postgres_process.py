"""A PostgreSQL of Debian's packages in a temporary folder, as long as it is needed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SLOWEST = 60
"""Seconds in which a killed process has ended."""
_PLACES = Path("/usr/lib/postgresql")


def found(name: str) -> str:
    """The path of a program of PostgreSQL; ``make postgres`` installs them."""
    versions = sorted(_PLACES.glob(f"*/bin/{name}"))
    program = shutil.which(name) or (str(versions[-1]) if versions else None)
    if program is None:
        raise RuntimeError(f"{name} is not installed; type: make postgres")
    return program


class PostgresProcess:
    """A server with a new, empty database on a socket of its own, durable as in production; it can be killed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._data = folder, folder / "data"
        self.url = f"postgresql://kaiwa@/postgres?host={folder}"
        self._control = [found("pg_ctl"), "-D", str(self._data), "-w", "-l", str(folder / "log")]
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres")
        _run([found("initdb"), "-D", str(self._data), "-A", "trust", "-U", "kaiwa", "-E", "UTF8", "--locale=C"])

    def start(self) -> None:
        """Start it; what was on the disk when it was killed is recovered."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder}"
        _run([*self._control, "-o", options, "start"])

    def stop(self) -> None:
        """Stop it."""
        _run([*self._control, "-m", "immediate", "stop"])

    def kill(self) -> None:
        """End all of its processes without a word: SIGKILL."""
        first = int((self._data / "postmaster.pid").read_text(encoding="ascii").split()[0])
        ours = [first, *_children(first)]
        for one in ours:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        end = time.monotonic() + _SLOWEST
        while any(map(_runs, ours)) and time.monotonic() < end:
            time.sleep(0.01)
        locks = [self._data / "postmaster.pid", *self._folder.glob(".s.PGSQL.*.lock")]
        for one in locks:  # the killed process may still have a number, and count as running
            one.unlink()


@contextmanager
def running_postgres() -> Iterator[PostgresProcess]:
    """A running server in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="kaiwa-pg-") as name:
        made = PostgresProcess(Path(name))
        made.start()
        try:
            yield made
        finally:
            made.stop()


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a new, empty database."""
    with running_postgres() as made:
        yield made.url


def _children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/stat")
        if (fields := _fields(path)) and int(fields[1]) == pid
    ]


def _runs(pid: int) -> bool:
    """Whether a process has not ended; one that nobody has waited for has."""
    return _fields(Path(f"/proc/{pid}/stat"))[:1] not in ([], ["Z"])


def _fields(path: Path) -> list[str]:
    """The state, the parent and more of a process; empty if it has ended."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def new_database(url: str, name: str) -> str:
    """The URL of a further database of the same server."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return url.replace("/postgres?", f"/{name}?")


def _run(words: Sequence[str]) -> None:
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    ended = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", **user)  # type: ignore[call-overload]
    if ended.returncode:
        raise RuntimeError(f"{words[0]}: {ended.stdout}{ended.stderr}")
