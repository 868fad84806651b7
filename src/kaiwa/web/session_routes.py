"""Coming in and leaving: the private link's token is exchanged for a session."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from kaiwa.web.json_bodies import json_body
from kaiwa.web.languages import chosen_language, words_of
from kaiwa.web.pages import assessor_page, sign_in_page, static_files, static_version
from kaiwa.web.session_cookie import clear_session, session_in, set_session

if TYPE_CHECKING:
    from starlette.requests import Request

    from kaiwa.store.records import Person
    from kaiwa.web.languages import Words
    from kaiwa.web.site import Site

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_LONGEST_TOKEN = 200
_FOREVER = "public, max-age=31536000, immutable"


def words_for(request: Request, site: Site) -> Words:
    """The words of the language that a reader gets."""
    query, cookie = request.query_params.get("lang"), request.cookies.get("lang")
    default = site.judging.task.settings.languages[0]
    return words_of(chosen_language(query, cookie, request.headers.get("accept-language", ""), default))


def html(page: str, words: Words) -> Response:
    """A page; the reader's language is remembered."""
    answer = HTMLResponse(page)
    answer.set_cookie("lang", words.lang, path="/", samesite="strict")
    return answer


async def sign_in(request: Request, site: Site) -> Response:
    """The page that a private link opens."""
    words = words_for(request, site)
    return html(sign_in_page(words), words)


async def start_session(request: Request, site: Site) -> Response:
    """Exchange a token for a session; unknown, revoked and malformed tokens get the same answer."""
    token = (await json_body(request)).get("token")
    access = site.store.access
    person = None
    if isinstance(token, str) and 0 < len(token) <= _LONGEST_TOKEN:
        person = access.person_of(token)
        if person is None:  # invited a moment ago, by another process
            await asyncio.wrap_future(access.refresh())
            person = access.person_of(token)
    if person is None:
        raise HTTPException(403, "this link is not valid; ask the organiser for a new one")
    if before := session_in(dict(request.headers.raw)):
        await asyncio.wrap_future(access.end_session(before))
    secret, written = access.start_session(person)
    await asyncio.wrap_future(written)
    answer = Response(status_code=204)
    set_session(answer, secret, is_secure=site.is_secure)
    return answer


async def end_session(request: Request, site: Site) -> Response:
    """Leave."""
    await asyncio.wrap_future(site.store.access.end_session(session_in(dict(request.headers.raw))))
    answer = Response(status_code=204)
    clear_session(answer, is_secure=site.is_secure)
    return answer


async def home(request: Request, site: Site, person: Person) -> Response:
    """The page of the person: the assessor's, or the way to the lead's."""
    if person.role != "assessor":
        return RedirectResponse("/lead", 303)
    words = words_for(request, site)
    page = assessor_page(words, title=site.judging.task.settings.title, name=person.name)
    return html(page, words)


async def static_file(request: Request, site: Site) -> Response:  # noqa: ARG001  every route's signature
    """A file of the pages; no others are available."""
    name = request.path_params["name"]
    content = static_files().get(name)
    if content is None or request.path_params["version"] != static_version():
        raise HTTPException(404, "there is no such file")
    kind = _TYPES.get(name.rsplit(".", 1)[-1], "application/octet-stream")
    return Response(content, media_type=kind, headers={"cache-control": _FOREVER})


async def health(request: Request, site: Site) -> Response:  # noqa: ARG001  every route's signature
    """Whether the server answers."""
    return JSONResponse({"ok": True})
