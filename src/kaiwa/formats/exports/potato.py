"""Output of potato: ``annotated_instances`` as JSONL, CSV or TSV, ``user_state.json``, or the folder of all people.

Fields after its server: a line has ``id``, ``displayed_text`` and ``label_annotations`` (question to label to value),
in the folder of the person; a table has ``user``, ``instance_id`` and a column ``question:::label`` for each label; the
state of version 2 has ``user_id`` and ``instance_id_to_label_to_value``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.disk.atomic_files import visible_files
from kaiwa.formats.exports.tool_records import answer_of, csv_records, identity, item_of, json_records
from kaiwa.formats.exports.vote_rows import VoteRow, level_of, votes_of
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.model.votes import Votes

_BETWEEN = ":::"
_STATE = "instance_id_to_label_to_value"
_PAIR = 2
_OFF = {"", "false", "none", "null"}
_PATTERNS = ("*/user_state.json", "*/annotated_instances.jsonl", "user_state.json", "annotated_instances.*")
"""The files of a folder of output, the best source first: all of the first kind that is there are read."""


def is_potato(head: Head) -> Match:
    """Whether lines have label annotations, a table has columns of labels, or it is the state of a person."""
    if head.is_folder:
        files = _files(head.path)
        return Match.SURE if files and all(is_potato(Head(file)) is Match.SURE for file in files) else Match.NO
    start = head.start
    if head.has_objects:
        return Match.SURE if f'"{_STATE}"' in start or '"label_annotations"' in start else Match.NO
    names = set(head.header)
    labels = any(_BETWEEN in name for name in names)
    return Match.SURE if labels and names >= {"user", "instance_id"} else Match.NO


def read_potato(path: Path, *, top: int | None = None) -> Votes:
    """The votes of a file or of a folder of output."""
    files = _files(path) if path.is_dir() else [path]
    return votes_of(path, (row for file in files for row in _rows_of(file)), top=top)


def _files(folder: Path) -> list[Path]:
    return next((files for pattern in _PATTERNS if (files := visible_files(folder.glob(pattern)))), [])


def _rows_of(file: Path) -> Iterator[VoteRow]:
    is_json = Head(file).has_objects
    for place, record in json_records(file) if is_json else csv_records(file):
        person = identity(record.get("user_id")) or identity(record.get("user")) or file.resolve().parent.name
        if isinstance(record.get(_STATE), dict):
            for item, labels in record[_STATE].items():
                yield from _row(place, {}, item, person, _stated(labels))
        elif not is_json:
            yield from _row(place, record, record.get("instance_id"), person, _columns(record))
        elif isinstance(record.get("label_annotations"), dict):
            yield from _row(place, record, record.get("id"), person, _stated(record["label_annotations"]))


def _row(
    place: str, record: Mapping[str, Any], item: object, person: str, answers: dict[str, list[str]]
) -> Iterator[VoteRow]:  # Any: JSON values
    if label := answer_of(place, answers):
        topic, comment = item_of(place, record, ids=(item,))
        yield VoteRow(place, topic, comment, person, label, f"potato:{identity(item)}:{person}:{label}")


def _columns(record: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in record.items():
        question, between, label = name.partition(_BETWEEN)
        if between:
            found.setdefault(question, []).extend(_chosen(label, value))
    return found


def _stated(labels: object) -> dict[str, list[str]]:
    """The labels by question, from question to label to value, or from pairs of a label and its value."""
    found: dict[str, list[str]] = {}
    if isinstance(labels, dict):
        for question, values in labels.items():
            for label, value in values.items() if isinstance(values, dict) else []:
                found.setdefault(question, []).extend(_chosen(str(label), value))
    elif isinstance(labels, list):
        for pair in labels:
            if isinstance(pair, list) and len(pair) == _PAIR and isinstance(pair[0], dict):
                label, value = str(pair[0].get("name", "")), pair[1]
                found.setdefault(str(pair[0].get("schema", "")), []).extend(_chosen(label, value))
    return found


def _chosen(label: str, value: object) -> list[str]:
    """The label if its box is ticked: its value is true, itself, or the number of a scale."""
    given = str(value).strip()
    if value is None or value is False or given.lower() in _OFF:
        return []
    if level_of(label) is None and level_of(given) is not None:
        return [given]
    return [label]
