"""The application: one table of routes, with who may use each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route

from kaiwa.errors import KaiwaError
from kaiwa.store.records import Refused, StoreUnavailable
from kaiwa.web import assessor, lead
from kaiwa.web.guard import Guard
from kaiwa.web.pages import chosen_language, message_page, words_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from kaiwa.web.site import Site

    Handler = Callable[..., Awaitable[Response]]


EVERYBODY = frozenset({"stranger", "assessor", "lead", "organiser"})
INVITED = frozenset({"assessor", "lead", "organiser"})
ASSESSOR = frozenset({"assessor"})
LEADS = frozenset({"lead", "organiser"})


@dataclass(frozen=True)
class Rule:
    """A route: its method and path, the roles that may use it, and whether it answers with a page."""

    method: str
    path: str
    roles: frozenset[str]
    handler: Handler
    is_page: bool = False


RULES = (
    Rule("GET", "/healthz", EVERYBODY, assessor.health),
    Rule("GET", "/static/{version}/{name}", EVERYBODY, assessor.static_file),
    Rule("GET", "/in", EVERYBODY, assessor.sign_in, is_page=True),
    Rule("POST", "/session", EVERYBODY, assessor.start_session),
    Rule("DELETE", "/session", EVERYBODY, assessor.end_session),
    Rule("GET", "/", INVITED, assessor.home, is_page=True),
    Rule("GET", "/state", ASSESSOR, assessor.state),
    Rule("GET", "/work", ASSESSOR, assessor.work),
    Rule("POST", "/votes", ASSESSOR, assessor.store_votes),
    Rule("GET", "/votes/mine", ASSESSOR, assessor.own_votes),
    Rule("GET", "/guidelines", INVITED, assessor.guidelines),
    Rule("GET", "/lead", LEADS, lead.lead, is_page=True),
    Rule("GET", "/lead/data", LEADS, lead.lead_numbers),
    Rule("POST", "/lead/adjudicate", LEADS, lead.adjudicate),
    Rule("POST", "/lead/people", LEADS, lead.invite),
    Rule("POST", "/lead/people/{name:path}", LEADS, lead.change_person),
    Rule("GET", "/lead/export/{name}", LEADS, lead.export),
)
"""Every route; a later page is a row here and a module of its own."""


_SENTENCES = {401: "errors.forbidden", 403: "errors.forbidden", 404: "errors.not_found", 405: "errors.not_found"}


def make_app(site: Site) -> ASGIApp:
    """The application of a served task."""
    handlers: dict[Any, Any] = {  # Any: starlette's own types
        HTTPException: _http_error,
        Refused: _refused,
        StoreUnavailable: _unavailable,
        KaiwaError: _bad_input,
    }
    routes = [Route(rule.path, _endpoint(rule, site), methods=[rule.method]) for rule in RULES]
    return Guard(Starlette(routes=routes, exception_handlers=handlers), site)


def _endpoint(rule: Rule, site: Site) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        person = request.scope["kaiwa.person"]
        if "stranger" in rule.roles:
            return await rule.handler(request, site)
        if person is None:
            if rule.is_page:
                return RedirectResponse("/in", 303)
            raise HTTPException(401, "open your private link again")
        if person.role not in rule.roles:
            raise HTTPException(403, "this is not for you")
        return await rule.handler(request, site, person)

    return endpoint


async def _http_error(request: Request, fault: HTTPException) -> Response:
    """A page for somebody who typed an address, JSON for a script."""
    if request.headers.get("sec-fetch-mode") == "navigate":
        query, cookie = request.query_params.get("lang"), request.cookies.get("lang")
        words = words_of(chosen_language(query, cookie, request.headers.get("accept-language", ""), "en"))
        said = _SENTENCES.get(fault.status_code, "errors.server")
        return HTMLResponse(message_page(words, said), fault.status_code, headers=fault.headers)
    return JSONResponse({"error": fault.detail}, fault.status_code, headers=fault.headers)


async def _refused(_: Request, fault: Refused) -> Response:
    return JSONResponse({"error": str(fault), "key": fault.key}, fault.status)


async def _unavailable(_: Request, fault: StoreUnavailable) -> Response:  # noqa: ARG001  the cause is in the log
    return JSONResponse({"error": "your vote is not stored yet; the page tries again"}, 503)


async def _bad_input(_: Request, fault: KaiwaError) -> Response:
    return JSONResponse({"error": str(fault)}, 422)
