"""Exports of doccano: JSONL, JSON or CSV, one file for each person, named after the person, or a folder of them.

Fields after doccano's exporter: ``id``, ``text`` (``data`` before version 1.6), ``label`` or ``labels``, ``Comments``,
and the fields of the item's metadata beside them; before version 1.5 ``meta`` and ``annotations`` with ``label`` and
``user``. A project that is not shared exports one file per member, with the member's name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kaiwa.disk.atomic_files import visible_files
from kaiwa.formats.exports.tool_records import answer_of, csv_records, identity, item_of, json_records, labels_of
from kaiwa.formats.exports.vote_rows import VoteRow, votes_of
from kaiwa.formats.text.blocks import bare_name
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.model.votes import Votes

_LABELLED = re.compile(r'"(?:label|labels|cats|annotations)"\s*:\s*\[')
_TEXT = re.compile(r'"(?:text|data)"\s*:\s*"')
_COLUMNS = {"id", "label"}
_SUFFIXES = (".jsonl", ".json", ".csv")


def is_doccano(head: Head) -> Match:
    """Whether records have an id, a text and a list of labels; of a folder, whether its files do."""
    if head.is_folder:
        files = _files(head.path)
        return Match.SURE if files and all(is_doccano(Head(file)) is Match.SURE for file in files) else Match.NO
    start = head.start
    if head.has_objects:
        fits = '"id"' in start and _TEXT.search(start) and _LABELLED.search(start) and '"completed_by"' not in start
        return Match.SURE if fits else Match.NO
    names = set(head.header)
    return Match.SURE if names >= _COLUMNS and names & {"text", "data"} and names & {"topic", "topic_id"} else Match.NO


def read_doccano(path: Path, *, top: int | None = None) -> Votes:
    """The votes of a file, by the person whom it is named after; of a folder, those of its files."""
    files = _files(path) if path.is_dir() else [path]
    return votes_of(path, (row for file in files for row in _rows_of(file)), top=top)


def _files(folder: Path) -> list[Path]:
    return [file for file in visible_files(folder.glob("*")) if file.suffix in _SUFFIXES]


def _rows_of(file: Path) -> Iterator[VoteRow]:
    is_json = Head(file).has_objects
    person = bare_name(file).rsplit(".", 1)[0]
    for place, record in json_records(file) if is_json else csv_records(file):
        yield from _rows(place, record, person)


def _rows(place: str, record: Mapping[str, Any], person: str) -> Iterator[VoteRow]:  # Any: JSON values
    by_person: dict[str, list[str]] = {}
    if isinstance(record.get("annotations"), list):
        for one in record["annotations"]:
            if isinstance(one, dict):
                by_person.setdefault(identity(one.get("user")) or person, []).extend(labels_of(one.get("label")))
    else:
        given = next((record[name] for name in ("label", "labels", "cats") if name in record), None)
        by_person[person] = given.split("#") if isinstance(given, str) and given else labels_of(given)
    number = identity(record.get("id"))
    for name, labels in by_person.items():
        if label := answer_of(place, {"level": labels}):
            topic, comment = item_of(place, record, record.get("meta"), record.get("metadata"), ids=(number,))
            yield VoteRow(place, topic, comment, name, label, f"doccano:{number}:{name}:{label}" if number else "")
