"""What every request passes: the Host, the rate, the origin, the size and time of its body; and headers of answers."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections import Counter, OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.web.http import Answer, Refusal, given, headers_of, route_of, whole_body

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from kaiwa.web.site import Site


# How many requests a client may make: a bucket that fills again with time, and a number of requests at once.


_MOST_CLIENTS = 10_000


@dataclass(frozen=True)
class Limit:
    """At most ``burst`` requests in a row, ``per_second`` on average, and ``at_once`` without an answer yet."""

    burst: float
    per_second: float
    at_once: int = 50


SIGN_IN = Limit(burst=60, per_second=1)
"""Of one address; a room of assessors shares one."""
STRANGER = Limit(burst=200, per_second=20)
PERSON = Limit(burst=300, per_second=50, at_once=20)
"""A person gives about one vote in two seconds; a browser that comes back sends many at once."""


@dataclass
class RateLimits:
    """The buckets of the clients that came lately, and their requests without an answer."""

    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _running: Counter[str] = field(default_factory=Counter)

    def allows(self, client: str, limit: Limit, now: float) -> bool:
        """Whether the client may make a request now; it is counted.

        >>> limits = RateLimits()
        >>> [limits.allows("a", Limit(2, 1), now) for now in (0.0, 0.0, 0.0, 1.0)]
        [True, True, False, True]
        """
        left, since = self._buckets.pop(client, (limit.burst, now))
        left = min(limit.burst, left + (now - since) * limit.per_second)
        allowed = left >= 1
        self._buckets[client] = (left - 1 if allowed else left), now
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed

    def begins(self, client: str, limit: Limit) -> bool:
        """Whether the client may have one more request in progress; ``ends`` must follow if so.

        >>> limits = RateLimits()
        >>> [limits.begins("a", Limit(9, 9, at_once=2)) for _ in range(3)]
        [True, True, False]
        """
        if self._running[client] >= limit.at_once:
            return False
        self._running[client] += 1
        return True

    def ends(self, client: str) -> None:
        """Count a request no longer: it has its answer."""
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]


# The cookie of a session: an opaque id, which scripts and other sites do not see.


COOKIE = "kaiwa"


def session_in(headers: Mapping[bytes, bytes]) -> str:
    """The session that a request names; empty if none.

    >>> session_in({b"cookie": b"lang=ja; kaiwa=abc"})
    'abc'
    """
    for part in headers.get(b"cookie", b"").split(b";"):
        name, _, value = part.strip().partition(b"=")
        if name.decode("latin-1") == COOKIE:
            return value.decode("latin-1")
    return ""


def set_session(answer: Response, secret: str, *, is_secure: bool) -> None:
    """Give the browser its session."""
    answer.set_cookie(COOKIE, secret, path="/", httponly=True, samesite="strict", secure=is_secure)


def clear_session(answer: Response, *, is_secure: bool) -> None:
    """Take the session from the browser."""
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=is_secure)


_REFUSAL_PAUSE = 0.3
_TOO_MANY = "too many requests; wait a moment"
_SAFE = {"GET", "HEAD"}
_METHODS = {"GET", "HEAD", "POST", "DELETE"}
log = logging.getLogger("kaiwa.web")


class Guard:
    """The application with what every request must pass around it."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app, self._site = app, site
        self._limits = RateLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before any route sees it."""
        if scope["type"] != "http":
            return
        answer = Answer(send)
        try:
            headers = headers_of(scope)
            self._check_address(scope, headers)
            with self._counted(scope, headers) as is_allowed:
                await (self._answer(scope, headers, receive, answer) if is_allowed else _refused_later())
        except Refusal as refusal:
            await answer.refuse(refusal.status, refusal.why)
        except Exception as fault:  # noqa: BLE001  the outermost line of a request
            place = traceback.extract_tb(fault.__traceback__)[-1]
            where = f"{place.name}, line {place.lineno}"  # without values: they may be notes or tokens
            log.error("%s %s: %s in %s", scope["method"], route_of(scope), type(fault).__name__, where)  # noqa: TRY400
            await answer.refuse(500, "something went wrong here; try again")

    def _check_address(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._site.hosts:
            raise Refusal(400, "this server is not known under that name")
        if scope["method"] not in _METHODS:
            raise Refusal(405, "this method is not known here")

    @contextmanager
    def _counted(self, scope: Scope, headers: dict[bytes, bytes]) -> Iterator[bool]:
        """The block of a request that counts against its client; whether the client may make it now.

        Nothing of the request but its headers is read before. A client with too many unanswered requests is refused at
        once, so that it cannot hold the places of others.
        """
        person = self._site.store.access.session_of(session_in(headers))
        scope["kaiwa.person"] = person
        signs_in = scope["path"] == "/session" and scope["method"] == "POST"
        limit = SIGN_IN if signs_in else PERSON if person else STRANGER
        who = person.code if person else f"address {_address(scope, headers, self._site)}"
        client = f"{who} {signs_in}"
        if not self._limits.begins(client, limit):
            raise Refusal(429, _TOO_MANY)
        try:
            yield self._limits.allows(client, limit, time.monotonic())
        finally:
            self._limits.ends(client)

    async def _answer(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, answer: Answer) -> None:
        body = b""
        if scope["method"] not in _SAFE:
            self._check_origin(headers, has_body=scope["method"] == "POST")
            body = await whole_body(receive, headers)
        await self._app(scope, given(body, receive), answer.send)

    def _check_origin(self, headers: dict[bytes, bytes], *, has_body: bool) -> None:
        site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
        if site not in {None, b"same-origin"} or (site is None and origin is None):
            raise Refusal(403, "this request does not come from our page")
        if origin is not None and origin.decode("latin-1").lower() not in self._site.origins:
            raise Refusal(403, "this request does not come from our page")
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if has_body and kind != b"application/json":
            raise Refusal(403, "the body of a request is JSON here")


async def _refused_later() -> None:
    """Refuse after a moment: a client that asks again and again waits most of the time."""
    await asyncio.sleep(_REFUSAL_PAUSE)
    raise Refusal(429, _TOO_MANY)


def _address(scope: Scope, headers: dict[bytes, bytes], site: Site) -> str:
    """The address of the client; behind a proxy that was declared, the last that the proxy names."""
    if site.behind_proxy and (named := headers.get(b"x-forwarded-for")):
        return named.decode("latin-1").rsplit(",", 1)[-1].strip()
    return str((scope.get("client") or ("",))[0])
