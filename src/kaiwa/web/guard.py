"""What every request passes: the Host, the rate, the origin, the size and time of its body; and headers of answers."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kaiwa.web.http_messages import Answer, Refusal, given, headers_of, route_of, whole_body
from kaiwa.web.rate_limits import PERSON, SIGN_IN, STRANGER, RateLimits
from kaiwa.web.session_cookie import session_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Receive, Scope, Send

    from kaiwa.web.site import Site

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
