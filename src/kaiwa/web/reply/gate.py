"""What every request of the answering service passes: Host, origin, size and time of its body; counted and logged."""

from __future__ import annotations

import logging
import time
import traceback
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kaiwa.web.address import is_loopback
from kaiwa.web.http_messages import Answer, Refusal, given, headers_of, whole_body
from kaiwa.web.reply.limits import MOST_BODY

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from kaiwa.web.address import Address
    from kaiwa.web.reply.metrics import Metrics

_CLOSED_BY_CLIENT = 499
"""As nginx logs a client that left before its answer."""
log = logging.getLogger("kaiwa.reply")


@dataclass(frozen=True)
class Names:
    """The names under which a server may be asked.

    An IP address always is one: the page of another site can get a name that leads here, but not an address.
    """

    names: frozenset[str]
    url: str = ""

    def has(self, host: str) -> bool:
        """Whether a Host header is one of ours.

        >>> names = Names(frozenset({"localhost"}))
        >>> names.has("localhost:8000"), names.has("10.1.2.3:8000"), names.has("[::1]"), names.has("evil.example")
        (True, True, True, False)
        """
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self.names or _is_address(name)

    def may_come_from(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is our own."""
        return origin.partition("://")[2] == host or (bool(self.url) and origin == self.url)


def names_of(address: Address) -> Names:
    """The names of a server at this address: its host, that of its proxy, and those of this machine."""
    url = urlsplit(address.url)
    local = {"localhost"} if is_loopback(address.host) else set()
    names = {address.host.lower(), (url.hostname or "").lower(), *local} - {""}
    return Names(frozenset(names), f"{url.scheme}://{url.netloc}".lower() if address.url else "")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Gate:
    """The application with what every request must pass around it."""

    def __init__(self, app: ASGIApp, names: Names, metrics: Metrics) -> None:
        self._app, self._names, self._metrics = app, names, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before any route sees it."""
        if scope["type"] != "http":
            return
        answer, began = Answer(send), time.perf_counter()
        try:
            with self._metrics.in_flight.track_inprogress():
                await self._answer(scope, receive, answer)
        finally:
            self._record(scope, answer, time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        try:
            headers = headers_of(scope)
            self._check(scope, headers)
            body = await whole_body(receive, headers, most=MOST_BODY) if scope["method"] == "POST" else b""
            await self._app(scope, given(body, receive), answer.send)
        except Refusal as refusal:
            await answer.refuse(refusal.status, refusal.why)
        except Exception as fault:  # noqa: BLE001  the outermost line of a request
            place = traceback.extract_tb(fault.__traceback__)[-1]
            where = f"{place.name}, line {place.lineno}"  # without values: they may be posts
            log.error("%s in %s", type(fault).__name__, where)  # noqa: TRY400
            await answer.refuse(500, "something went wrong here; try again")

    def _check(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._names.has(host):
            raise Refusal(400, "this server is not known under that name")
        site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
        is_ours = origin is None or self._names.may_come_from(origin.decode("latin-1").lower(), host)
        if site in {b"cross-site", b"same-site"} or not is_ours:
            raise Refusal(403, "this request comes from the page of another site")
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if scope["method"] == "POST" and kind != b"application/json":
            raise Refusal(415, "send JSON, with Content-Type: application/json")

    def _record(self, scope: Scope, answer: Answer, seconds: float) -> None:
        route = str(getattr(scope.get("route"), "path", "other"))  # without what a client wrote into its address
        status = answer.status or _CLOSED_BY_CLIENT
        self._metrics.answered(route, status, seconds)
        fields = {"method": scope["method"] if route != "other" else "other", "route": route, "status": status}
        fields |= {"ms": round(1000 * seconds, 3), "bytes": answer.size}
        log.info("request", extra={"request": fields})
