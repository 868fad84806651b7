"""Exports of Label Studio: JSON, JSON_MIN and CSV or TSV.

Fields after the task format of its documentation and the converter of its SDK: tasks with ``data`` and ``annotations``
(``completions`` before version 1.0), each with ``id``, ``completed_by`` (a number, or a person with an e-mail address),
``result``, ``was_cancelled``, ``updated_at``; JSON_MIN and CSV have ``annotator``, ``annotation_id`` and a field for
each question beside those of the data.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kaiwa.formats.exports.tool_records import (
    COMMENT_FIELDS,
    TOPIC_FIELDS,
    answer_of,
    csv_records,
    identity,
    item_of,
    json_records,
    labels_of,
)
from kaiwa.formats.exports.vote_rows import VoteRow, level_of, votes_of
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.model.votes import Votes

_OF_TASKS = re.compile(
    r'"(?:annotations|completions)"\s*:\s*\[\s*(?:\]|\{[^{}]*"(?:completed_by|result|was_cancelled)")'
)
_FLAT = {"annotator", "annotation_id"}
_OWN = {"annotator", "annotation_id", "created_at", "updated_at", "lead_time", "id", "agreement"}
_IDS = {*TOPIC_FIELDS, *COMMENT_FIELDS}
_ANSWERS = {"choices", "rating", "number", "taxonomy"}


def is_label_studio(head: Head) -> Match:
    """Whether it has annotations as Label Studio writes them."""
    start = head.start
    if head.has_objects:
        flat = all(f'"{name}"' in start for name in _FLAT)
        return Match.SURE if flat or _OF_TASKS.search(start) or '"completed_by"' in start else Match.NO
    return Match.SURE if set(head.header) >= _FLAT else Match.NO


def read_label_studio(path: Path, *, top: int | None = None) -> Votes:
    """The votes of an export; cancelled annotations and predictions are no votes."""
    is_json = Head(path).has_objects
    records = json_records(path) if is_json else csv_records(path)
    rows = (row for place, record in records for row in _rows(place, record))
    return votes_of(path, rows, top=top)


def _rows(place: str, record: Mapping[str, Any]) -> Iterator[VoteRow]:  # Any: JSON values
    done = record.get("annotations", record.get("completions"))
    if not isinstance(done, list):
        if record.keys() >= _FLAT:
            yield from _flat_row(place, record)
        return
    for one in done:
        if not isinstance(one, dict) or one.get("was_cancelled") is True:
            continue
        if label := answer_of(place, _answers(one.get("result"))):
            topic, comment = item_of(place, record.get("data"), record.get("meta"), ids=(record.get("id"),))
            time = identity(one.get("updated_at")) or identity(one.get("created_at"))
            key = _key(identity(one.get("id")) or identity(one.get("unique_id")), time)
            yield VoteRow(place, topic, comment, _person(one.get("completed_by")), label, key, time)


def _flat_row(place: str, record: Mapping[str, Any]) -> Iterator[VoteRow]:  # Any: JSON values
    data = {name: value for name, value in record.items() if name not in _OWN}
    answers = {name: labels_of(value) for name, value in data.items() if name not in _IDS}
    levels = {name: labels for name, labels in answers.items() if name == "level" or _are_levels(labels)}
    if label := answer_of(place, levels):
        topic, comment = item_of(place, data, ids=(record.get("id"),))
        time = identity(record.get("updated_at")) or identity(record.get("created_at"))
        yield VoteRow(
            place,
            topic,
            comment,
            _person(record["annotator"]),
            label,
            _key(identity(record["annotation_id"]), time),
            time,
        )


def _are_levels(labels: list[str]) -> bool:
    return all(level_of(label) is not None for label in labels)


def _answers(result: object) -> dict[str, list[str]]:
    """The labels by question; regions and texts are no answers."""
    found: dict[str, list[str]] = {}
    for part in result if isinstance(result, list) else []:
        if isinstance(part, dict) and part.get("type") in _ANSWERS:
            found.setdefault(str(part.get("from_name", "")), []).extend(labels_of(part.get("value")))
    return found


def _person(value: object) -> str:
    if isinstance(value, dict):
        return identity(value.get("email")) or identity(value.get("id"))
    return identity(value)


def _key(number: str, time: str) -> str:
    return f"label-studio:{number}@{time}" if number else ""
