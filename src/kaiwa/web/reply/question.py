"""What a client asks, checked: a post, the number of comments, the system, with or without reasons."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from kaiwa.errors import UnknownName
from kaiwa.web.reply.limits import LONGEST_NAME, LONGEST_POST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.web.reply.limits import Limits

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

    >>> from kaiwa.web.reply.limits import Limits
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

    >>> from kaiwa.web.reply.limits import Limits
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
