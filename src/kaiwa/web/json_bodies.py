"""What clients send, checked: votes, tokens, names; anything else is refused with one sentence."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from kaiwa.label.task_item import writable
from kaiwa.model.votes import NA
from kaiwa.store.records import Ballot, Refused

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_VOTES = 50
_KEY = re.compile(r"[A-Za-z0-9_-]{8,64}")
_HEX = re.compile(r"[0-9a-f]{1,64}")
_TEXTS = {"note": 4000, "view": 10, "lang": 10, "client_time": 40}
_NUMBERS = {"position": 100_000, "seen_ms": 10**12}
_FLAGS = ("unsure", "flag", "skip")
_FIELDS = {"key", "item", "shown", "lease", "failed", "level", "undo_of", *_TEXTS, *_NUMBERS, *_FLAGS}
_MOST_CRITERIA = 20
_LONGEST_CRITERION = 100


async def json_body(request: Request) -> dict[str, Any]:  # Any: JSON values
    """The body of a request, which is a JSON object."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise HTTPException(400, "the body is not JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "the body is not a JSON object")
    return body


def text_in(body: dict[str, Any], name: str, *, longest: int = 200) -> str:  # Any: JSON values
    """A text of the body."""
    value = body.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise HTTPException(400, f"{name} is missing or is not a short text")
    return writable(value)


def ballots_in(body: dict[str, Any]) -> tuple[Ballot, ...]:  # Any: JSON values
    """The votes of a request."""
    votes = body.get("votes")
    if not isinstance(votes, list) or not 0 < len(votes) <= MOST_VOTES:
        raise HTTPException(400, f"votes is not a list of 1 to {MOST_VOTES}")
    return tuple(_ballot(one) for one in votes)


def level_in(value: object, key: str) -> int | None:
    """A level: a number, NA, or none."""
    if value == "NA":
        return NA
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9):  # noqa: PLR2004
        return value
    raise Refused(key, 'level is not a number, "NA" or null', 422)


def _ballot(vote: object) -> Ballot:
    if not isinstance(vote, dict):
        raise HTTPException(400, "a vote is not a JSON object")
    key = vote.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise HTTPException(400, "key is not 8 to 64 letters and digits")
    if unknown := set(vote) - _FIELDS:
        raise Refused(key, f"unknown field {min(unknown)[:40]!r}", 422)
    return Ballot(
        key=key,
        level=level_in(vote.get("level"), key),
        failed=_failed(vote.get("failed", []), key),
        undo_of=_matching(vote, "undo_of", key, _KEY, optional=True),
        item=_matching(vote, "item", key, _HEX),
        shown=_matching(vote, "shown", key, _HEX),
        lease=_matching(vote, "lease", key, _HEX, optional=True),
        note=_text(vote, "note", key),
        view=_text(vote, "view", key),
        lang=_text(vote, "lang", key),
        client_time=_text(vote, "client_time", key),
        position=_number(vote, "position", key),
        seen_ms=_number(vote, "seen_ms", key),
        unsure=_flag(vote, "unsure", key),
        flag=_flag(vote, "flag", key),
        skip=_flag(vote, "skip", key),
    )


def _failed(value: object, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > _MOST_CRITERIA:
        raise Refused(key, "failed is not a list of criteria", 422)
    if not all(isinstance(one, str) and 0 < len(one) <= _LONGEST_CRITERION for one in value):
        raise Refused(key, "failed is not a list of criteria", 422)
    return tuple(value)


def _matching(vote: dict[str, Any], name: str, key: str, form: re.Pattern[str], *, optional: bool = False) -> str:
    value = vote.get(name)
    if optional and (value is None or value == ""):
        return ""
    if not isinstance(value, str) or not form.fullmatch(value):
        raise Refused(key, f"{name} is missing or malformed", 422)
    return value


def _text(vote: dict[str, Any], name: str, key: str) -> str:  # Any: JSON values
    value, longest = vote.get(name) or "", _TEXTS[name]
    if not isinstance(value, str) or len(value) > longest:
        raise Refused(key, f"{name} is not a text of at most {longest} characters", 422)
    return writable(value)


def _number(vote: dict[str, Any], name: str, key: str) -> int:  # Any: JSON values
    value = vote.get(name) or 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _NUMBERS[name]:
        raise Refused(key, f"{name} is not a whole number from 0", 422)
    return value


def _flag(vote: dict[str, Any], name: str, key: str) -> bool:  # Any: JSON values
    value = vote.get(name) or False
    if not isinstance(value, bool):
        raise Refused(key, f"{name} is not true or false", 422)
    return value
