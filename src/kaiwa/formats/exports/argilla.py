"""Exports of Argilla: the records of a dataset as JSON, nested or flat, of versions 1 and 2.

Fields after its exporters: ``fields`` and ``metadata`` of a record; ``responses`` by question, each a list with
``value`` and ``user_id`` (version 2), or a list of responses with ``values``, ``status`` and ``user_id`` (version 1);
flat records have ``QUESTION.responses``, ``QUESTION.responses.users`` and ``QUESTION.responses.status``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kaiwa.formats.exports.tool_records import answer_of, identity, item_of, json_records, labels_of
from kaiwa.formats.exports.vote_rows import VoteRow, votes_of
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.model.votes import Votes

    Responses = dict[str, dict[str, list[str]]]

_FLAT = re.compile(r'"[^"]+\.responses(?:\.users)?"\s*:')
_USERS, _STATUS, _VALUES = ".responses.users", ".responses.status", ".responses"
_NO_ANSWER = {"discarded", "draft", "pending", "missing"}


def is_argilla(head: Head) -> Match:
    """Whether records have fields, and responses by question or user."""
    start = head.start
    if not head.has_objects:
        return Match.NO
    nested = '"responses"' in start and '"fields"' in start
    return Match.SURE if nested or (_FLAT.search(start) and _USERS in start) else Match.NO


def read_argilla(path: Path, *, top: int | None = None) -> Votes:
    """The votes of an export; suggestions of models, drafts and discarded responses are no votes."""
    rows = (row for place, record in json_records(path) for row in _rows(place, record))
    return votes_of(path, rows, top=top)


def _rows(place: str, record: Mapping[str, Any]) -> Iterator[VoteRow]:  # Any: JSON values
    responses, flat = record.get("responses"), [name for name in record if name.endswith(_USERS)]
    if isinstance(responses, dict):
        by_user = _by_question(responses)
    elif isinstance(responses, list):
        by_user = _by_response(responses)
    else:
        by_user = _flat(record, [name.removesuffix(_USERS) for name in flat])
    number = identity(record.get("id")) or identity(record.get("external_id")) or identity(record.get("_server_id"))
    for user, answers in by_user.items():
        if label := answer_of(place, answers):
            topic, comment = item_of(place, record.get("metadata"), record.get("fields"), record, ids=(number,))
            key = f"argilla:{number}:{user}:{label}" if number else ""
            yield VoteRow(place, topic, comment, user, label, key)


def _by_question(responses: Mapping[str, object]) -> Responses:
    found: Responses = {}
    for question, given in responses.items():
        for one in given if isinstance(given, list) else []:
            if isinstance(one, dict) and str(one.get("status") or "submitted") not in _NO_ANSWER:
                found.setdefault(identity(one.get("user_id")), {})[question] = labels_of(one.get("value"))
    return found


def _by_response(responses: list[Any]) -> Responses:  # Any: JSON values
    found: Responses = {}
    for one in responses:
        if not isinstance(one, dict) or str(one.get("status") or "submitted") in _NO_ANSWER:
            continue
        values = one.get("values")
        if isinstance(values, dict):
            answers = {str(question): labels_of(value) for question, value in values.items()}
            found[identity(one.get("user_id"))] = answers
    return found


def _flat(record: Mapping[str, Any], questions: list[str]) -> Responses:  # Any: JSON values
    found: Responses = {}
    for question in questions:
        values, users = (record.get(f"{question}{end}") for end in (_VALUES, _USERS))
        if not isinstance(values, list) or not isinstance(users, list):
            continue
        status = record.get(f"{question}{_STATUS}")
        states = status if isinstance(status, list) else []
        for number, (value, user) in enumerate(zip(values, users, strict=False)):
            if number >= len(states) or str(states[number] or "submitted") not in _NO_ANSWER:
                found.setdefault(identity(user), {})[question] = labels_of(value)
    return found
