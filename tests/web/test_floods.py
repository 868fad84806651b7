"""One client that asks too much, too slowly or not at all takes nobody's place; the times are in benchmarks/results."""

from __future__ import annotations

import asyncio
import select
import socket
from dataclasses import dataclass, field
from http.client import HTTPResponse
from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.page_client import Client, Served, started
from benchmarks.serve.server_process import in_own_thread

from kaiwa.web.guard import PERSON, SIGN_IN
from kaiwa.web.http import BODY_SECONDS
from kaiwa.web.server import MOST_WAITING, WaitingConnections, bound_socket

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("web_floods")


@pytest.fixture
def flooded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of its own, whose people have not asked for anything yet."""
    made = started(tmp_path_factory.mktemp("flooded") / "task")
    yield made
    assert made.process.end() == 0


def head_of(client: Client, path: str = "/votes", *, length: int = 5000) -> bytes:
    """The head of a request whose body does not follow."""
    own = f"127.0.0.1:{client.port}"
    return (
        f"POST {path} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nCookie: {client.cookie}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def opened(port: int, data: bytes = b"") -> socket.socket:
    """A connection that has sent this."""
    made = socket.create_connection(("127.0.0.1", port), timeout=600)
    made.sendall(data)
    return made


def status_of(connection: socket.socket) -> int:
    """The status of the next answer; 0 if the connection was closed without one."""
    answer = HTTPResponse(connection)
    try:
        answer.begin()
        answer.read()
    except ConnectionError:
        return 0
    return answer.status


def flood(client: Client, *, path: str, requests: int) -> list[int]:
    """The statuses of many requests on one connection, sent without waiting for answers until the server closes it."""
    own = f"127.0.0.1:{client.port}"
    one = f"GET {path} HTTP/1.1\r\nHost: {own}\r\nCookie: {client.cookie}\r\n\r\n".encode()
    with opened(client.port) as connection:
        try:
            connection.sendall(one * requests)
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        except ConnectionError:
            received = b"HTTP/1.1 429 "
    return [int(part[:3]) for part in received.split(b"HTTP/1.1 ")[1:]]


def test_a_flood_is_refused_before_its_body_is_read_and_others_vote_on(flooded: Served) -> None:
    """By a person, and by a stranger who invents addresses; a refusal needs nothing but the head of the request."""
    ann, bob, stranger = flooded.client("Ann"), flooded.client("Bob"), flooded.client()
    assert flood(ann, path="/state", requests=int(PERSON.burst) + 100)[-1] == 429
    assert [bob.vote(one).status for one in bob.work()] == [200] * 10
    invented = (f"10.0.0.{place}" for place in range(250))
    assert 429 in (stranger.request("POST", "/session", {"token": "x"}, X_Forwarded_For=one).status for one in invented)
    heads = [opened(stranger.port, head_of(stranger, "/session")) for _ in range(SIGN_IN.at_once - 1)]
    answered, _, _ = select.select(heads, [], [], 60)
    assert status_of(answered[0]) == 429, "the first answer comes although no body was sent"
    assert answered[0].recv(10) == b"", "and the connection is closed"
    assert [bob.vote(one).status for one in bob.work()][:2] == [200] * 2
    for one in heads:
        one.close()


def test_slow_bodies_are_cut_and_refused_beyond_a_few_while_others_vote(flooded: Served) -> None:
    """A person has some requests in progress; what is more is refused at once, and what is slow after a deadline."""
    ann, bob = flooded.client("Ann"), flooded.client("Bob")
    slow = [opened(ann.port, head_of(ann) + b'{"votes": [') for _ in range(PERSON.at_once + 15)]
    assert [bob.vote(one).status for one in bob.work()] == [200] * 10
    assert ann.request("GET", "/state").status == 429, f"{PERSON.at_once} requests are in progress"
    statuses = sorted(status_of(one) for one in slow)
    assert statuses == [408] * PERSON.at_once + [429] * 15
    assert ann.request("GET", "/state").status == 200, f"{BODY_SECONDS} seconds later"
    for one in slow:
        one.close()


def test_silent_connections_take_nobodys_place(flooded: Served) -> None:
    """More than the server keeps: the oldest are closed, and an assessor with an older connection votes on it."""
    bob = flooded.client("Bob")
    kept = opened(bob.port, f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{bob.port}\r\n\r\n".encode())
    assert status_of(kept) == 200
    silent = [opened(bob.port) for _ in range(MOST_WAITING + 50)]
    assert [bob.vote(one).status for one in bob.work()] == [200] * 10
    assert [status_of(one) for one in silent[:40]] == [0] * 40
    kept.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{bob.port}\r\n\r\n".encode())
    assert status_of(kept) == 200
    for one in (*silent, kept):
        one.close()


@dataclass(eq=False)
class Noted:
    """A connection that notes whether it was closed."""

    closed: list[Noted] = field(repr=False)

    def close_now(self) -> None:
        """Note it."""
        self.closed.append(self)


def test_the_connection_that_waited_longest_is_closed_first_and_silent_ones_before_others() -> None:
    """A connection with a request in progress does not wait, and is not closed."""
    closed = list[Noted]()
    known, busy, *silent = (Noted(closed) for _ in range(5))
    waiting = WaitingConnections(most=3)
    waiting.add(known, is_silent=False)
    waiting.add(busy, is_silent=True)
    waiting.remove(busy)
    for one in silent:
        waiting.add(one, is_silent=True)
    assert closed == silent[:1]
    waiting.add(busy, is_silent=False)
    assert closed == silent[:2]


def test_an_answer_is_sent_without_waiting_for_the_client() -> None:
    """TCP_NODELAY on every connection: with Nagle's algorithm the second half of an answer waits 40 ms."""

    async def has_no_delay() -> int:
        made = asyncio.get_running_loop().create_future()

        async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            made.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        bound = bound_socket("127.0.0.1", 0)
        async with await asyncio.start_server(connected, sock=bound):
            _, writer = await asyncio.open_connection(*bound.getsockname())
            found = await made
            writer.close()
        return int(found)

    assert in_own_thread(has_no_delay()) == 1
