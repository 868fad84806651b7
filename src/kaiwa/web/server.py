"""The server: one process, one socket, limits on slow clients, and a clean end when it is asked to stop."""

from __future__ import annotations

import contextlib
import resource
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EADDRINUSE
from typing import TYPE_CHECKING, Any, Protocol, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.types import ASGIApp


# Answers that are sent whole: the head and the body of a response in one call of the system.


class JoinedWrites:
    """A transport that sends what is written in one step of the event loop at once; all else is as it was."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keep the data until the step is over."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(data)

    def close(self) -> None:
        """Close when everything is sent."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close now."""
        self._send()
        self._transport.abort()

    def _send(self) -> None:
        parts, self._parts = self._parts, []
        if parts:
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:  # Any: whatever the transport has
        return getattr(self._transport, name)


# Connections that wait for a request: if there are too many, the one that has waited longest is closed.


MOST_WAITING = 500
_MOST_OPEN = 4096
"""Files and connections that the server may have open, as far as the system allows."""


class Connection(Protocol):
    """Something that can be closed at once."""

    def close_now(self) -> None:
        """End the connection without an answer."""


@dataclass
class WaitingConnections:
    """The connections without a request in progress, in the order in which they began to wait.

    Those that never sent a request are closed first: a client that opens many of them takes nobody's place.
    """

    most: int = MOST_WAITING
    _silent: dict[Connection, None] = field(default_factory=dict)
    _known: dict[Connection, None] = field(default_factory=dict)

    def add(self, connection: Connection, *, is_silent: bool) -> None:
        """Count a connection that waits from now on; close the oldest if there are too many."""
        self.remove(connection)
        (self._silent if is_silent else self._known)[connection] = None
        if len(self._silent) + len(self._known) > self.most:
            oldest = next(iter(self._silent or self._known))
            self.remove(oldest)
            oldest.close_now()

    def remove(self, connection: Connection) -> None:
        """Count a connection no longer: it has a request, or is closed."""
        self._silent.pop(connection, None)
        self._known.pop(connection, None)


def raise_open_files() -> None:
    """Let the process have enough connections open, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_OPEN if hard == resource.RLIM_INFINITY else min(_MOST_OPEN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


HEADER_SECONDS = 10.0
_MOST_HEADERS = 16 * 1024
_MOST_CONNECTIONS = 1000
_GRACE = 10


class _PatientProtocol(H11Protocol):
    """A connection that is closed if a request does not arrive in time, or if too many wait for one."""

    waiting: WaitingConnections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", JoinedWrites(transport, self.loop)))  # it has the rest too
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._end_if_silent)
        self.waiting.add(self, is_silent=True)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not getattr(self.cycle, "response_complete", True):  # there is none before the first request
            self.waiting.remove(self)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self.waiting.add(self, is_silent=False)

    def _end_if_silent(self) -> None:
        if not self.headers:
            self.transport.abort()

    def close_now(self) -> None:
        """End the connection without an answer."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        self.waiting.remove(self)
        super().connection_lost(exc)


def _protocol(waiting: WaitingConnections) -> type[_PatientProtocol]:
    """The connections of one server, which are counted together."""
    return type("Connection", (_PatientProtocol,), {"waiting": waiting})


class _Server(uvicorn.Server):
    """A server that ends without raising the signal again: everything acknowledged is on the disk."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None], is_over: Callable[[], bool]) -> None:
        super().__init__(config)
        self._tell_started, self._is_over = started, is_over

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell_started()

    async def on_tick(self, counter: int) -> bool:
        return self._is_over() or await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket on a free port; a port in use is one line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sets TCP_NODELAY if it is named
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as fault:
        made.close()
        why = "is in use" if fault.errno == EADDRINUSE else f"cannot be used ({fault.strerror})"
        fix = (
            f"give another {option('port')}, or 0 for any"
            if fault.errno == EADDRINUSE
            else "check the name and its rights"
        )
        raise InputError.at(f"{host}:{port}", why, fix) from None
    return made


def run_server(
    app: ASGIApp,
    bound: socket.socket,
    *,
    started: Callable[[], None],
    certificate: Path | None,
    key: Path | None,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until SIGTERM, Ctrl-C or ``is_over()``; ``started`` is called when requests are answered."""
    raise_open_files()
    config = uvicorn.Config(
        app,
        http=_protocol(WaitingConnections()),
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        limit_concurrency=_MOST_CONNECTIONS,
        h11_max_incomplete_event_size=_MOST_HEADERS,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    _Server(config, started, is_over).run(sockets=[bound])
