"""What our servers do with every request and answer: bounded headers and bodies, refusals, headers of ours."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from kaiwa.nouns.criteria import writable
from kaiwa.nouns.votes import NA
from kaiwa.store.records import Ballot, Refused

if TYPE_CHECKING:
    from starlette.requests import Request
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


# What clients send, checked: votes, tokens, names; anything else is refused with one sentence.


MOST_VOTES = 50
_KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")
_HEX = re.compile(r"[0-9a-f]{1,64}")
_TEXTS = {"note": 4000, "view": 10, "lang": 10, "client_time": 40}
_NUMBERS = {"position": 100_000, "seen_ms": 10**12}
_FLAGS = ("unsure", "flag", "skip")
_FIELDS = {"key", "item", "shown", "lease", "failed", "level", "undo_of", *_TEXTS, *_NUMBERS, *_FLAGS}
_MOST_CRITERIA = 20
_LONGEST_CRITERION = 100


async def json_body(request: Request) -> dict[str, Any]:  # Any: JSON values
    """The body of a request, which is a JSON object."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "the body is not a JSON object")
    return body


def text_in(body: dict[str, Any], name: str, *, longest: int = 200) -> str:  # Any: JSON values
    """A text of the body."""
    value = body.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise HTTPException(400, f"{name} is missing or is not a short text")
    return writable(value)


def ballots_in(body: dict[str, Any]) -> tuple[Ballot, ...]:  # Any: JSON values
    """The votes of a request."""
    votes = body.get("votes")
    if not isinstance(votes, list) or not 0 < len(votes) <= MOST_VOTES:
        raise HTTPException(400, f"votes is not a list of 1 to {MOST_VOTES}")
    return tuple(_ballot(one) for one in votes)


def level_in(value: object, key: str) -> int | None:
    """A level: a number, NA, or none."""
    if value == "NA":
        return NA
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9):  # noqa: PLR2004
        return value
    raise Refused(key, 'level is not a number, "NA" or null', 422)


def _ballot(vote: object) -> Ballot:
    if not isinstance(vote, dict):
        raise HTTPException(400, "a vote is not a JSON object")
    key = vote.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise HTTPException(400, "key is not 8 to 64 letters and digits")
    if unknown := set(vote) - _FIELDS:
        raise Refused(key, f"unknown field {min(unknown)[:40]!r}", 422)
    return Ballot(
        key=key,
        level=level_in(vote.get("level"), key),
        failed=_failed(vote.get("failed", []), key),
        undo_of=_matching(vote, "undo_of", key, _KEY, optional=True),
        item=_matching(vote, "item", key, _HEX),
        shown=_matching(vote, "shown", key, _HEX),
        lease=_matching(vote, "lease", key, _HEX, optional=True),
        note=_text(vote, "note", key),
        view=_text(vote, "view", key),
        lang=_text(vote, "lang", key),
        client_time=_text(vote, "client_time", key),
        position=_number(vote, "position", key),
        seen_ms=_number(vote, "seen_ms", key),
        unsure=_flag(vote, "unsure", key),
        flag=_flag(vote, "flag", key),
        skip=_flag(vote, "skip", key),
    )


def _failed(value: object, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > _MOST_CRITERIA:
        raise Refused(key, "failed is not a list of criteria", 422)
    if not all(isinstance(one, str) and 0 < len(one) <= _LONGEST_CRITERION for one in value):
        raise Refused(key, "failed is not a list of criteria", 422)
    return tuple(value)


def _matching(vote: dict[str, Any], name: str, key: str, form: re.Pattern[str], *, optional: bool = False) -> str:
    value = vote.get(name)
    if optional and (value is None or value == ""):
        return ""
    if not isinstance(value, str) or not form.fullmatch(value):
        raise Refused(key, f"{name} is missing or malformed", 422)
    return value


def _text(vote: dict[str, Any], name: str, key: str) -> str:  # Any: JSON values
    value, longest = vote.get(name) or "", _TEXTS[name]
    if not isinstance(value, str) or len(value) > longest:
        raise Refused(key, f"{name} is not a text of at most {longest} characters", 422)
    return writable(value)


def _number(vote: dict[str, Any], name: str, key: str) -> int:  # Any: JSON values
    value = vote.get(name) or 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _NUMBERS[name]:
        raise Refused(key, f"{name} is not a whole number from 0", 422)
    return value


def _flag(vote: dict[str, Any], name: str, key: str) -> bool:  # Any: JSON values
    value = vote.get(name) or False
    if not isinstance(value, bool):
        raise Refused(key, f"{name} is not true or false", 422)
    return value
