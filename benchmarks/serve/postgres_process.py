"""A PostgreSQL of Debian's packages in a temporary folder, as long as it is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PLACES = Path("/usr/lib/postgresql")


def found(name: str) -> str:
    """The path of a program of PostgreSQL; ``make postgres`` installs them."""
    versions = sorted(_PLACES.glob(f"*/bin/{name}"))
    program = shutil.which(name) or (str(versions[-1]) if versions else None)
    if program is None:
        raise RuntimeError(f"{name} is not installed; type: make postgres")
    return program


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a new, empty database on a socket of its own; durable as in production."""
    with tempfile.TemporaryDirectory(prefix="kaiwa-pg-") as name:
        folder = Path(name)
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(folder, "postgres")
        data = folder / "data"
        _run([found("initdb"), "-D", str(data), "-A", "trust", "-U", "kaiwa", "-E", "UTF8", "--locale=C"])
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        control = [found("pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        _run([*control, "-o", options, "start"])
        try:
            yield f"postgresql://kaiwa@/postgres?host={folder}"
        finally:
            _run([*control, "-m", "immediate", "stop"])


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
