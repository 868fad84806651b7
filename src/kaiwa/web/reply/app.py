"""The answering service: one endpoint that answers posts, and three for those who run it."""

from __future__ import annotations

import json
import logging
import time
import traceback
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kaiwa.errors import UnknownName
from kaiwa.web.address import is_loopback
from kaiwa.web.http import Answer, Refusal, given, headers_of, whole_body

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from kaiwa.web.address import Address
    from kaiwa.web.reply.serving import Answerer, Metrics


# What one process of the answering service takes: sizes, numbers and times.


MOST_BODY = 64 * 1024
LONGEST_POST = 2000
"""Characters; a post of this length takes some ten times the CPU time of a usual one."""
LONGEST_NAME = 100


@dataclass(frozen=True)
class Limits:
    """The most comments of an answer, the most requests that wait for one, and the seconds that they may wait."""

    most_k: int = 100
    waiting: int = 64
    seconds: float = 10.0


# What every request of the answering service passes: Host, origin, size and time of its body; counted and logged.


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


# What a client asks, checked: a post, the number of comments, the system, with or without reasons.


_FIELDS = ("post", "k", "system", "explain")
_USUAL_K = 10
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Question:
    """A post to answer; without a system the server's default one answers."""

    post: str
    k: int
    system: str | None
    explain: bool


def question_in_body(body: bytes, limits: Limits) -> Question:
    """The question of a JSON object.

    >>> from kaiwa.web.reply.app import Limits
    >>> question_in_body(b'{"post": "The first day in Hawaii", "k": 5}', Limits())
    Question(post='The first day in Hawaii', k=5, system=None, explain=False)
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, 'the body is not JSON; send {"post": "..."}') from None
    if not isinstance(given, dict):
        raise HTTPException(400, 'the body is not a JSON object; send {"post": "..."}')
    return _checked(given, limits)


def question_in_query(given: Mapping[str, str], limits: Limits) -> Question:
    """The question of the parameters of an address.

    >>> from kaiwa.web.reply.app import Limits
    >>> question_in_query({"post": "Hawaii", "explain": "true"}, Limits())
    Question(post='Hawaii', k=10, system=None, explain=True)
    """
    values: dict[str, Any] = dict(given)  # Any: as of JSON
    if "k" in values and values["k"].isascii() and values["k"].isdigit() and len(values["k"]) <= LONGEST_NAME:
        values["k"] = int(values["k"])
    values["explain"] = _FLAGS.get(values.get("explain", "false"), values.get("explain"))
    return _checked(values, limits)


def _checked(given: dict[str, Any], limits: Limits) -> Question:  # Any: JSON values
    for name in given:
        if name not in _FIELDS:
            raise _refused(f"{UnknownName.among('field', name[:LONGEST_NAME], _FIELDS)}")
    post, k = given.get("post"), given.get("k", _USUAL_K)
    system, explain = given.get("system"), given.get("explain", False)
    if not isinstance(post, str) or not post.strip():
        raise _refused("post is missing or empty; give the text to answer")
    if len(post) > LONGEST_POST:
        raise _refused(f"post has {len(post):,} characters; give at most {LONGEST_POST:,}")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= limits.most_k:
        raise _refused(f"k is not a whole number from 1 to {limits.most_k:,}")
    if system is not None and not (isinstance(system, str) and 0 < len(system) <= LONGEST_NAME):
        raise _refused("system is not the name of a system")
    if not isinstance(explain, bool):
        raise _refused("explain is not true or false")
    return Question(post, k, system, explain)


def _refused(why: str) -> HTTPException:
    return HTTPException(422, why)


def make_app(answerer: Answerer, limits: Limits, metrics: Metrics, names: Names) -> ASGIApp:
    """The application: ``/reply``, ``/healthz``, ``/readyz`` and ``/metrics``."""

    async def reply(request: Request) -> Response:
        if request.method == "POST":
            question = question_in_body(await request.body(), limits)
        else:
            question = question_in_query(request.query_params, limits)
        return Response(await answerer.answer(question), media_type="application/json")

    async def health(_: Request) -> Response:
        return JSONResponse({"healthy": True})

    async def ready(_: Request) -> Response:
        return JSONResponse({"ready": True, "index": answerer.opened().bot.index.identity})

    async def numbers(request: Request) -> Response:
        content, kind = metrics.text(request.headers.get("accept", ""))
        return Response(content, media_type=kind)

    routes = [
        Route("/reply", reply, methods=["GET", "POST"]),
        Route("/healthz", health),
        Route("/readyz", ready),
        Route("/metrics", numbers),
    ]
    handlers: dict[Any, Any] = {HTTPException: _http_error}  # Any: starlette's own types
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return Gate(app, names, metrics)


async def _http_error(_: Request, fault: HTTPException) -> Response:
    return JSONResponse({"error": fault.detail}, fault.status_code, headers=fault.headers)
