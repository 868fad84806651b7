"""An assessor without a browser: HTTP over one connection, an outbox that keeps what was not acknowledged."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

_PATIENCE = 20.0
_PAUSE = 0.05


@dataclass
class Reply:
    """The status, headers and body of an answer; status 0 if none came."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:  # Any: JSON values
        """The body as JSON."""
        return json.loads(self.body)


class AssessorClient:
    """One person: signs in, asks for work, votes; a vote is sent again with its key until it is acknowledged."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.cookie = ""
        self.pressed: dict[str, tuple[str, int]] = {}
        self.acknowledged: dict[str, int] = {}
        self.retried: set[str] = set()
        self.seconds: list[float] = []
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def request(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """The answer to a request; the connection is made again when it is lost."""
        try:
            async with asyncio.timeout(_PATIENCE):
                return await self._exchanged(method, path, body, headers)
        except (OSError, EOFError, TimeoutError, ValueError):
            self.close()
            return Reply(0)

    async def _exchanged(self, method: str, path: str, body: object, headers: dict[str, str]) -> Reply:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        data = b"" if body is None else json.dumps(body).encode()
        lines = {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            "Cookie": self.cookie,
            **headers,
        }
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._writer.write(head.encode() + b"\r\n" + data)
        await self._writer.drain()
        return await self._read()

    async def _read(self) -> Reply:
        assert self._reader is not None  # noqa: S101  connected above
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await self._reader.readexactly(int(headers.get("content-length", 0)))
        return Reply(int(first.split()[1]), headers, body)

    def close(self) -> None:
        """Close the connection; the next request makes a new one."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def sign_in(self) -> None:
        """Exchange the token for a session, however long it takes."""
        reply = await self.request("POST", "/session", {"token": self.token})
        while reply.status != 204:
            await asyncio.sleep(_PAUSE)
            reply = await self.request("POST", "/session", {"token": self.token})
        self.cookie = reply.headers["set-cookie"].split(";")[0]

    async def vote_until(self, end: float, *, pause: float = 0.0, at_once: int = 1) -> None:
        """Vote on what the server gives until a time; what was pressed is sent to the end."""
        while time.monotonic() < end:
            reply = await self.request("GET", "/work")
            if reply.status != 200:
                await asyncio.sleep(_PAUSE)
                continue
            waiting = [one for one in reply.json()["items"] if one["vote"] is None]
            if not waiting:
                return
            for start in range(0, len(waiting), at_once):
                await self._press(waiting[start : start + at_once])
                if time.monotonic() >= end:
                    return
                await asyncio.sleep(pause)

    async def _press(self, items: list[dict[str, Any]]) -> None:  # Any: JSON values
        votes = [self._vote(one) for one in items]
        began = time.perf_counter()
        while (reply := await self.request("POST", "/votes", {"votes": votes})).status != 200:
            if reply.status in {404, 409, 422}:
                raise RuntimeError(f"refused: {reply.body.decode()}")
            self.retried.update(vote["key"] for vote in votes)
            await asyncio.sleep(_PAUSE)
        self.seconds.append(time.perf_counter() - began)
        self.acknowledged.update({one["key"]: one["seq"] for one in reply.json()["saved"]})

    def _vote(self, item: dict[str, Any]) -> dict[str, Any]:  # Any: JSON values
        key, level = secrets.token_hex(16), secrets.randbelow(3)
        self.pressed[key] = item["item"], level
        failed = {0: ["topic"], 1: ["context"], 2: []}[level]
        return {
            **{name: item[name] for name in ("item", "shown", "lease", "position", "lang")},
            "key": key,
            "level": level,
            "failed": failed,
            "view": "list",
            "seen_ms": 1500,
            "client_time": "2026-11-17T00:00:00.000Z",
        }
