"""What the lead's page asks for: the numbers of the round, people, adjudication, exports."""

from __future__ import annotations

import asyncio
import secrets
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from kaiwa.labelling.estimates import Estimate
from kaiwa.labelling.figures import course_svg, interval_svg
from kaiwa.store.ballots import Ballots
from kaiwa.store.people import STATES
from kaiwa.store.records import Ballot
from kaiwa.web.assessor import html, words_for
from kaiwa.web.http import json_body, level_in, text_in
from kaiwa.web.pages import about, render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from kaiwa.store.records import Person
    from kaiwa.web.pages import Words
    from kaiwa.web.site import Site

    Data = Mapping[str, Any]  # Any: JSON values


_LONGEST_NOTE = 4000


async def lead(request: Request, site: Site, person: Person) -> Response:  # noqa: ARG001  every route's signature
    """The lead's page."""
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
    if level is None or level > site.judging.task.settings.max_level:
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
    from kaiwa.formats.votes import labels_text
    from kaiwa.store.logged_votes import votes_in

    name = request.path_params["name"]
    if name not in {"votes.csv", "labels.txt"}:
        raise HTTPException(404, "there is no such export")
    made = await asyncio.to_thread(votes_in, site.judging.task, site.store)
    text = made.own_form() if name == "votes.csv" else labels_text(made)
    file = name.replace(".", f"-{made.head[:12]}.")
    headers = {
        "content-disposition": f'attachment; filename="{file}"',
        "x-kaiwa-head": made.head,
        "x-kaiwa-left-out": str(made.left_out),
    }
    kind = "text/csv; charset=utf-8" if name.endswith("csv") else "text/plain; charset=utf-8"
    return Response(text, media_type=kind, headers=headers)


# The HTML of the lead's page, from its data.


_FEWEST = 2
_NARROWEST = 0.25
"""Levels on each side of 0 that the axis of severity shows at least."""


def lead_page(words: Words, data: Data) -> str:
    """The lead's page: every section drawn here; its script only takes newer copies of them."""
    figures = {
        "history": _course(data["history"], "votes", words("lead.history"), words("lead.history_axis"), (0.0, 1.0)),
        "order": _course(
            data["order"],
            "position",
            words("lead.order_figure"),
            words("lead.order_effect"),
            (0.0, float(len(data["levels"]) - 2)),
        ),
        "severity": _severities(data["by_assessor"], words),
    }
    before, _, after = words("lead.end_at", time="\0", rate=about(data["progress"]["rate"] or 0)).partition("\0")
    return render(
        "lead.html",
        words,
        script="lead.js",
        sheets=["lead.css"],
        sections=("lead",),
        data=data,
        figures=figures,
        end_text=(before, after),
    )


def _course(points: Sequence[Data], place: str, name: str, axis: str, bounds: tuple[float, float]) -> Markup | None:
    shown = [(float(one[place]), _estimate(one)) for one in points if one["value"] is not None]
    if len(shown) < _FEWEST:
        return None
    low, high = bounds
    return Markup(course_svg(shown, name=name, axis=axis, low=low, high=high))  # noqa: S704  its texts are escaped


def _severities(lines: Sequence[Data], words: Words) -> dict[str, Markup]:
    """The severity of each assessor on one axis, with 0 in its middle."""
    found = {one["name"]: _estimate(one["severity"]) for one in lines}
    reach = max([_NARROWEST, *(abs(end) for one in found.values() for end in (one.low, one.high) if not isnan(end))])
    return {
        name: Markup(interval_svg(one, low=-reach, high=reach, name=f"{words('lead.severity')} {name}"))  # noqa: S704
        for name, one in found.items()
    }


def _estimate(one: Data) -> Estimate:
    value, low, high = (nan if one[name] is None else one[name] for name in ("value", "low", "high"))
    return Estimate(value, low, high)
