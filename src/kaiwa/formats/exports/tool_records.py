"""The records of a labelling tool's export: JSON, JSON lines or CSV; the ids, the answer and the person in a record.

The items that a tool labels must carry their ids, as fields ``topic`` and ``comment_id`` of its data or metadata, or
together in the id of the item: ``topic::comment``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.exports.vote_rows import level_of
from kaiwa.formats.text.blocks import read_bytes
from kaiwa.formats.text.delimited import split_header, stream_csv

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Record = Mapping[str, Any]  # Any: JSON values

MAX_BYTES = 1 << 28
TOPIC_FIELDS = ("topic", "topic_id", "query_id", "qid", "post_id")
COMMENT_FIELDS = ("comment_id", "doc_id", "docid", "reply_id", "comment")
_BETWEEN = ("\t", "|||", "::", "|")
_HOW = "give the items the fields topic and comment_id, or the id topic::comment, when they are put into the tool"
_WANTED = "level"
_SHOWN = 60
_PAIR = 2


def json_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Each record with its place: of a JSON array, of an object, or one on each line."""
    data = read_bytes(path, limit=MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError.at(path, "is not UTF-8", "export it again as UTF-8") from None
    whole = _parsed(text)
    if isinstance(whole, list):
        values = [(f"{path}, record {number}", one) for number, one in enumerate(whole, start=1)]
    elif whole is not None:
        values = [(str(path), whole)]
    else:
        lines = ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())
        values = [(f"{path}:{number}", _parsed(line)) for number, line in lines]
    for place, value in values:
        if not isinstance(value, dict):
            raise InputError.at(place, "is not a JSON object", "export it again; one record is one object")
        yield place, value


def _parsed(text: str) -> Any:  # Any: JSON values
    """The JSON value, None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def csv_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Each row by the names of the header, with its place."""
    from kaiwa.formats.text.head import Head

    separator, _ = split_header((Head(path).lines or [""])[0])
    header: list[str] | None = None
    for line, cells in stream_csv(path, separator=separator):
        if header is None:
            header = [name.removeprefix("\ufeff") for name in cells]
        elif len(cells) != len(header):
            what = f"expected {len(header)} cells, found {len(cells)}"
            raise InputError.at(path, what, "check the quotes and separators of the row", line=line)
        else:
            yield f"{path}:{line}", dict(zip(header, cells, strict=True))


def item_of(place: str, *parts: object, ids: tuple[object, ...] = ()) -> tuple[str, str]:
    """The topic and comment of a record: from the first part that has both, else from an id that names both.

    >>> item_of("x.json", {"topic": "q1", "comment_id": 7, "comment": "a text"})
    ('q1', '7')
    >>> item_of("x.json", {}, ids=("q1::c7",))
    ('q1', 'c7')
    """
    known = [part for part in parts if isinstance(part, dict)]
    topic, comment = (
        next((found for part in known if (found := _named(part, names))), "")
        for names in (TOPIC_FIELDS, COMMENT_FIELDS)
    )
    if topic and comment:
        return topic, comment
    for one in ids:
        for sign in _BETWEEN:
            ends = [end.strip() for end in str(one).split(sign)]
            if len(ends) == _PAIR and all(ends):
                return ends[0], ends[1]
    raise InputError.at(place, f"has no {'comment' if topic else 'topic'} id", _HOW)


def _named(part: Record, names: tuple[str, ...]) -> str:
    return next((found for name in names if (found := identity(part.get(name)))), "")


def identity(value: object) -> str:
    """An id as text; empty if the value cannot be one.

    >>> identity(7), identity("q1"), identity(None), identity(["q1"])
    ('7', 'q1', '', '')
    """
    return str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def answer_of(place: str, answers: Mapping[str, list[str]]) -> str:
    """The one label of the question about the level; empty if nothing was answered.

    ``answers`` are the labels by question. The question is the one named ``level``, or the only one whose labels are
    levels.
    """
    given = {name: labels for name, labels in answers.items() if labels}
    if _WANTED not in given:
        levels = [name for name, labels in given.items() if all(level_of(label) is not None for label in labels)]
        if len(levels) > 1:
            what = f"several questions have levels: {', '.join(map(repr, levels[:3]))}"
            raise InputError.at(place, what, f"name the one that counts {_WANTED!r}")
        if not given:
            return ""
        chosen = (levels or list(given))[0]
    else:
        chosen = _WANTED
    labels = given[chosen]
    if len(labels) > 1:
        what = f"has {len(labels)} labels ({', '.join(labels)[:_SHOWN]})"
        raise InputError.at(place, what, "allow one label per item")
    return labels[0]


def labels_of(value: object) -> list[str]:
    """The labels in an answer as tools write it: a text, a number, a list of them, or an object around them.

    >>> labels_of("L2"), labels_of({"choices": ["L2"]}), labels_of([1]), labels_of(None), labels_of({"value": 0})
    (['L2'], ['L2'], ['1'], [], ['0'])
    """
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, str | int | float):
        return [str(value)] if str(value).strip() else []
    if isinstance(value, list):
        return [label for one in value for label in labels_of(one)]
    if isinstance(value, dict):
        inner = ("choices", "value", "rating", "number", "label", "text")
        return next((labels_of(value[name]) for name in inner if name in value), [])
    return []
