"""What our servers do with every request and answer: bounded headers and bodies, refusals, headers of ours."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

MOST_BODY = 256 * 1024
MOST_HEADERS = 16 * 1024
BODY_SECONDS = 10.0
_CLOSING = {408, 413, 429}
"""Refusals after which the connection is closed: a part of the request may not have been read."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


class Refusal(Exception):  # noqa: N818  not an error of ours
    """A request that no route sees: the status, and the reason for the client."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Answer:
    """The answer with our headers, its status (0 before it is started) and the bytes of its body."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = self.size = 0

    async def send(self, message: Message) -> None:
        """Send a part of the answer, the first with our headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = message["headers"]
            cached = [] if any(name == b"cache-control" for name, _ in given) else [(b"cache-control", b"no-store")]
            message = {**message, "headers": [*given, *HEADERS, *cached]}
        self.size += len(message.get("body", b""))
        await self._send(message)

    async def refuse(self, status: int, why: str) -> None:
        """Send the reason of a refusal, unless an answer has been started."""
        if self.status:
            return
        body = json.dumps({"error": why}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status in _CLOSING:
            headers.append((b"connection", b"close"))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def headers_of(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name; one that must be unique and is not is a refusal."""
    found: dict[bytes, bytes] = {}
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
        raise Refusal(431, "the headers are too large")
    for name, value in scope["headers"]:
        if name in found and name in {b"host", b"origin", b"content-type", b"content-length", b"sec-fetch-site"}:
            raise Refusal(400, "a header is there twice")
        found[name] = found[name] + b"; " + value if name in found else value
    return found


async def whole_body(receive: Receive, headers: dict[bytes, bytes], *, most: int = MOST_BODY) -> bytes:
    """The body, bounded in size (``most`` bytes) and time."""
    declared = headers.get(b"content-length", b"0")
    if not declared.isdigit() or int(declared[:12]) > most:
        raise Refusal(413, "the request is too large")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refusal(400, "the request is incomplete")
                body += message.get("body", b"")
                if len(body) > most:
                    raise Refusal(413, "the request is too large")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise Refusal(408, "the request is too slow") from None


def given(body: bytes, receive: Receive) -> Receive:
    """The body as one message, then what the client does next."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def message() -> Message:
        return waiting.pop() if waiting else await receive()

    return message


def route_of(scope: Scope) -> str:
    """The route of a request without what a client wrote into its address."""
    return str(getattr(scope.get("route"), "path", "a request"))
