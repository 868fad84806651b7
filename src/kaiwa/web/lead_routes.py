"""What the lead's page asks for: the numbers of the round, people, adjudication, exports."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from kaiwa.store.ballot_batch import Ballots
from kaiwa.store.people_changes import STATES
from kaiwa.store.records import Ballot
from kaiwa.web.json_bodies import json_body, level_in, text_in
from kaiwa.web.session_routes import html, words_for

if TYPE_CHECKING:
    from starlette.requests import Request

    from kaiwa.store.records import Person
    from kaiwa.web.site import Site

_LONGEST_NOTE = 4000


async def lead(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """The lead's page."""
    from kaiwa.web.lead_page import lead_page

    words = words_for(request, site)
    return html(lead_page(words, await _numbers(site)), words)


async def lead_numbers(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """The numbers of the round; 304 if nothing has changed since the page asked last."""
    mark = f'"{site.numbers.mark}"'
    if request.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers={"etag": mark, "cache-control": "no-cache"})
    data = await _numbers(site)
    return JSONResponse(data, headers={"etag": f'"{data["mark"]}"', "cache-control": "no-cache"})


async def _numbers(site: Site) -> dict[str, Any]:  # Any: JSON values
    return await asyncio.to_thread(site.numbers.data)


async def adjudicate(request: Request, site: Site, person: Person) -> Response:
    """Store the lead's own level of an item beside the votes."""
    body = await json_body(request)
    item = text_in(body, "item")
    known = site.store.state.items.get(item)
    level = level_in(body.get("level"), "")
    if known is None:
        raise HTTPException(404, "there is no such item")
    if level is None or level > site.judging.task.settings.top:
        raise HTTPException(422, "level is not a level of this task")
    note = text_in(body, "note", longest=_LONGEST_NOTE) if body.get("note") else ""
    ballot = Ballot(secrets.token_hex(16), item, known.shown, "", level=level, note=note)
    saved = await asyncio.wrap_future(site.store.submit(Ballots(person.code, (ballot,), "adjudication")))
    return JSONResponse({"seq": saved[0].seq, "head": site.store.head})


async def invite(request: Request, site: Site, person: Person) -> Response:
    """A person's private link, shown once; only the organiser invites a lead."""
    body = await json_body(request)
    name, role = text_in(body, "name"), text_in(body, "role")
    if role not in {"assessor", "lead"} or (role == "lead" and person.role != "organiser"):
        raise HTTPException(403, "only the organiser invites a lead")
    _refuse_higher(site, name, person)
    invited, token = await asyncio.wrap_future(site.store.access.invite(name, role))
    return JSONResponse(
        {
            "name": invited.name,
            "code": invited.code,
            "role": invited.role,
            "link": site.link(token),
        }
    )


async def change_person(request: Request, site: Site, person: Person) -> Response:
    """Revoke, pause or resume a person."""
    body = await json_body(request)
    actions = [name for name in STATES if body.get(name) is True or body.get("action") == name]
    if len(actions) != 1:
        raise HTTPException(400, f"the body has one of: {', '.join(STATES)}")
    name = request.path_params["name"]
    _refuse_higher(site, name, person)
    changed = await asyncio.wrap_future(site.store.access.set_state(name, actions[0]))
    return JSONResponse({"name": changed.name, "state": changed.state})


def _refuse_higher(site: Site, name: str, person: Person) -> None:
    """A lead changes assessors only."""
    found = next((one for one in site.store.people() if one.name == name.strip()), None)
    if found and found.role != "assessor" and (person.role != "organiser" or found.role == "organiser"):
        raise HTTPException(403, "only the organiser changes a lead")


async def export(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """The votes as tidy CSV or as an STC label file; its name has the start of the head of the log."""
    from kaiwa.flow.judging.votes import exported_text

    name = request.path_params["name"]
    formats = {"votes.csv": "votes-csv", "labels.txt": "stc-labels"}
    if name not in formats:
        raise HTTPException(404, "there is no such export")
    text, head = await asyncio.to_thread(exported_text, site.judging.task, site.store, formats[name])
    file = name.replace(".", f"-{head[:12]}.")
    headers = {"content-disposition": f'attachment; filename="{file}"', "x-kaiwa-head": head}
    kind = "text/csv; charset=utf-8" if name.endswith("csv") else "text/plain; charset=utf-8"
    return Response(text, media_type=kind, headers=headers)
