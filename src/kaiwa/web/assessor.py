"""What the assessor's page asks for: the state, the next list, votes to store, own votes, guidelines."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from kaiwa.nouns.votes import NA
from kaiwa.store.ballots import Ballots
from kaiwa.web.guard import clear_session, session_in, set_session
from kaiwa.web.http import ballots_in, json_body
from kaiwa.web.pages import (
    assessor_page,
    chosen_language,
    language_of,
    sign_in_page,
    static_files,
    static_version,
    words_of,
)

if TYPE_CHECKING:
    from starlette.requests import Request

    from kaiwa.store.assignment import Place
    from kaiwa.store.records import Ballot, Person, VoteRow
    from kaiwa.web.pages import Words
    from kaiwa.web.site import Site


async def state(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """Who the assessor is, the criteria, and how far the assessor is."""
    settings, progress = site.judging.task.settings, site.store.progress_of(person.code)
    return JSONResponse(
        {
            "name": person.name,
            "task": settings.title,
            "store": sha256(site.store.salt.encode()).hexdigest()[:16],
            "lang": settings.languages[0],
            "languages": list(settings.languages),
            "criteria": site.judging.criteria.fields(),
            "guidelines": list(site.judging.guidelines),
            "done": progress.done,
            "total": progress.total,
            "posts_done": progress.posts_done,
            "posts_total": progress.posts_total,
            "head": site.store.head,
            "count": site.store.state.count,
            "paused": person.state == "paused",
        }
    )


async def work(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """The next comments of one post, or none."""
    is_paused = person.state == "paused"
    places = [] if is_paused else await asyncio.wrap_future(site.store.work_for(person.code))
    progress = site.store.progress_of(person.code)
    counts = {"done": progress.done, "total": progress.total, "paused": is_paused}
    if not places:
        return JSONResponse({"post": None, "items": [], **counts})
    languages = site.judging.task.settings.languages
    item = places[0].item
    post = {
        "topic": item.topic,
        "text": item.post,
        "lang": language_of(item.post, languages),
        "number": min(progress.posts_done + 1, progress.posts_total),
        "of": progress.posts_total,
    }
    return JSONResponse({"post": post, "items": [_shown(one, languages) for one in places], **counts})


def _shown(place: Place, languages: tuple[str, ...]) -> dict[str, Any]:  # Any: JSON values
    return {
        "item": place.item.item,
        "shown": place.item.shown,
        "text": place.item.text,
        "lang": language_of(place.item.text, languages),
        "position": place.lease.position,
        "lease": place.lease.lease,
        "vote": vote_fields(place.vote) if place.vote else None,
        "training": place.lease.kind == "training",
    }


def vote_fields(row: VoteRow) -> dict[str, Any]:  # Any: JSON values
    """A vote as its assessor's page knows it."""
    return {
        "key": row.key,
        "seq": row.seq,
        "item": row.item,
        "shown": row.shown,
        "lease": row.lease,
        "failed": row.failed.split(),
        "level": "NA" if row.level == NA else row.level,
        "unsure": bool(row.unsure),
        "note": row.note,
        "flag": bool(row.flag),
        "time": row.server_time,
    }


async def store_votes(request: Request, site: Site, person: Person) -> Response:
    """Append votes; the answer is sent after they are on the disk."""
    ballots = ballots_in(await json_body(request))
    saved = await asyncio.wrap_future(site.store.submit(Ballots(person.code, ballots)))
    return JSONResponse(
        {
            "saved": [{"key": one.key, "seq": one.seq, "surplus": one.surplus} for one in saved],
            "head": site.store.head,
            "count": site.store.state.count,
            "feedback": _feedback(site, ballots),
        }
    )


def _feedback(site: Site, ballots: tuple[Ballot, ...]) -> dict[str, str]:
    """What training says about an item, after the vote on it."""
    known = ((one, site.store.state.items.get(one.item)) for one in ballots if one.level is not None)
    return {
        ballot.item: item.feedback or f"L{item.answer}".replace("L-1", "NA")
        for ballot, item in known
        if item and item.kind == "training"
    }


async def own_votes(request: Request, site: Site, person: Person) -> Response:
    """The assessor's current votes; with ``?last`` the last one alone, with its post and comment."""
    rows = site.store.votes_of(person.code)
    if "last" not in request.query_params:
        return JSONResponse({"votes": [vote_fields(row) for row in rows]})
    shown = [row for row in rows if row.item in site.store.state.items]
    last = max(shown, key=lambda row: row.seq, default=None)
    return JSONResponse({"votes": [_with_texts(last, site)] if last else []})


def _with_texts(row: VoteRow, site: Site) -> dict[str, Any]:  # Any: JSON values
    item, languages = site.store.state.items[row.item], site.judging.task.settings.languages
    return vote_fields(row) | {
        "post": {"text": item.post, "lang": language_of(item.post, languages)},
        "text": item.text,
        "lang": language_of(item.text, languages),
        "position": row.position,
        "training": item.kind == "training",
    }


async def guidelines(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """The guidelines in a language, or in the first that the task has."""
    texts = site.judging.guidelines
    if not texts:
        raise HTTPException(404, "this task has no guidelines")
    asked = request.query_params.get("lang", "")
    lang = asked if asked in texts else next(iter(texts))
    return JSONResponse({"lang": lang, "text": texts[lang]})


# Coming in and leaving: the private link's token is exchanged for a session.


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
