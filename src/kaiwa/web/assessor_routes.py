"""What the assessor's page asks for: the state, the next list, votes to store, own votes, guidelines."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from kaiwa.model.votes import NA
from kaiwa.store.ballot_batch import Ballots
from kaiwa.web.json_bodies import ballots_in, json_body
from kaiwa.web.text_language import language_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from kaiwa.store.assignment import Place
    from kaiwa.store.records import Ballot, Person, VoteRow
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
    places, written = ([], None) if person.state == "paused" else site.store.work_for(person.code)
    if written:
        await asyncio.wrap_future(written)
    progress = site.store.progress_of(person.code)
    counts = {"done": progress.done, "total": progress.total, "paused": person.state == "paused"}
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
