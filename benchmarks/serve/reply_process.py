"""The answering service and nginx in processes of their own, on loopback: started, asked, killed, stopped."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.error import HTTPError

from benchmarks.serve.server_process import KAIWA, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NGINX = Path(__file__).parents[2] / "deploy" / "nginx.conf"
_SECONDS = 600
"""After which an answer or an end has not come."""


@dataclass(frozen=True)
class Answered:
    """What a server answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:  # Any: JSON values
        """The body as JSON."""
        return json.loads(self.body)


def asked(port: int, method: str, path: str, body: object = None, **headers: str | None) -> Answered:
    """The answer to one request; a header of None is left out."""
    given = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request(method, path, data, {name: value for name, value in given.items() if value is not None})
        found = connection.getresponse()
        return Answered(found.status, found.headers, found.read())
    finally:
        connection.close()


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class ReplyProcess:
    """``kaiwa serve --reply``; a context manager that stops it in the end."""

    def __init__(self, index: Path, folder: Path, words: Sequence[str] = (), *, port: int = 0) -> None:
        self._words = ["serve", "--reply", str(index), "--port", str(port), "--json", *words]
        self.log = folder / "reply.log"
        self.port, self.ports, self.pids = port, [port], list[int]()
        self._process: subprocess.Popen[str] | None = None

    def launch(self) -> subprocess.Popen[str]:
        """Start it, without waiting."""
        with self.log.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*KAIWA, *self._words], stdout=subprocess.PIPE, stderr=log, text=True, env=environment()
            )
        return self._process

    def wait_until_ready(self) -> None:
        """Read the line with the addresses."""
        if self._process is None or self._process.stdout is None:
            raise RuntimeError("the service was not started")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(self.log.read_text(encoding="utf-8"))
        rows = json.loads(line)["processes"]
        self.ports = [int(row["url"].rsplit(":", 1)[1]) for row in rows]
        self.port, self.pids = self.ports[0], [row["pid"] for row in rows]

    @property
    def parent(self) -> int:
        """The process that was started; the only one, or the parent of those that answer."""
        if self._process is None:
            raise RuntimeError("the service was not started")
        return self._process.pid

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait; the exit code."""
        if self._process is None:
            return 0
        self._process.send_signal(number)
        self._process.wait(_SECONDS)
        if self._process.stdout:
            self._process.stdout.close()
        code, self._process = self._process.returncode, None
        return code

    def __enter__(self) -> Self:
        self.launch()
        self.wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def nginx() -> str:
    """The program, which Debian keeps outside the path of users."""
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise RuntimeError("nginx is not installed")
    return found


@contextmanager
def nginx_before(ports: Sequence[int], folder: Path) -> Iterator[int]:
    """The port of an nginx with our configuration before two processes of the service."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    process = subprocess.Popen(
        [nginx(), "-p", str(folder), "-c", str(nginx_configuration(ports, port, folder)), "-g", "daemon off;"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield port
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait(_SECONDS)


def nginx_configuration(ports: Sequence[int], port: int, folder: Path) -> Path:
    """Our configuration with other addresses and files; the rest is as it is deployed."""
    text = NGINX.read_text(encoding="utf-8")
    own = {
        "reply-1:8000": f"127.0.0.1:{ports[0]}",
        "reply-2:8000": f"127.0.0.1:{ports[-1]}",
        "listen 8080": f"listen 127.0.0.1:{port}",
        "/tmp/": f"{folder}/",  # noqa: S108  nginx's own folder there
        "/dev/stdout": f"{folder}/access.log",
        "/dev/stderr": f"{folder}/error.log",
        "worker_processes auto": "worker_processes 1",
        "rate=50r/s": "rate=100000r/s",
    }
    for ours, other in own.items():
        if ours not in text:
            raise ValueError(f"{NGINX.name} has no {ours}")
        text = text.replace(ours, other)
    path = folder / "nginx.conf"
    path.write_text(text, encoding="utf-8")
    return path


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(_SECONDS * 20):
        if process.poll() is not None:
            raise RuntimeError(f"nginx ended with {process.returncode}; see its error.log")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=_SECONDS):
                return
        except HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("nginx does not answer")
